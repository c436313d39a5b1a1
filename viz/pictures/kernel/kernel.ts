// The products in which a model spends its time, with SIMD: four numbers at once (AssemblyScript).
//
// `python -m qa.kernel` builds it into viz/pictures/browser/twin/kernel_code.js. Matrices are row after row, in float32.
// Addresses are bytes in the memory that JavaScript shares with it. A result is the same whatever rows are beside it,
// because each number is summed in the same order: four running sums, one for each lane, then the columns that are left.

const LANES: usize = 16; // bytes of four numbers
const NUMBER: usize = 4;

// @ts-ignore: decorator
@inline
function summed(lanes: v128): f32 {
  return (
    f32x4.extract_lane(lanes, 0) +
    f32x4.extract_lane(lanes, 1) +
    (f32x4.extract_lane(lanes, 2) + f32x4.extract_lane(lanes, 3))
  );
}

// @ts-ignore: decorator
@inline
function step(sum: v128, a: v128, b: v128): v128 {
  return f32x4.add(sum, f32x4.mul(a, b));
}

// What the columns that fill no four lanes add to a sum.
// @ts-ignore: decorator
@inline
function rest(sum: f32, x: usize, w: usize, from: usize, size: usize): f32 {
  for (let i = from; i < size; i += NUMBER) sum += load<f32>(x + i) * load<f32>(w + i);
  return sum;
}

/** y = x W^T + b: x has `rows` of `columns`, W has a row for each output; a bias at 0 is none. */
export function linear(
  x: usize,
  rows: i32,
  columns: i32,
  weight: usize,
  outputs: i32,
  bias: usize,
  y: usize,
): void {
  const size = <usize>columns * NUMBER;
  const width = <usize>outputs * NUMBER;
  let row = 0;
  for (; row + 4 <= rows; row += 4) {
    const at = x + <usize>row * size;
    const into = y + <usize>row * width;
    fourRows(at, size, weight, outputs, into, width);
  }
  for (; row < rows; row++)
    oneRow(x + <usize>row * size, size, weight, outputs, y + <usize>row * width);
  if (bias) for (row = 0; row < rows; row++) addTo(y + <usize>row * width, bias, width);
}

// Four rows and two outputs at a time: each weight is loaded once for the four.
function fourRows(
  x: usize,
  size: usize,
  weight: usize,
  outputs: i32,
  y: usize,
  width: usize,
): void {
  const full = size & ~(LANES - 1);
  const zero = f32x4.splat(0);
  const p = x;
  const q = p + size;
  const r = q + size;
  const s = r + size;
  let out = 0;
  for (; out + 2 <= outputs; out += 2) {
    const w = weight + <usize>out * size;
    const v = w + size;
    let pw = zero, qw = zero, rw = zero, sw = zero;
    let pv = zero, qv = zero, rv = zero, sv = zero;
    for (let i: usize = 0; i < full; i += LANES) {
      const one = v128.load(w + i);
      const other = v128.load(v + i);
      let given = v128.load(p + i);
      pw = step(pw, given, one);
      pv = step(pv, given, other);
      given = v128.load(q + i);
      qw = step(qw, given, one);
      qv = step(qv, given, other);
      given = v128.load(r + i);
      rw = step(rw, given, one);
      rv = step(rv, given, other);
      given = v128.load(s + i);
      sw = step(sw, given, one);
      sv = step(sv, given, other);
    }
    const at = y + <usize>out * NUMBER;
    store<f32>(at, rest(summed(pw), p, w, full, size));
    store<f32>(at + NUMBER, rest(summed(pv), p, v, full, size));
    store<f32>(at + width, rest(summed(qw), q, w, full, size));
    store<f32>(at + width + NUMBER, rest(summed(qv), q, v, full, size));
    store<f32>(at + 2 * width, rest(summed(rw), r, w, full, size));
    store<f32>(at + 2 * width + NUMBER, rest(summed(rv), r, v, full, size));
    store<f32>(at + 3 * width, rest(summed(sw), s, w, full, size));
    store<f32>(at + 3 * width + NUMBER, rest(summed(sv), s, v, full, size));
  }
  if (out < outputs) {
    const w = weight + <usize>out * size;
    const at = y + <usize>out * NUMBER;
    store<f32>(at, product(p, w, full, size));
    store<f32>(at + width, product(q, w, full, size));
    store<f32>(at + 2 * width, product(r, w, full, size));
    store<f32>(at + 3 * width, product(s, w, full, size));
  }
}

