// Sets a path beside the model's choice, as viz/subjects/decoding/packing.py does: where another token was taken, and
// what differs since.

import { say, sayOf } from "../../../pictures/browser/say.js";

/** @typedef {{ids: readonly number[], vocabulary: Record<string, string>, totals: number[], finished: boolean}} Written */

/** Pack the model's choice, and the path that is played where that is another.
 * @param {import("../../../pictures/browser/twin/text/types").Tokenizer} target
 * @param {string} mode
 * @param {Written} base
 * @param {Written} played
 * @param {number[]} forks steps of the played path whose token was taken
 * @returns {import("./wire").WireBranches}
 */
export function packBranches(target, mode, base, played, forks) {
  const branch = (title, path, taken) => ({
    title,
    text: target.decode(path.ids),
    tokens: path.ids.map((id) => path.vocabulary[id]),
    forks: taken,
    differs: differing(base.ids, path.ids, taken),
    total: path.totals.at(-1),
    finished: path.finished,
  });
  const own = branch(sayOf("decoding.base", mode), base, []);
  if (!forks.length) return { branches: [own] };
  const step = forks.at(-1);
  const title = say("decoding.branch", { token: played.vocabulary[played.ids[step]], step });
  return { branches: [own, branch(title, played, forks)] };
}

// Marks the ids that the base does not have in that order, and those that were taken.
function differing(base, ids, taken) {
  const found = ids.map(() => true);
  const match = (from, to) => {
    const { a, b, size } = longestMatch(base, ids, from, to);
    if (!size) return;
    found.fill(false, b, b + size);
    match(from, { a, b });
    match({ a: a + size, b: b + size }, to);
  };
  match({ a: 0, b: 0 }, { a: base.length, b: ids.length });
  for (const step of taken) found[step] = true;
  return found;
}

// The longest stretch that stands in both, the earliest of several, as difflib finds it.
function longestMatch(one, other, from, to) {
  let best = { a: from.a, b: from.b, size: 0 };
  let ends = []; // by where a match ends in the other: its length so far
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
