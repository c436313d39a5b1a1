// The large products of a model in WebAssembly, if the browser has SIMD. The parameters are in its memory. Their
// factors are copied in, and the products are copied out.

import { KERNEL } from "./kernel_code.js";

/** @typedef {import("./types").Kernel} Kernel */

const SCRATCH = 1 << 20; // maximum number of values copied in and out at a time
const PAGE = 1 << 14; // numbers in a page of memory
const BYTES = 4; // bytes of a number

/** @type {WeakMap<ArrayBufferLike, Kernel>} by the memory that holds a model's parameters */
const kernels = new WeakMap();
/** @type {WebAssembly.Module | null | undefined} null if the browser cannot run it */
let compiled;

/** Return the kernel whose memory holds some parameters, or undefined if they are in none.
 * @param {import("./types").Matrix} parameters
 */
export const kernelOf = ({ buffer }) => kernels.get(buffer);

/** Make a kernel with room for a model's parameters, or return null if the browser lacks SIMD or memory.
 * @param {number} count the number of parameters
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
function createLinear({ linear, linear8, linear16, WIDENED }, numbers) {
  /** Return the product for a matrix, the matrix's place, and how many numbers the memory holds before the inputs. */
  const placed = (weight, columns) => {
    if (!(weight instanceof Float32Array)) {
      const { codes, scales } = weight;
      const further = [0, scales?.byteOffset]; // rows are widened at 0
      const product = scales ? linear8 : linear16;
      return { at: codes.byteOffset, taken: WIDENED.value * columns, product, further };
    }
    if (weight.buffer === numbers.buffer)
      return { at: weight.byteOffset, taken: 0, product: linear, further: [] };
    numbers.set(weight);
    return { at: 0, taken: weight.length, product: linear, further: [] };
  };
  return (x, columns, weight, bias, y) => {
    const outputs = weight.length / columns;
    const { at, taken, product, further } = placed(weight, columns);
    const added = bias?.byteOffset ?? 0;
    inParts(x.length / columns, columns + outputs, taken, (row, rows) => {
      const into = taken + rows * columns;
      numbers.set(x.subarray(row * columns, (row + rows) * columns), taken);
      product(taken * BYTES, rows, columns, at, outputs, added, into * BYTES, ...further);
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

// Run over as many rows at a time as fit, each with `each` numbers, beside the numbers that are copied already.
function inParts(rows, each, copied, run) {
  const most = Math.max(1, Math.floor((SCRATCH - copied) / each));
  for (let row = 0; row < rows; row += most) run(row, Math.min(most, rows - row));
}

function compile() {
  try {
    return new WebAssembly.Module(Uint8Array.from(atob(KERNEL), (sign) => sign.charCodeAt(0)));
  } catch {
    return null; // there is no WebAssembly, no SIMD, or a policy forbids it
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
