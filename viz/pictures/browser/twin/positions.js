// Positional encodings (section 3.5 of the paper), and what two write-ups made of them: see model/positions.py.

import { rowsOfMatrix } from "./matrix.js";
import { rowOf, tensor } from "./tensor.js";

const FORMULAS = {
  sinusoidal(position, i, size) {
    const angle = position * 10000 ** (-(i - (i % 2)) / size);
    return i % 2 ? Math.cos(angle) : Math.sin(angle);
  },
  double_sine: (position, i, size) => Math.sin(position * 1000 ** ((-2 * i) / size)),
  single_frequency: (position, i) => (i % 2 ? Math.cos(position) : Math.sin(position)),
  none: () => 0,
};

/** Encodings of positions from `start` on; those that were learned end somewhere.
 * @param {import("./types").Config["positions"]} kind
 * @param {import("./types").Matrix | undefined} learned
 */
export function positions(kind, learned, start, count, size) {
  const encodings = tensor(1, count, size);
  for (let row = 0; row < count; row++) {
    const into = rowOf(encodings, row);
    const at = start + row;
    if (kind === "learned") into.set(rowsOfMatrix(learned, size, at));
    else for (let i = 0; i < size; i++) into[i] = FORMULAS[kind](at, i, size);
  }
  return encodings;
}
