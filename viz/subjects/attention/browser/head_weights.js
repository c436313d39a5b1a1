// The weights of the head in view, and what is said of one of them.

import { numberText, percentText } from "../../../pictures/browser/numbers.js";
import { axisTokens, wholeHead } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import {
  CODE_MASKED,
  CODE_ONE,
  combinedCodes,
  weightOf,
  weightWords,
} from "../../../pictures/browser/weights.js";

// One head's codes, or the mean or maximum over the heads of its layer; null while they are on the way.
export function shownHead(loupe, { kind, layer, head }, shows) {
  const one = wholeHead(loupe, kind, layer, head);
  const { heads, whole } = loupe.stack(kind);
  if (shows === "head" || !whole) return one;
  const all = Array.from({ length: heads }, (_, h) => wholeHead(loupe, kind, layer, h).codes);
  return { ...one, codes: combinedCodes(all, shows) };
}

// The weight of a cell: exact where Python has sent it, else as far as its code goes.
export function weightSaid({ selection, exact, display }, matrix, row, column) {
  const code = matrix.codes[row * matrix.columns + column];
  const cell = { ...selection, query: row, key: column };
  const isExact =
    exact !== null &&
    display.shows === "head" &&
    Object.entries(exact.made).every(([name, value]) => cell[name] === value);
  return isExact && code <= CODE_ONE ? numberText(exact.weight) : weightWords(code);
}

/** What a row reads, the most first: keys with weights. Null while the head is on its way.
 * @typedef {{key: number, weight: number, alone: boolean}} Reading `alone`: the mask hides all others
 * @returns {Reading[] | null}
 */
export function readingsOf(loupe, { kind, layer, head }, query) {
  const matrix = wholeHead(loupe, kind, layer, head);
  return matrix && readingsIn(matrix, query);
}

/** The same of any matrix of codes.
 * @param {{columns: number, codes: ArrayLike<number>}} matrix
 * @returns {Reading[]}
 */
export function readingsIn({ columns, codes }, query) {
  const row = Array.from({ length: columns }, (_, key) => codes[query * columns + key]);
  const alone = row.filter((code) => code !== CODE_MASKED).length === 1;
  return row
    .map((code, key) => ({ key, weight: weightOf(code), alone }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
}

/** The key that all rows of a head together read most, and its share. Null while the head is on its way.
 * @returns {{key: number, weight: number} | null}
 */
export function mostRead(loupe, { kind, layer, head }) {
  const matrix = wholeHead(loupe, kind, layer, head);
  if (!matrix) return null;
  const sums = Array.from({ length: matrix.columns }, () => 0);
  matrix.codes.forEach((code, cell) => {
    sums[cell % matrix.columns] += weightOf(code);
  });
  const key = sums.indexOf(Math.max(...sums));
  const all = sums.reduce((sum, weight) => sum + weight, 0);
  return all ? { key, weight: sums[key] / all } : null;
}

/** A share in whole percent; what is nearly all or nearly nothing does not become it.
 * @param {{weight: number, alone?: boolean}} reading
 */
export function shareWords({ weight, alone = false }) {
  if (alone) return percentText(1);
  if (weight < 0.005) return say("number.under", { share: percentText(0.01) });
  if (weight >= 0.995) return say("number.over", { share: percentText(0.99) });
  return percentText(Math.round(100 * weight) / 100);
}

const SAID = 4;
const LEAST_SAID = 0.05;

/** A row in words: "84 % animal, 9 % street"; nothing where it has no weights.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 */
export function rowWords(loupe, matrix, query) {
  const { columns } = axisTokens(loupe, loupe.selection.kind);
  const readings = readingsIn(matrix, query);
  const said = readings.filter(({ weight }, i) => !i || (i < SAID && weight >= LEAST_SAID));
  return said.map((one) => `${shareWords(one)} ${columns[one.key]}`).join(", ");
}
