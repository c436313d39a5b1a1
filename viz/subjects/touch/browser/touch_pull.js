// Where a hand is: to which key it pulls a line, and how far.

const REACH = 150; // pixels from a word at which its pull begins, if the words are far apart
const WHOLE = 0.93; // share of the way at which a line counts as arrived

/** Return the pull of a line by a hand: the nearest other key, and how near the hand is to it.
 * @param {{x: number, y: number}} hand
 * @param {number} held the key at which the line ended
 * @param {{x: number, y: number, width: number, height: number}[]} places middles and sizes of the keys
 * @returns {import("./types").Pulled | null} null if there is no other key
 */
export function pullAt(hand, held, places) {
  let to = -1;
  let nearest = Infinity;
  for (const [key, place] of places.entries()) {
    const distance = key === held ? Infinity : apart(hand, place);
    if (distance < nearest) [to, nearest] = [key, distance];
  }
  if (to < 0) return null;
  if (apart(hand, places[held]) < 1) return { held, to, amount: 0 };
  const way = Math.min(Math.max(apart(places[held], places[to]), 1), REACH);
  const amount = Math.max(0, 1 - nearest / way);
  return { held, to, amount: amount >= WHOLE ? 1 : amount };
}

// Return how far a point is from a word: 0 over it.
function apart({ x, y }, place) {
  const beside = Math.max(0, Math.abs(x - place.x) - place.width / 2);
  const above = Math.max(0, Math.abs(y - place.y) - place.height / 2);
  return Math.hypot(beside, above);
}
