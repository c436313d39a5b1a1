// The geometry of vectors in double precision: see viz/subjects/embeddings/geometry.py, which computes it in numpy.

/** Vectors, one row each.
 * @typedef {{count: number, size: number, data: Float64Array}} Vectors
 */

const COMMON = 2; // directions that are removed from many vectors before they are compared
const MANY = 100;
const MOST_SWEEPS = 60; // of Jacobi's method, which needs about ten

const rowAt = ({ size, data }, at) => data.subarray(at * size, (at + 1) * size);

/** Return some rows of a matrix.
 * @param {ArrayLike<number>} matrix
 * @param {number} size numbers per row
 * @param {number[]} ids
 * @returns {Vectors}
 */
export function rowsOf(matrix, size, ids) {
  const data = new Float64Array(ids.length * size);
  for (const [at, id] of ids.entries())
    for (let i = 0; i < size; i++) data[at * size + i] = matrix[id * size + i];
  return { count: ids.length, size, data };
}

/** Subtract the mean from vectors.
 * @param {Vectors} vectors
 * @returns {Vectors}
 */
function centred({ count, size, data }) {
  const means = new Float64Array(size);
  for (let i = 0; i < data.length; i++) means[i % size] += data[i] / count;
  return { count, size, data: data.map((value, i) => value - means[i % size]) };
}

/** Subtract the mean and, if there are many vectors, their main directions of variance (Mu and Viswanath, 2018).
 * @param {Vectors} vectors
 * @returns {Vectors}
 */
export function withoutCommon(vectors) {
  const found = centred(vectors);
  if (found.count < MANY) return found;
  const { axes } = principal(found);
  for (let at = 0; at < found.count; at++) {
    const row = rowAt(found, at);
    for (const axis of axes.slice(0, COMMON)) {
      const along = dot(row, axis);
      for (let i = 0; i < row.length; i++) row[i] -= along * axis[i];
    }
  }
  return found;
}

/** Scale vectors to a length of 1; zero vectors remain zero.
 * @param {Vectors} vectors
 * @returns {Vectors}
 */
export function units(vectors) {
  const data = Float64Array.from(vectors.data);
  const scaled = { ...vectors, data };
  for (let at = 0; at < vectors.count; at++) {
    const row = rowAt(scaled, at);
    const length = Math.sqrt(dot(row, row));
    if (length > 0) for (let i = 0; i < row.length; i++) row[i] /= length;
  }
  return scaled;
}

/** Return the mean cosine between two different vectors.
 * @param {Vectors} vectors
 */
export function meanCosine(vectors) {
  const { count, size, data } = units(vectors);
  const sum = new Float64Array(size);
  for (let i = 0; i < data.length; i++) sum[i % size] += data[i];
  return (dot(sum, sum) - dot(data, data)) / (count * (count - 1));
}

/** Return the vectors at the smallest angles to one vector, the nearest first.
 * @param {Vectors} scaled vectors of length 1
 * @param {number} one
 * @param {number} count
 * @returns {{at: number, cosine: number}[]}
 */
export function neighbours(scaled, one, count) {
  const own = rowAt(scaled, one);
  const all = Array.from({ length: scaled.count }, (_, at) => ({
    at,
    cosine: dot(rowAt(scaled, at), own),
  }));
  const others = all.filter(({ at }) => at !== one);
  return others.sort((a, b) => b.cosine - a.cosine || a.at - b.at).slice(0, count);
}

/** Return the points in the plane in which vectors vary most. The largest component of each axis is positive.
 * @param {Vectors} vectors
 * @returns {[number, number][]}
 */
export function pca(vectors) {
  const found = centred(vectors);
  const [one, other] = principal(found).axes.map(signed);
  return Array.from({ length: found.count }, (_, at) => [
    dot(rowAt(found, at), one),
    dot(rowAt(found, at), other),
  ]);
}

function signed(axis) {
  const largest = axis.reduce(
    (best, value) => (Math.abs(value) > Math.abs(best) ? value : best),
    0,
  );
  return largest < 0 ? axis.map((value) => -value) : axis;
}

function dot(one, other) {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i] * other[i];
  return sum;
}

/** Return the directions in which centred vectors vary, the one of the largest variance first.
 * @param {Vectors} vectors
 */
function principal({ count, size, data }) {
  const products = Array.from({ length: size }, () => new Float64Array(size));
  for (let at = 0; at < count; at++)
    for (let i = 0; i < size; i++) {
      const factor = data[at * size + i];
      for (let j = i; j < size; j++) products[i][j] += factor * data[at * size + j];
    }
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) products[i][j] = products[j][i];
  return eigenvectors(products);
}

/** Return the eigenvectors of a symmetric matrix, sorted by eigenvalue, the largest first (Jacobi's method).
 * @param {Float64Array[]} matrix changed by this function
 */
function eigenvectors(matrix) {
  const size = matrix.length;
  const axes = matrix.map((_, i) => Float64Array.from(matrix, (__, j) => Number(i === j)));
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let isDone = true;
    for (let p = 0; p < size; p++)
      for (let q = p + 1; q < size; q++) if (rotate(matrix, axes, p, q)) isDone = false;
    if (isDone) break;
  }
  const order = [...axes.keys()].sort((a, b) => matrix[b][b] - matrix[a][a]);
  return { axes: order.map((i) => axes[i]) };
}

// Rotate two axes so that the number at which they meet becomes 0; return false if it is already negligible.
function rotate(matrix, axes, p, q) {
  const [a, b, c] = [matrix[p][p], matrix[q][q], matrix[p][q]];
  if (Math.abs(c) <= Number.EPSILON * Math.sqrt(Math.abs(a * b)) || c === 0) return false;
  const theta = (b - a) / (2 * c);
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const cosine = 1 / Math.hypot(tangent, 1);
  const sine = tangent * cosine;
  const turn = (one, other, i) => {
    const [x, y] = [one[i], other[i]];
    one[i] = cosine * x - sine * y;
    other[i] = sine * x + cosine * y;
  };
  for (let i = 0; i < matrix.length; i++) turn(matrix[p], matrix[q], i);
  for (const row of matrix) {
    const [x, y] = [row[p], row[q]];
    row[p] = cosine * x - sine * y;
    row[q] = sine * x + cosine * y;
  }
  for (let i = 0; i < matrix.length; i++) turn(axes[p], axes[q], i);
  matrix[p][q] = 0;
  matrix[q][p] = 0;
  return true;
}
