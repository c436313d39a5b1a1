// Hides parts of a run while a question is open. The app does not send them, but here the site computes the run itself.

import { CODE_COVERED } from "../../pictures/browser/weights.js";

/** @typedef {import("../../pictures/browser/wire").WireCover} Cover */
/** @typedef {import("../../pictures/browser/types").Run} Run */
/** @typedef {import("../../pictures/browser/types").Tensors} Tensors */

const COVERED_WORD = "…";

/** Return a run without its hidden values, and without everything that only Python knows.
 * @param {Run} run
 * @param {Cover} cover
 * @returns {Run}
 */
export function coverRun(run, { by_readers: byReaders, rows, words, told }) {
  const target = run.tokens.target.map((word, at) => (words.includes(at) ? COVERED_WORD : word));
  const kinds = Object.entries(run.kinds).map(([kind, stack]) => {
    const [side] = stack.queries;
    const queries = byReaders && side === "target" ? [side, 0] : stack.queries;
    return [kind, { ...stack, codes: coverRows(stack, rows[kind]), queries }];
  });
  return {
    ...run,
    kinds: /** @type {Run["kinds"]} */ (Object.fromEntries(kinds)),
    tokens: { ...run.tokens, target },
    told: told ? null : run.told,
    roles: null,
    changed: false,
    cases: null,
  };
}

// Hide no rows if there is no list, and all rows if the list is empty.
function coverRows({ codes, rows, columns }, hidden) {
  if (!hidden) return codes;
  const isHidden = (row) => hidden.length === 0 || hidden.includes(row);
  return codes.map((code, i) => (isHidden(Math.floor(i / columns) % rows) ? CODE_COVERED : code));
}

/** Return the tensors of a run that are not hidden, without the rest of what the browser's own model computed.
 * @param {Tensors} traced
 * @param {Cover} cover
 * @returns {Tensors}
 */
export function coverTensors({ answer: _all, ...traced }, { tensors: hidden }) {
  const isHidden = (name) => hidden.some((beginning) => name.startsWith(beginning));
  const shown = Object.entries(traced.tensors).filter(([name]) => !isHidden(name));
  const tensors = Object.fromEntries(shown);
  return { ...traced, tensors, whole: tensors };
}
