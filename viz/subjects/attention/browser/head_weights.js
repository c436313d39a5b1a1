// The weights of the head in view, and what is said of one of them.

import { standsOut } from "../../../pictures/browser/even_rows.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { wholeHead } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import { CODE_MASKED, weightOf } from "../../../pictures/browser/weights.js";

/** What a row reads, the most first: keys with weights. Null while the head is on its way.
 * @typedef {{key: number, weight: number, alone: boolean, allowed: number}} Reading
 *   `allowed`: so many keys the row may read; `alone`: the mask hides all others
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
  const allowed = row.filter((code) => code !== CODE_MASKED).length;
  const alone = allowed === 1;
  return row
    .map((code, key) => ({ key, weight: weightOf(code), alone, allowed }))
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

/** What a row reads most, if that stands out: the weights of an even row say nothing.
 * @param {Reading[] | null} readings
 * @returns {Reading | undefined}
 */
export function standing(readings) {
  const most = readings?.[0];
  return most && standsOut(most.weight, most.allowed) ? most : undefined;
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
