// The arithmetic of a row of measures: where it is largest, how high its bars are, what is said of it.

import { numberText } from "../../../pictures/browser/numbers.js";
import { say } from "../../../pictures/browser/say.js";
import { largestFirst } from "../../../pictures/browser/summary.js";

const MOST_SAID = 3;

/** The place of the largest number above 0; -1 where there is none.
 * @param {(number | null)[]} row
 */
export function firstPlace(row) {
  let first = -1;
  row.forEach((value, i) => {
    if (value !== null && value > 0 && (first < 0 || value > row[first])) first = i;
  });
  return first;
}

/** The bars of a row, each from the line of 0, over so many pixels; the largest number fills its side.
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

/** A row in words: its largest numbers.
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
