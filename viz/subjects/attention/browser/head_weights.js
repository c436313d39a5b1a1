// The weights of the head in view, and what is said of one of them.

import { numberText } from "../../../pictures/browser/numbers.js";
import { wholeHead } from "../../../pictures/browser/run.js";
import { CODE_ONE, combinedCodes, weightWords } from "../../../pictures/browser/weights.js";

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
