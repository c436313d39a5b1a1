// Leads lines between words in several rows: around other words, never through them.

/** The box of a word on the board, with what is written above or below it.
 * @typedef {{left: number, right: number, top: number, bottom: number}} Box
 */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{top: number, bottom: number, boxes: Box[]}} Row */
/** A gap in a row: where a line may pass, and how wide the gap is.
 * @typedef {{from: number, to: number, room: number}} Passage
 */

const BESIDE = 7; // pixels between a line and the first or last word of a row that it passes
const COMFORTABLE = 12; // pixels that a passage should be wide
const DETOUR = 4; // pixels that a line goes aside rather than lose one pixel of that width

/** Sort boxes into rows.
 * @param {Box[]} boxes in the order of the text
 * @returns {Row[]}
 */
export function rowsOf(boxes) {
  const rows = /** @type {Row[]} */ ([]);
  for (const box of boxes) {
    const row = rows.at(-1);
    if (!row || box.top > (row.top + row.bottom) / 2) rows.push({ ...box, boxes: [box] });
    else {
      row.boxes.push(box);
      row.top = Math.min(row.top, box.top);
      row.bottom = Math.max(row.bottom, box.bottom);
    }
  }
  return rows;
}

/** Return the passages through a row: between its words and, if the board has room there, beside them.
 * @param {Row} row
 * @param {number} width of the board
 * @returns {Passage[]}
 */
export function passagesOf({ boxes }, width) {
  const inOrder = [...boxes].sort((one, other) => one.left - other.left);
  const [first, last] = [inOrder[0], inOrder[inOrder.length - 1]];
  const found = inOrder.slice(1).map(({ left }, at) => {
    const { right } = inOrder[at];
    const middle = (right + left) / 2;
    return { from: middle, to: middle, room: left - right };
  });
  const beside = (from, to) => from <= to && found.push({ from, to, room: 2 * BESIDE });
  beside(BESIDE, first.left - BESIDE);
  beside(last.right + BESIDE, width - BESIDE);
  return found;
}

/** Lead a line past rows of words, each time through the nearest passage, preferring wide ones.
 * @param {Point} from
 * @param {Row[]} rows the nearest one first
 * @param {number} width of the board
 * @returns {{points: Point[], room: number}} the corners, `from` included, and the narrowest place
 */
export function wayPast(from, rows, width) {
  const points = [from];
  let room = Infinity;
  for (const row of rows) {
    const { x, y } = points[points.length - 1];
    const nearest = ({ from, to }) => Math.max(from, Math.min(to, x));
    const cost = (passage) =>
      Math.abs(nearest(passage) - x) + DETOUR * Math.max(0, COMFORTABLE - passage.room);
    const all = passagesOf(row, width);
    if (!all.length) continue; // a single word as wide as the board
    const passage = all.reduce((best, one) => (cost(one) < cost(best) ? one : best));
    const isAbove = row.top < y;
    const sides = isAbove ? [row.bottom, row.top] : [row.top, row.bottom];
    points.push(...sides.map((side) => ({ x: nearest(passage), y: side })));
    room = Math.min(room, passage.room);
  }
  return { points, room };
}

/** Return a line through points, vertical at each of them.
 * @param {Point[]} points
 */
export function pathThrough([first, ...rest]) {
  let from = first;
  const pieces = rest.map((to) => {
    const middle = (from.y + to.y) / 2;
    const isStraight = from.x === to.x;
    const piece = isStraight
      ? `L ${to.x} ${to.y}`
      : `C ${from.x} ${middle}, ${to.x} ${middle}, ${to.x} ${to.y}`;
    from = to;
    return piece;
  });
  return [`M ${first.x} ${first.y}`, ...pieces].join(" ");
}
