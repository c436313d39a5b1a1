// Two runs in one frame: the cells of a head of either, row for row and column for column, and their difference.

import { drawnHead } from "../../../pictures/browser/run.js";
import { weightOf } from "../../../pictures/browser/weights.js";

/** @typedef {import("./wire").WireKindChange} Change */
/** @typedef {import("../../../pictures/browser/types").Run} Run */
/** @typedef {import("../../../pictures/browser/types").Matrix} Matrix */

/** Which rows and columns there are of a kind in a run, and what they are called.
 * @param {Run} run
 * @param {import("../../../pictures/browser/wire").AttentionKind} kind
 */
function namesOf({ tokens, kinds }, kind) {
  const named = ([text, first]) => tokens[text].slice(first);
  return { rows: named(kinds[kind].queries), columns: named(kinds[kind].keys) };
}

/** What the pairs of rows and columns are called: in either run, in both ("tired | wide"), and beside a small map.
 * @param {Change} change
 * @param {[Run, Run]} runs
 * @param {import("../../../pictures/browser/wire").AttentionKind} kind
 */
export function pairNames(change, runs, kind) {
  const [a, b] = runs.map((run) => namesOf(run, kind));
  const of = (axis) => {
    const each = change[axis].map(([i, j]) => [tokenAt(a[axis], i), tokenAt(b[axis], j)]);
    return {
      a: each.map(([ours]) => ours ?? ""),
      b: each.map(([, theirs]) => theirs ?? ""),
      both: each.map(joined),
      difference: each.map((pair) => briefly(pair, joined(pair))),
    };
  };
  return { rows: of("rows"), columns: of("columns") };
}

const LONGEST_BESIDE = 9; // letters of a label of two tokens; of a longer one the first is named

const briefly = ([ours, theirs], both) =>
  both.length <= LONGEST_BESIDE || ours === theirs ? both : `${ours ?? theirs}…`;
const tokenAt = (tokens, place) => (place === null ? null : tokens[place]);
const joined = ([ours, theirs]) =>
  ours === theirs ? ours : [ours, theirs].filter((token) => token !== null).join(" | ");

/** The codes of one head of a run at full size; null while they are on the way, or where there is no such head.
 * @param {Run} run
 * @returns {Matrix | null}
 */
export function headOf(run, kind, layer, head) {
  if (head === null || head === undefined) return null;
  const stack = run.kinds[kind];
  if (stack.whole) return drawnHead(stack, layer, head);
  const codes = run.heads.get(`${kind} ${layer} ${head}`);
  return codes ? { rows: stack.rows, columns: stack.columns, codes } : null;
}

/** The codes of a cell in both runs, by its place among the pairs; null where a run lacks it.
 * @param {Change} change
 * @param {(Matrix | null)[]} heads of A and of B
 * @returns {(row: number, column: number) => (number | null)[]}
 */
export function cellsOf({ rows, columns }, heads) {
  return (row, column) =>
    heads.map((matrix, side) => {
      const [i, j] = [rows[row][side], columns[column][side]];
      return matrix && i !== null && j !== null ? matrix.codes[i * matrix.columns + j] : null;
    });
}

/** How much more a cell has in B; null where one of the runs has no such cell.
 * @param {(number | null)[]} codes
 */
export function differenceOf([a, b]) {
  return a === null || b === null ? null : weightOf(b) - weightOf(a);
}

/** The place of a position of A among the pairs; undefined where there is none. */
export function placeOf(pairs, position) {
  const found = pairs.findIndex(([i]) => i === position);
  return found < 0 ? undefined : found;
}
