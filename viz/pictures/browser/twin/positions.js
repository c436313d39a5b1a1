// Positional encodings (section 3.5 of the paper), and what two write-ups made of them: see model/positions.py.

import { rowOf, tensor } from "./tensor.js";

/** @typedef {import("./types").Config["positions"]} Positions */

/** @type {Partial<Record<Positions, (i: number, size: number) => number>>} */
const RATES = {
  sinusoidal: (i, size) => 10000 ** (-(i - (i % 2)) / size),
  double_sine: (i, size) => 1000 ** ((-2 * i) / size),
  single_frequency: () => 1,
};

/** Radians by which a dimension's wave goes on from one position to the next; null of what has no wave.
 * @param {Positions} kind
 * @param {number} i the dimension
 * @param {number} size how many dimensions there are
 */
export const rateOf = (kind, i, size) => RATES[kind]?.(i, size) ?? null;

/** A formula at any place, also between two positions.
 * @param {Positions} kind one that has a wave
 * @param {number} position
 * @param {number} i the dimension
 * @param {number} size how many dimensions there are
 */
export function waveAt(kind, position, i, size) {
  const angle = position * RATES[kind](i, size);
  return kind !== "double_sine" && i % 2 ? Math.cos(angle) : Math.sin(angle);
}

/** Encodings of positions from `start` on; those that were learned end somewhere.
 * @param {Positions} kind
 * @param {Float32Array | undefined} learned
 */
export function positions(kind, learned, start, count, size) {
  const encodings = tensor(1, count, size);
  for (let row = 0; row < count; row++) {
    const into = rowOf(encodings, row);
    const at = start + row;
    if (kind === "learned") into.set(learned.subarray(at * size, (at + 1) * size));
    else if (kind !== "none") for (let i = 0; i < size; i++) into[i] = waveAt(kind, at, i, size);
  }
  return encodings;
}
