// Two texts written over one another: the words that are there now, and the words that were there before.

/** @typedef {import("./types").Cell} Cell */

/** Pair the words of two texts: first the equal ones, then those between them in their order.
 * @param {string[]} before
 * @param {string[]} now
 * @returns {Cell[]}
 */
export function overwritten(before, now) {
  const cells = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...common(before, now), [before.length, now.length]]) {
    const [gone, fresh] = [before.slice(i, a), now.slice(j, b)];
    for (let n = 0; n < Math.max(gone.length, fresh.length); n++)
      cells.push({
        row: n < fresh.length ? j + n : null,
        token: fresh[n] ?? null,
        ghost: gone[n] ?? null,
        isNew: true,
      });
    if (b < now.length) cells.push({ row: b, token: now[b], ghost: null, isNew: false });
    [i, j] = [a + 1, b + 1];
  }
  return cells;
}

// Return the positions of the longest common subsequence of two texts.
function common(one, other) {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i][j] =
        one[i] === other[j]
          ? lengths[i + 1][j + 1] + 1
          : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const places = [];
  for (let i = 0, j = 0; i < one.length && j < other.length; )
    if (one[i] === other[j]) places.push([i++, j++]);
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) i++;
    else j++;
  return places;
}
