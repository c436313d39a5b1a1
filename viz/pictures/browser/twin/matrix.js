// The matrices of a model, in float32 or as sent: in 8 bits with a scale for each row, or in float16.

/** @typedef {import("./types").Matrix} Matrix */

/** Return some rows of a matrix in float32, for reading only.
 * @param {Matrix} matrix
 * @param {number} width the width of a row
 * @param {number} from the first of the rows
 * @param {number} count
 * @returns {Float32Array<any>}
 */
export function rowsOfMatrix(matrix, width, from, count = 1) {
  const [start, end] = [from * width, (from + count) * width];
  if (matrix instanceof Float32Array) return matrix.subarray(start, end);
  const { codes, scales } = matrix;
  if (!scales) return Float32Array.from(codes.subarray(start, end), half);
  const rows = new Float32Array(end - start);
  for (let row = 0, at = 0; row < count; row++)
    for (let i = 0; i < width; i++, at++) rows[at] = codes[start + at] * scales[from + row];
  return rows;
}

/** Wrap a matrix in 8 bits, or in float16 without scales, with the length and buffer of an array of its numbers.
 * @param {Int8Array | Uint16Array} codes
 * @param {Float32Array} [scales] the scales of the rows of whole numbers
 * @returns {import("./types").Packed}
 */
export const packed = (codes, scales) => ({
  codes,
  scales,
  length: codes.length,
  buffer: codes.buffer,
});

/** Convert the sixteen bits of a float16 to a number (IEEE 754).
 * @param {number} bits
 */
export function half(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits >> 15 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
