// Compares Python's run with the browser's run that it replaces.

import { sayChange } from "../twin/changes.js";
import { CODE_ONE } from "../weights.js";

/** @typedef {import("./types").Answer} Answer */
/** @typedef {import("../wire").WireInputs} Inputs */
/** @typedef {import("../wire").WireIntervention} Intervention */

/** @param {import("../types").Loupe} loupe */
export function createCheck(loupe) {
  /** @type {Answer | null} */
  let latest = null;
  let checked = null;
  return {
    /** @param {Answer} answer */
    answered(answer) {
      latest = answer;
      checked = null;
    },
    /** @param {Inputs} inputs */
    ran(inputs) {
      if (!latest || !isSame(latest, inputs)) return;
      checked = { run: inputs.run, answer: latest, isRounded: Boolean(inputs.model.in_parts) };
    },
    /** Return the difference between Python's current run and the browser's run of the same text, or null without one.
     * @returns {{difference: number, isRounded: boolean} | null}
     */
    now() {
      const run = checked?.run === loupe.selection?.run && loupe.run();
      if (!run) return null;
      checked.difference ??= differenceOf(checked.answer, run);
      return checked;
    },
  };
}

// Return whether the browser ran the same text with the same changes.
const isSame = (answer, { text, interventions }) =>
  answer.text === text && isSameList(answer.interventions, interventions);

/** @param {Intervention[]} one @param {Intervention[]} other */
export const isSameList = (one, other) =>
  String(one.map(sayChange).sort()) === String(other.map(sayChange).sort());

/** Return the largest difference of a weight: Infinity if other words were written, NaN if Python sent reduced weights.
 * After a prompt the browser may write fewer tokens than Python, and then its rows are Python's first rows.
 * @param {Answer} answer
 * @param {import("../types").Run} run
 */
function differenceOf({ tokens, kinds, codes }, run) {
  const count = tokens.source.length ? Infinity : tokens.target.length;
  if (tokens.target.join(" ") !== run.tokens.target.slice(0, count).join(" ")) return Infinity;
  let largest = 0;
  for (const [kind, { layers, heads, rows, columns, offset }] of Object.entries(kinds)) {
    const other = run.kinds[kind];
    if (!other.whole) return Number.NaN;
    for (let head = 0; head < layers * heads; head++)
      for (let row = 0; row < rows; row++) {
        const [own, others] = [head * rows + row, head * other.rows + row];
        for (let column = 0; column < columns; column++) {
          const code = codes[offset + own * columns + column];
          const theirs = other.codes[others * other.columns + column];
          if (code <= CODE_ONE || theirs <= CODE_ONE)
            largest = Math.max(largest, Math.abs(code - theirs));
        }
      }
  }
  return (largest + 0.5) / CODE_ONE;
}
