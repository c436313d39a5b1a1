// The arithmetic of a row of measures: its largest number, the heights of its bars, and its description.

import { numberText } from "../../../pictures/browser/numbers.js";
import { say } from "../../../pictures/browser/say.js";
import { largestFirst } from "../../../pictures/browser/summary.js";

const MOST_SAID = 3;

/** Return the place of the largest number above 0; -1 if there is none.
 * @param {(number | null)[]} row
 */
export function firstPlace(row) {
  let first = -1;
  row.forEach((value, i) => {
    if (value !== null && value > 0 && (first < 0 || value > row[first])) first = i;
  });
  return first;
}

/** Return the bars of a row, each from the zero line, in a strip of this height; the largest number fills its side.
 * @param {(number | null)[]} row
 * @param {number} high
 */
export function stripBars(row, high) {
  const known = row.map((value) => value ?? 0);
  const [low, top] = [Math.min(0, ...known), Math.max(0, ...known)];
  const scale = top > low ? (high - 2) / (top - low) : 0;
  const zero = 1 + top * scale;
  const bars = known.map((value) => ({
    y: value > 0 ? zero - value * scale : zero,
    height: Math.abs(value) * scale,
  }));
  return { bars, zero };
}

/** Describe a row by its largest numbers.
 * @param {{source: string[]}} data
 * @param {{label: string}} measure
 * @param {(number | null)[]} row
 */
export function rowText({ source }, { label }, row) {
  const values = row.map((value) => value ?? Number.NaN);
  const said = largestFirst(values)
    .slice(0, MOST_SAID)
    .map((i) => `${source[i]} ${numberText(values[i])}`);
  return say("mattered.row_said", { measure: label, numbers: said.join(", ") });
}
