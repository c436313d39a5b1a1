// The lines between the words of Start: arcs to the words read, streams of values, and the line to the written word.

const ROOM = 10; // pixels between an arc and what is above it
const LEAST_HIGH = 16;

/** @typedef {{x: number, top: number, bottom: number, wide: number}} Spot the place of a word in the board */

/** Return the path of an arc from above one word to above another, or of a loop for a word that reads itself.
 * @param {Spot} from
 * @param {Spot} to
 * @param {number} rise room above the words
 */
export function arcPath(from, to, rise) {
  if (from === to) {
    const high = Math.min(rise - ROOM, 34);
    return `M${n(from.x - 7)},${n(from.top)}C${n(from.x - 22)},${n(from.top - high)} ${n(from.x + 22)},${n(from.top - high)} ${n(from.x + 7)},${n(from.top)}`;
  }
  const far = Math.abs(from.x - to.x) * 0.3;
  const high = Math.max(LEAST_HIGH, Math.min(rise - ROOM, far + LEAST_HIGH)) * 1.33;
  return `M${n(from.x)},${n(from.top)}C${n(from.x)},${n(from.top - high)} ${n(to.x)},${n(to.top - high)} ${n(to.x)},${n(to.top)}`;
}

/** Return the streams that flow from the words into the mix, each ending as wide as its share of the mix.
 * @param {ArrayLike<number>} shares
 * @param {Spot[]} spots
 * @param {{x: number, top: number, wide: number}} mix its left end and width
 * @param {number} least smallest share that is drawn
 * @returns {{at: number, path: string}[]}
 */
export function streamPaths(shares, spots, mix, least) {
  let before = 0;
  return spots.flatMap((spot, at) => {
    const wide = shares[at] * mix.wide;
    const left = mix.x + before;
    before += wide;
    if (!(shares[at] >= least)) return [];
    const half = Math.min(wide, spot.wide) / 2;
    const bend = (mix.top - spot.bottom) * 0.55;
    const side = (x, end) =>
      `${n(x)},${n(spot.bottom + bend)} ${n(end)},${n(mix.top - bend)} ${n(end)},${n(mix.top)}`;
    const back = `${n(left + wide)},${n(mix.top - bend)} ${n(spot.x + half)},${n(spot.bottom + bend)} ${n(spot.x + half)},${n(spot.bottom)}`;
    const path = `M${n(spot.x - half)},${n(spot.bottom)}C${side(spot.x - half, left)}L${n(left + wide)},${n(mix.top)}C${back}Z`;
    return [{ at, path }];
  });
}

/** Return the path of the line from the mix down to a written word.
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 */
export function linkPath(from, to) {
  const bend = (to.y - from.y) * 0.6;
  return `M${n(from.x)},${n(from.y)}C${n(from.x)},${n(from.y + bend)} ${n(to.x)},${n(to.y - bend)} ${n(to.x)},${n(to.y)}`;
}

/** Return how the arc of a weight is drawn.
 * @param {number} weight
 */
export const arcStyle = (weight) => ({
  width: n(1 + 8 * weight),
  opacity: n(0.25 + 0.75 * weight),
});

function n(value) {
  return Math.round(value * 10) / 10;
}
