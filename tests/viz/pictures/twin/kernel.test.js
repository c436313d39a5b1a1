// The kernel, compared with sums in float64 and with the model's products in JavaScript.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKernel } from "../../../../viz/pictures/browser/twin/kernel.js";
import { packed, rowsOfMatrix } from "../../../../viz/pictures/browser/twin/matrix.js";
import { linear, tensor } from "../../../../viz/pictures/browser/twin/tensor.js";

const HALF = 2 ** -24; // half the last place of a float32: the relative error of one rounding
const LARGE = 1 << 20; // more numbers than the kernel copies at a time

let seed = 1;
const random = () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed / 2 ** 31 - 1) * 2;
};
const randoms = (size) => Float32Array.from({ length: size }, random);

/** @param {Float32Array} values */
function placed(kernel, values) {
  const room = kernel.place(values.length);
  room.set(values);
  return room;
}

// Check a sum: it has as many roundings as terms, and each error is relative to at most the sum of their magnitudes.
function isSum(found, terms) {
  const exact = terms.reduce((sum, term) => sum + term, 0);
  const sizes = terms.reduce((sum, term) => sum + Math.abs(term), 0);
  const room = 2 * (terms.length + 1) * HALF * sizes;
  assert.ok(Math.abs(found - exact) <= room, `${found} is not ${exact} within ${room}`);
}

const SHAPES = [
  [1, 64, 7],
  [1, 3, 1],
  [4, 16, 16],
  [5, 6, 9],
  [11, 64, 256],
  [7, 1, 2],
  [2, 130, 33],
];

for (const [rows, columns, outputs] of SHAPES)
  test(`a linear map of ${rows} x ${columns} to ${outputs}`, () => {
    const kernel = createKernel((columns + 1) * outputs);
    const [x, w, b] = [randoms(rows * columns), randoms(columns * outputs), randoms(outputs)];
    const y = new Float32Array(rows * outputs);
    kernel.linear(x, columns, placed(kernel, w), placed(kernel, b), y);
    for (let row = 0; row < rows; row++)
      for (let out = 0; out < outputs; out++) {
        const products = Array.from(
          { length: columns },
          (_, i) => x[row * columns + i] * w[out * columns + i],
        );
        isSum(y[row * outputs + out], [...products, b[out]]);
      }
  });

test("a row has the same result alone and among others", () => {
  const [rows, columns, outputs] = [7, 37, 11];
  const kernel = createKernel(columns * outputs);
  const [x, w] = [randoms(rows * columns), placed(kernel, randoms(columns * outputs))];
  const together = new Float32Array(rows * outputs);
  kernel.linear(x, columns, w, undefined, together);
  for (let row = 0; row < rows; row++) {
    const alone = new Float32Array(outputs);
    kernel.linear(x.subarray(row * columns, (row + 1) * columns), columns, w, undefined, alone);
    assert.deepEqual(alone, together.slice(row * outputs, (row + 1) * outputs));
  }
});

test("a product too large for the kernel's buffer is computed in parts", () => {
  const [rows, columns, outputs] = [9, 4, LARGE / 4];
  const kernel = createKernel(columns * outputs);
  const [x, w] = [randoms(rows * columns), randoms(columns * outputs)];
  const y = new Float32Array(rows * outputs);
  kernel.linear(x, columns, placed(kernel, w), undefined, y);
  for (const [row, out] of [
    [0, 0],
    [4, 1234],
    [8, outputs - 1],
  ]) {
    const at = [row * columns, out * columns];
    const products = Array.from({ length: columns }, (_, i) => x[at[0] + i] * w[at[1] + i]);
    isSum(y[row * outputs + out], products);
  }
});

test("a matrix copied into the kernel gives the same as one already in its memory", () => {
  const kernel = createKernel(12);
  const [x, w] = [randoms(8), randoms(12)];
  const [one, other] = [new Float32Array(6), new Float32Array(6)];
  kernel.linear(x, 4, placed(kernel, w), undefined, one);
  kernel.linear(x, 4, w, undefined, other);
  assert.deepEqual(one, other);
  assert.ok(kernel.fits(12, 7));
  assert.ok(!kernel.fits(LARGE, 1));
});

for (const [rows, keys, columns] of [
  [1, 1, 1],
  [5, 11, 16],
  [3, 40, 6],
])
  test(`a mix of ${keys} values with ${columns} columns`, () => {
    const kernel = createKernel(0);
    const [shares, values] = [randoms(rows * keys), randoms(keys * columns)];
    const y = new Float32Array(rows * columns);
    kernel.mix(shares, values, columns, y);
    for (let row = 0; row < rows; row++)
      for (let i = 0; i < columns; i++) {
        const terms = Array.from(
          { length: keys },
          (_, key) => shares[row * keys + key] * values[key * columns + i],
        );
        isSum(y[row * columns + i], terms);
      }
  });

test("exponentials equal those of Math.exp, however small", () => {
  const kernel = createKernel(0);
  for (const size of [1, 3, 4, 1001, LARGE + 5]) {
    const x = Float32Array.from({ length: size }, () => 30 * random());
    const largest = x.reduce((most, value) => Math.max(most, value), -Infinity);
    const exact = x.reduce((sum, value) => sum + Math.exp(value - largest), 0);
    // Each has a few roundings: in the difference, the series and its factors.
    assert.ok(Math.abs(kernel.exponentials(x, largest) / exact - 1) < 64 * HALF);
  }
  const far = Float32Array.of(0, -86, -87.5, -200, -Infinity);
  assert.ok(Math.abs(kernel.exponentials(far, 0) - 1 - Math.exp(-86)) < HALF);
});

