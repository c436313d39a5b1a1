// The weights of the head in view, and how one weight is described.

import { standsOut } from "../../../pictures/browser/even_rows.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { wholeHead } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import { CODE_MASKED, weightOf } from "../../../pictures/browser/weights.js";

/** Return what a row reads, the largest weight first: keys with weights. Null until the head has arrived.
 * @typedef {{key: number, weight: number, alone: boolean, allowed: number}} Reading
 * `allowed`: how many keys the row may read; `alone`: whether the mask hides all others
 * @returns {Reading[] | null}
 */
export function readingsOf(loupe, { kind, layer, head }, query) {
  const matrix = wholeHead(loupe, kind, layer, head);
  return matrix && readingsIn(matrix, query);
}

/** Return the same for any matrix of codes.
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

/** Return the key that all rows of a head together read most, and its share. Null until the head has arrived.
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

/** Return what a row reads most, if that stands out: an even row reads nothing in particular.
 * @param {Reading[] | null} readings
 * @returns {Reading | undefined}
 */
export function standing(readings) {
  const most = readings?.[0];
  return most && standsOut(most.weight, most.allowed) ? most : undefined;
}

/** Return a share in whole percent; nearly everything is not rounded to 100%, nor nearly nothing to 0%.
 * @param {{weight: number, alone?: boolean}} reading
 */
export function shareWords({ weight, alone = false }) {
  if (alone) return percentText(1);
  if (weight < 0.005) return say("number.under", { share: percentText(0.01) });
  if (weight >= 0.995) return say("number.over", { share: percentText(0.99) });
  return percentText(Math.round(100 * weight) / 100);
}
