// Where a branch differs from the model's choice, token by token.

/** Mark the ids that the base lacks in this order, and those that were taken instead of the model's choice.
 *
 * Stretches that both texts have are matched as in `difflib.SequenceMatcher`: first the longest one, then the longest
 * ones on each side of it.
 * @param {readonly number[]} base
 * @param {readonly number[]} ids
 * @param {readonly number[]} taken positions of ids that were taken instead of the model's choice
 */
export function differing(base, ids, taken) {
  const marks = ids.map(() => true);
  const match = (from, to) => {
    const { a, b, size } = longestMatch(base, ids, from, to);
    if (!size) return;
    marks.fill(false, b, b + size);
    match(from, { a, b });
    match({ a: a + size, b: b + size }, to);
  };
  match({ a: 0, b: 0 }, { a: base.length, b: ids.length });
  for (const place of taken) marks[place] = true;
  return marks;
}

// Return the longest stretch that both texts have, the earliest if there are several.
function longestMatch(one, other, from, to) {
  let best = { a: from.a, b: from.b, size: 0 };
  let ends = []; // position in the other text at which a match ends -> its length so far
  for (let a = from.a; a < to.a; a++) {
    const now = [];
    for (let b = from.b; b < to.b; b++) {
      if (one[a] !== other[b]) continue;
      const size = (ends[b - 1] ?? 0) + 1;
      now[b] = size;
      if (size > best.size) best = { a: a - size + 1, b: b - size + 1, size };
    }
    ends = now;
  }
  return best;
}