test("the model's products use the kernel if its memory contains the parameters", () => {
  const kernel = createKernel(24);
  const x = tensor(1, 5, 4, randoms(20));
  const [weight, bias] = [randoms(16), randoms(4)];
  const own = linear(x, { weight, bias });
  const fast = linear(x, { weight: placed(kernel, weight), bias: placed(kernel, bias) });
  for (const [i, value] of own.data.entries())
    assert.ok(Math.abs(fast.data[i] - value) < 32 * HALF * 16);
});

// Integers of one byte, and float16 numbers from the whole range, including subnormal ones.
const wholes = (size) => Int8Array.from({ length: size }, () => Math.round(127 * random()));
const halves = (size) =>
  Uint16Array.from({ length: size }, (_, i) => {
    const exponent = [0, 1, 7, 14, 15, 16][i % 6];
    const fraction = Math.floor(512 * (random() + 1)) & 1023;
    return ((random() < 0 ? 1 : 0) << 15) | (exponent << 10) | fraction;
  });
const PACKED = {
  "8 bits": (columns, outputs) => packed(wholes(columns * outputs), randoms(outputs)),
  float16: (columns, outputs) => packed(halves(columns * outputs)),
};

// Copy a matrix into the memory of a kernel.
function placedMatrix(kernel, { codes, scales }) {
  const { buffer, byteOffset } = kernel.place(Math.ceil(codes.byteLength / 4));
  const room = new codes.constructor(buffer, byteOffset, codes.length);
  room.set(codes);
  return packed(room, scales && placed(kernel, scales));
}

for (const [name, made] of Object.entries(PACKED))
  for (const [rows, columns, outputs] of SHAPES) {
    test(`a linear map of ${rows} x ${columns} to ${outputs} by a matrix in ${name}`, () => {
      const kernel = createKernel((columns + 2) * outputs);
      const matrix = made(columns, outputs);
      const [x, b] = [randoms(rows * columns), randoms(outputs)];
      const y = new Float32Array(rows * outputs);
      kernel.linear(x, columns, placedMatrix(kernel, matrix), placed(kernel, b), y);
      const own = linear(tensor(1, rows, columns, x), { weight: matrix, bias: b });
      for (let row = 0; row < rows; row++)
        for (let out = 0; out < outputs; out++) {
          const weights = rowsOfMatrix(matrix, columns, out);
          const products = [...weights].map((weight, i) => x[row * columns + i] * weight);
          // One more term per weight, because only one of the two ways rounds its product with the scale.
          for (const of of [y, own.data])
            isSum(of[row * outputs + out], [...products, b[out], ...products.map(() => 0)]);
        }
    });

    test(`a row of ${columns} in ${name} has the same result alone and among ${rows}`, () => {
      const kernel = createKernel((columns + 2) * outputs);
      const matrix = placedMatrix(kernel, made(columns, outputs));
      const x = randoms(rows * columns);
      const together = new Float32Array(rows * outputs);
      kernel.linear(x, columns, matrix, undefined, together);
      for (let row = 0; row < rows; row++) {
        const alone = new Float32Array(outputs);
        kernel.linear(
          x.subarray(row * columns, (row + 1) * columns),
          columns,
          matrix,
          undefined,
          alone,
        );
        assert.deepEqual(alone, together.slice(row * outputs, (row + 1) * outputs));
      }
    });
  }

test("every float16 number is widened exactly, alone and in a group of four", () => {
  const finite = Uint16Array.from({ length: 1 << 16 }, (_, bits) => bits).filter(
    (bits) => ((bits >> 10) & 31) !== 31,
  );
  // Computed from the sign, the exponent and the fraction of each.
  const exact = Float32Array.from(finite, (bits) => {
    const [exponent, fraction] = [(bits >> 10) & 31, (bits & 1023) / 1024];
    const size = exponent ? (1 + fraction) * 2 ** (exponent - 15) : fraction * 2 ** -14;
    return bits >> 15 ? -size : size;
  });
  const kernel = createKernel(finite.length);
  const matrix = placedMatrix(kernel, packed(finite));
  const rows = rowsOfMatrix(matrix, 8, 0, finite.length / 8);
  assert.deepEqual(rows, exact);
  for (const [columns, x] of [
    [1, [1]],
    [4, [1, 0, 0, 0]],
    [8, [0, 0, 0, 0, 0, 1, 0, 0]],
  ]) {
    const y = new Float32Array(finite.length / columns);
    const at = x.indexOf(1);
    for (const count of [1, 4]) {
      const given = Float32Array.from({ length: count * columns }, (_, i) => x[i % columns]);
      const into = new Float32Array(count * y.length);
      kernel.linear(given, columns, matrix, undefined, into);
      for (let i = 0; i < into.length; i++)
        assert.ok(into[i] === exact[(i % y.length) * columns + at]); // -0 may become 0
    }
  }
});

test("rows of an integer matrix are widened and multiplied by their scales", () => {
  const matrix = packed(Int8Array.of(1, -2, 3, 127, -127, 0), Float32Array.of(0.5, -2));
  assert.deepEqual(rowsOfMatrix(matrix, 3, 1), Float32Array.of(-254, 254, -0));
  assert.deepEqual(rowsOfMatrix(matrix, 3, 0, 2), Float32Array.of(0.5, -1, 1.5, -254, 254, -0));
  const wide = Float32Array.of(1, 2, 3, 4);
  assert.equal(rowsOfMatrix(wide, 2, 1).buffer, wide.buffer);
});
