// Two runs in one frame: the cells of a head of both, paired by row and column, and their difference.

import { drawnHead } from "../../../pictures/browser/run.js";
import { weightOf } from "../../../pictures/browser/weights.js";

/** @typedef {import("./wire").WireKindChange} Change */
/** @typedef {import("../../../pictures/browser/types").Run} Run */
/** @typedef {import("../../../pictures/browser/types").Matrix} Matrix */

/** Return the names of the rows and columns of a kind in a run.
 * @param {Run} run
 * @param {import("../../../pictures/browser/wire").AttentionKind} kind
 */
function namesOf({ tokens, kinds }, kind) {
  const named = ([text, first]) => tokens[text].slice(first);
  return { rows: named(kinds[kind].queries), columns: named(kinds[kind].keys) };
}

/** Return the names of the pairs of rows and columns: in each run, in both ("tired | wide"), and beside a small map.
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

const LONGEST_BESIDE = 9; // letters of a label of two tokens; a longer label shows only the first token

const briefly = ([ours, theirs], both) =>
  both.length <= LONGEST_BESIDE || ours === theirs ? both : `${ours ?? theirs}…`;
const tokenAt = (tokens, place) => (place === null ? null : tokens[place]);
const joined = ([ours, theirs]) =>
  ours === theirs ? ours : [ours, theirs].filter((token) => token !== null).join(" | ");

/** Return the codes of one head of a run at full size; null until they arrive, or if there is no such head.
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

/** Return a function from a place among the pairs to the codes of its cell in both runs; null if a run lacks the cell.
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

/** Return how much more weight a cell has in B; null if one of the runs lacks the cell.
 * @param {(number | null)[]} codes
 */
export function differenceOf([a, b]) {
  return a === null || b === null ? null : weightOf(b) - weightOf(a);
}

/** Return the place of a position of A among the pairs; undefined if there is none. */
export function placeOf(pairs, position) {
  const found = pairs.findIndex(([i]) => i === position);
  return found < 0 ? undefined : found;
}