// One row and four outputs at a time: none of the four sums waits for another.
function oneRow(x: usize, size: usize, weight: usize, outputs: i32, y: usize): void {
  const full = size & ~(LANES - 1);
  let out = 0;
  for (; out + 4 <= outputs; out += 4) {
    const a = weight + <usize>out * size;
    const b = a + size;
    const c = b + size;
    const d = c + size;
    let one = f32x4.splat(0);
    let two = one, three = one, four = one;
    for (let i: usize = 0; i < full; i += LANES) {
      const given = v128.load(x + i);
      one = step(one, given, v128.load(a + i));
      two = step(two, given, v128.load(b + i));
      three = step(three, given, v128.load(c + i));
      four = step(four, given, v128.load(d + i));
    }
    const at = y + <usize>out * NUMBER;
    store<f32>(at, rest(summed(one), x, a, full, size));
    store<f32>(at + NUMBER, rest(summed(two), x, b, full, size));
    store<f32>(at + 2 * NUMBER, rest(summed(three), x, c, full, size));
    store<f32>(at + 3 * NUMBER, rest(summed(four), x, d, full, size));
  }
  for (; out < outputs; out++)
    store<f32>(y + <usize>out * NUMBER, product(x, weight + <usize>out * size, full, size));
}

function product(x: usize, w: usize, full: usize, size: usize): f32 {
  let sum = f32x4.splat(0);
  for (let i: usize = 0; i < full; i += LANES)
    sum = step(sum, v128.load(x + i), v128.load(w + i));
  return rest(summed(sum), x, w, full, size);
}

function addTo(y: usize, bias: usize, width: usize): void {
  const full = width & ~(LANES - 1);
  let i: usize = 0;
  for (; i < full; i += LANES) v128.store(y + i, f32x4.add(v128.load(y + i), v128.load(bias + i)));
  for (; i < width; i += NUMBER) store<f32>(y + i, load<f32>(y + i) + load<f32>(bias + i));
}

/** y = shares · values: each of `rows` has a share for each of `keys`, whose values have `columns`. */
export function mix(
  shares: usize,
  rows: i32,
  keys: i32,
  values: usize,
  columns: i32,
  y: usize,
): void {
  const size = <usize>columns * NUMBER;
  const full = size & ~(LANES - 1);
  for (let row = 0; row < rows; row++) {
    const given = shares + <usize>row * <usize>keys * NUMBER;
    const into = y + <usize>row * size;
    for (let i: usize = 0; i < full; i += LANES) {
      let sum = f32x4.splat(0);
      for (let key = 0; key < keys; key++) {
        const share = f32x4.splat(load<f32>(given + <usize>key * NUMBER));
        sum = step(sum, share, v128.load(values + <usize>key * size + i));
      }
      v128.store(into + i, sum);
    }
    for (let i = full; i < size; i += NUMBER) {
      let sum: f32 = 0;
      for (let key = 0; key < keys; key++)
        sum += load<f32>(given + <usize>key * NUMBER) * load<f32>(values + <usize>key * size + i);
      store<f32>(into + i, sum);
    }
  }
}

/** The sum of exp(x - largest), in float64, over `count` numbers none of which is larger than `largest`. */
export function exponentials(x: usize, count: i32, largest: f32): f64 {
  const size = <usize>count * NUMBER;
  const full = size & ~(LANES - 1);
  const most = f32x4.splat(largest);
  let sums = f64x2.splat(0);
  for (let i: usize = 0; i < full; i += LANES) {
    const e = exp(f32x4.sub(v128.load(x + i), most));
    sums = f64x2.add(sums, f64x2.promote_low_f32x4(e));
    sums = f64x2.add(sums, f64x2.promote_low_f32x4(i64x2.shuffle(e, e, 1, 0)));
  }
  let sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  for (let i = full; i < size; i += NUMBER) {
    const e = exp(f32x4.splat(load<f32>(x + i) - largest));
    sum += <f64>f32x4.extract_lane(e, 0);
  }
  return sum;
}

// e^x of four numbers up to 0, as 2^n · e^r with |r| <= ln 2 / 2; e^r by its series to r^7, whose rest is below 2^-27.
// @ts-ignore: decorator
@inline
function exp(x: v128): v128 {
  const n = f32x4.nearest(f32x4.mul(f32x4.max(x, f32x4.splat(-87)), f32x4.splat(1.44269504)));
  // ln 2 in two parts: n times the first is exact.
  let r = f32x4.sub(f32x4.max(x, f32x4.splat(-87)), f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.12194440e-4)));
  let e = f32x4.splat(1.0 / 5040);
  e = f32x4.add(f32x4.mul(e, r), f32x4.splat(1.0 / 720));
  e = f32x4.add(f32x4.mul(e, r), f32x4.splat(1.0 / 120));
  e = f32x4.add(f32x4.mul(e, r), f32x4.splat(1.0 / 24));
  e = f32x4.add(f32x4.mul(e, r), f32x4.splat(1.0 / 6));
  e = f32x4.add(f32x4.mul(e, r), f32x4.splat(0.5));
  e = f32x4.add(f32x4.mul(e, r), f32x4.splat(1));
  e = f32x4.add(f32x4.mul(e, r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return v128.and(f32x4.mul(e, power), f32x4.ge(x, f32x4.splat(-87))); // below e^-87 nothing is left
}
