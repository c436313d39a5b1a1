// Tensors with three axes (heads, rows, columns), and the few operations on them that the model needs.

import { kernelOf } from "./kernel.js";
import { rowsOfMatrix } from "./matrix.js";

/** @typedef {import("./types").Tensor} Tensor */

const WIDENED = 64; // rows of a packed matrix that are converted to float32 at a time

/** @returns {Tensor} */
export function tensor(heads, rows, columns, data = new Float32Array(heads * rows * columns)) {
  return { heads, rows, columns, data };
}

/** Return the numbers of one row, for reading and writing.
 * @param {Tensor} value
 * @param {number} row
 */
export function rowOf({ rows, columns, data }, row, head = 0) {
  const start = (head * rows + row) * columns;
  return data.subarray(start, start + columns);
}

/** Return the numbers of one head, for reading and writing.
 * @param {Tensor} value
 * @param {number} head
 */
export const headNumbers = ({ rows, columns, data }, head) =>
  data.subarray(head * rows * columns, (head + 1) * rows * columns);

/** @param {Tensor} value */
export const copyOf = (value) => ({ ...value, data: value.data.slice() });

/** Add two tensors of the same shape.
 * @param {Tensor} one
 * @param {Tensor} other
 */
export function add(one, other) {
  const sum = copyOf(one);
  for (let i = 0; i < sum.data.length; i++) sum.data[i] += other.data[i];
  return sum;
}

/** Apply a linear map to each row: x W^T + b, as in PyTorch; W has one row for each output.
 * @param {Tensor} x
 * @param {import("./types").Module} module
 */
export function linear(x, { weight, bias }) {
  const outputs = weight.length / x.columns;
  const y = tensor(1, x.rows, outputs);
  const kernel = kernelOf(weight);
  if (kernel) {
    kernel.linear(x.data, x.columns, weight, bias, y.data);
    return y;
  }
  if (weight instanceof Float32Array) multiply(weight, x, y);
  else multiplyPacked(weight, x, y);
  if (bias)
    for (let row = 0; row < x.rows; row++) {
      const into = rowOf(y, row);
      for (let out = 0; out < outputs; out++) into[out] += bias[out];
    }
  return y;
}

function multiply(matrix, x, y) {
  if (x.rows === 1) multiplyRow(matrix, x.data, y.data);
  else for (let row = 0; row < x.rows; row += 4) multiplyRows(matrix, x, y, row);
}

// Convert some rows of the matrix at a time to float32.
function multiplyPacked(matrix, x, y) {
  for (let out = 0; out < y.columns; out += WIDENED) {
    const part = tensor(1, x.rows, Math.min(WIDENED, y.columns - out));
    multiply(rowsOfMatrix(matrix, x.columns, out, part.columns), x, part);
    for (let row = 0; row < x.rows; row++) rowOf(y, row).set(rowOf(part, row), out);
  }
}

// Multiply a matrix by a vector, with four independent sums at a time, which is three times as fast.
function multiplyRow(matrix, vector, into) {
  const size = vector.length;
  const last = into.length - 1;
  for (let out = 0; out <= last; out += 4) {
    const a = out * size;
    const b = Math.min(out + 1, last) * size;
    const c = Math.min(out + 2, last) * size;
    const d = Math.min(out + 3, last) * size;
    let [one, two, three, four] = [0, 0, 0, 0];
    for (let i = 0; i < size; i++) {
      const factor = vector[i];
      one += matrix[a + i] * factor;
      two += matrix[b + i] * factor;
      three += matrix[c + i] * factor;
      four += matrix[d + i] * factor;
    }
    into[out] = one;
    if (out < last) into[out + 1] = two;
    if (out + 1 < last) into[out + 2] = three;
    if (out + 2 < last) into[out + 3] = four;
  }
}

// Multiply a matrix by four rows at once. Each weight is read once for all four, which is twice as fast as row by row.
function multiplyRows(matrix, x, y, first) {
  const size = x.columns;
  const last = x.rows - 1;
  const rows = [
    first,
    Math.min(first + 1, last),
    Math.min(first + 2, last),
    Math.min(first + 3, last),
  ];
  const [p, q, r, s] = rows.map((row) => rowOf(x, row));
  const [intoP, intoQ, intoR, intoS] = rows.map((row) => rowOf(y, row));
  for (let out = 0; out < y.columns; out++) {
    const at = out * size;
    let [one, two, three, four] = [0, 0, 0, 0];
    for (let i = 0; i < size; i++) {
      const weight = matrix[at + i];
      one += weight * p[i];
      two += weight * q[i];
      three += weight * r[i];
      four += weight * s[i];
    }
    intoP[out] = one;
    intoQ[out] = two;
    intoR[out] = three;
    intoS[out] = four;
  }
}

/** Split the columns into heads.
 * @param {Tensor} x
 * @param {number} heads
 */
export function splitHeads(x, heads) {
  const size = x.columns / heads;
  const split = tensor(heads, x.rows, size);
  for (let head = 0, at = 0; head < heads; head++)
    for (let row = 0; row < x.rows; row++) {
      const from = row * x.columns + head * size;
      for (let i = 0; i < size; i++) split.data[at++] = x.data[from + i];
    }
  return split;
}

/** Put the heads side by side.
 * @param {Tensor} x
 */
export function joinHeads(x) {
  const joined = tensor(1, x.rows, x.heads * x.columns);
  for (let head = 0, at = 0; head < x.heads; head++)
    for (let row = 0; row < x.rows; row++) {
      const into = row * joined.columns + head * x.columns;
      for (let i = 0; i < x.columns; i++) joined.data[into + i] = x.data[at++];
    }
  return joined;
}

/** Stack parts along their rows; shorter rows are padded with zeros.
 * @param {Tensor[]} parts
 */
export function stack(parts) {
  const columns = Math.max(...parts.map((part) => part.columns));
  const rows = parts.reduce((count, part) => count + part.rows, 0);
  const all = tensor(parts[0].heads, rows, columns);
  let at = 0;
  for (const part of parts) {
    for (let head = 0; head < all.heads; head++)
      for (let row = 0; row < part.rows; row++)
        rowOf(all, at + row, head).set(rowOf(part, row, head));
    at += part.rows;
  }
  return all;
}
