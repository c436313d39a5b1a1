// The heavy products of a model in WebAssembly, where the browser has SIMD. The parameters lie in its memory; the numbers
// that they are multiplied by are copied in, and the products out.

import { KERNEL } from "./kernel_code.js";

/** @typedef {import("./types").Kernel} Kernel */

const SCRATCH = 1 << 20; // numbers that are copied in and out at a time
const PAGE = 1 << 14; // numbers in a page of memory
const BYTES = 4; // of a number

/** @type {WeakMap<ArrayBufferLike, Kernel>} by the memory in which a model's parameters lie */
const kernels = new WeakMap();
/** @type {WebAssembly.Module | null | undefined} null where the browser cannot run it */
let compiled;

/** The kernel in whose memory some parameters lie; undefined if they lie in none.
 * @param {Float32Array} parameters
 */
export const kernelOf = ({ buffer }) => kernels.get(buffer);

/** Make a kernel with room for a model's parameters; null where the browser has no SIMD, or not so much memory.
 * @param {number} count of the parameters
 * @returns {Kernel | null}
 */
export function createKernel(count) {
  if (compiled === undefined) compiled = compile();
  const memory = compiled && memoryFor(SCRATCH + count);
  if (!memory) return null;
  const instance = new WebAssembly.Instance(compiled, { env: { memory } });
  const exports = /** @type {Record<string, any>} */ (instance.exports);
  const numbers = new Float32Array(memory.buffer);
  let next = SCRATCH;
  const kernel = {
    place(size) {
      next += size;
      return numbers.subarray(next - size, next);
    },
    fits: (size, width) => size + width <= SCRATCH,
    linear: createLinear(exports, numbers),
    mix: createMix(exports, numbers),
    exponentials: createExponentials(exports, numbers),
  };
  kernels.set(memory.buffer, kernel);
  return kernel;
}

/** @param {Record<string, any>} exports @returns {Kernel["linear"]} */
function createLinear({ linear }, numbers) {
  return (x, columns, weight, bias, y) => {
    const outputs = weight.length / columns;
    const copied = weight.buffer === numbers.buffer ? 0 : weight.length;
    if (copied) numbers.set(weight);
    const matrix = copied ? 0 : weight.byteOffset;
    inParts(x.length / columns, columns + outputs, copied, (row, rows) => {
      const into = copied + rows * columns;
      numbers.set(x.subarray(row * columns, (row + rows) * columns), copied);
      linear(copied * BYTES, rows, columns, matrix, outputs, bias?.byteOffset ?? 0, into * BYTES);
      y.set(numbers.subarray(into, into + rows * outputs), row * outputs);
    });
  };
}

/** @param {Record<string, any>} exports @returns {Kernel["mix"]} */
function createMix({ mix }, numbers) {
  return (shares, values, columns, y) => {
    const keys = values.length / columns;
    const copied = values.length;
    numbers.set(values);
    inParts(shares.length / keys, keys + columns, copied, (row, rows) => {
      const into = copied + rows * keys;
      numbers.set(shares.subarray(row * keys, (row + rows) * keys), copied);
      mix(copied * BYTES, rows, keys, 0, columns, into * BYTES);
      y.set(numbers.subarray(into, into + rows * columns), row * columns);
    });
  };
}

/** @param {Record<string, any>} exports @returns {Kernel["exponentials"]} */
function createExponentials({ exponentials }, numbers) {
  return (x, largest) => {
    let sum = 0;
    inParts(x.length, 1, 0, (at, count) => {
      numbers.set(x.subarray(at, at + count));
      sum += exponentials(0, count, largest);
    });
    return sum;
  };
}

// As many rows at a time as there is room for, each of which takes so much, beside what was copied already.
function inParts(rows, each, copied, run) {
  const most = Math.max(1, Math.floor((SCRATCH - copied) / each));
  for (let row = 0; row < rows; row += most) run(row, Math.min(most, rows - row));
}

function compile() {
  try {
    return new WebAssembly.Module(Uint8Array.from(atob(KERNEL), (sign) => sign.charCodeAt(0)));
  } catch {
    return null; // no WebAssembly, no SIMD, or a policy that forbids it
  }
}

function memoryFor(count) {
  const pages = Math.ceil(count / PAGE);
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages });
  } catch {
    return null;
  }
}
