// The products in which a model spends most of its time, with SIMD: four numbers at once (AssemblyScript).
//
// `python -m qa.kernel` builds it into viz/pictures/browser/twin/kernel_code.js. Matrices are stored row by row, in
// float32. That of a linear map may also have 8 or 16 bits for each number, which are widened as they are read.
// Addresses are bytes in the memory shared with JavaScript. A result does not depend on the rows beside it, because
// each number is summed in the same order: four running sums, one for each lane, then the remaining columns.

const LANES: usize = 16; // bytes of four numbers in float32
const NUMBER: usize = 4;
/** The number of a matrix's rows that are widened at a time. */
export const WIDENED: i32 = 4;

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

// Load four weights as float32. They are stored as T: f32, i8 for whole numbers, or u16 for the bits of a float16.
// Those bits make a float32 that is smaller by 2^112, for normal and subnormal numbers alike. Weights are finite.
// @ts-ignore: decorator
@inline
function four<T>(at: usize): v128 {
  if (isFloat<T>()) return v128.load(at);
  if (sizeof<T>() == 1)
    return f32x4.convert_i32x4_s(
      i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(at))),
    );
  const bits = i32x4.shl(v128.load16x4_s(at), 13);
  return f32x4.mul(v128.and(bits, i32x4.splat(0x8fffe000)), f32x4.splat(5.192296858534828e33));
}

// Load one weight in the same way.
// @ts-ignore: decorator
@inline
function single<T>(at: usize): f32 {
  if (isFloat<T>()) return load<f32>(at);
  if (sizeof<T>() == 1) return <f32>load<i8>(at);
  const bits = (<i32>load<i16>(at) << 13) & 0x8fffe000;
  return reinterpret<f32>(bits) * <f32>5.192296858534828e33;
}

/** Compute y = x W^T + b. x has `rows` of `columns`, W has a row for each output, and a bias of 0 means none. */
export function linear(
  x: usize,
  rows: i32,
  columns: i32,
  weight: usize,
  outputs: i32,
  bias: usize,
  y: usize,
): void {
  multiply(x, rows, columns, weight, outputs, y, outputs);
  if (bias) addToRows(y, rows, outputs, bias);
}

/** Compute the same with W in float16, some rows of which are widened at `room` at a time. */
export function linear16(
  x: usize,
  rows: i32,
  columns: i32,
  weight: usize,
  outputs: i32,
  bias: usize,
  y: usize,
  room: usize,
): void {
  multiplyWidened<u16>(x, rows, columns, weight, outputs, y, room);
  if (bias) addToRows(y, rows, outputs, bias);
}

/** Compute the same with W in 8 bits: whole numbers that are multiplied by the scale of their row. */
export function linear8(
  x: usize,
  rows: i32,
  columns: i32,
  weight: usize,
  outputs: i32,
  bias: usize,
  y: usize,
  room: usize,
  scales: usize,
): void {
  multiplyWidened<i8>(x, rows, columns, weight, outputs, y, room);
  const width = <usize>outputs * NUMBER;
  for (let row = 0; row < rows; row++) multiplyBy(y + <usize>row * width, scales, width);
  if (bias) addToRows(y, rows, outputs, bias);
}

// Multiply by a matrix in float32; a row of y has room for `all` outputs.
function multiply(
  x: usize,
  rows: i32,
  columns: i32,
  weight: usize,
  outputs: i32,
  y: usize,
  all: i32,
): void {
  const size = <usize>columns * NUMBER;
  const width = <usize>all * NUMBER;
  let row = 0;
  for (; row + 4 <= rows; row += 4)
    fourRows(x + <usize>row * size, columns, weight, outputs, y + <usize>row * width, width);
  for (; row < rows; row++)
    oneRow<f32>(x + <usize>row * size, columns, weight, outputs, y + <usize>row * width);
}

// Widen a few rows of W at a time, for four or more rows of x, so that they stay in the processor's nearest cache.
function multiplyWidened<T>(
  x: usize,
  rows: i32,
  columns: i32,
  weight: usize,
  outputs: i32,
  y: usize,
  room: usize,
): void {
  const size = <usize>columns * NUMBER;
  if (rows < 4) {
    for (let row = 0; row < rows; row++) {
      const into = y + <usize>row * <usize>outputs * NUMBER;
      oneRow<T>(x + <usize>row * size, columns, weight, outputs, into);
    }
    return;
  }
  for (let out = 0; out < outputs; out += WIDENED) {
    const some = min(WIDENED, outputs - out);
    const from = weight + <usize>out * <usize>columns * sizeof<T>();
    widen<T>(from, <usize>some * <usize>columns, room);
    multiply(x, rows, columns, room, some, y + <usize>out * NUMBER, outputs);
  }
}

function widen<T>(from: usize, count: usize, into: usize): void {
  const full = count & ~3;
  let i: usize = 0;
  for (; i < full; i += 4) v128.store(into + i * NUMBER, four<T>(from + i * sizeof<T>()));
  for (; i < count; i++) store<f32>(into + i * NUMBER, single<T>(from + i * sizeof<T>()));
}

// Add to a sum the columns that do not fill four lanes.
// @ts-ignore: decorator
@inline
function rest<T>(sum: f32, x: usize, w: usize, from: usize, columns: usize): f32 {
  for (let i = from; i < columns; i++)
    sum += load<f32>(x + i * NUMBER) * single<T>(w + i * sizeof<T>());
  return sum;
}

// Compute four rows and two outputs at a time, so that each weight is loaded once for the four.
function fourRows(
  x: usize,
  columns: usize,
  weight: usize,
  outputs: i32,
  y: usize,
  width: usize,
): void {
  const size = columns * NUMBER;
  const full = size & ~(LANES - 1); // bytes
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
    store<f32>(at, rest<f32>(summed(pw), p, w, full / NUMBER, columns));
    store<f32>(at + NUMBER, rest<f32>(summed(pv), p, v, full / NUMBER, columns));
    store<f32>(at + width, rest<f32>(summed(qw), q, w, full / NUMBER, columns));
    store<f32>(at + width + NUMBER, rest<f32>(summed(qv), q, v, full / NUMBER, columns));
    store<f32>(at + 2 * width, rest<f32>(summed(rw), r, w, full / NUMBER, columns));
    store<f32>(at + 2 * width + NUMBER, rest<f32>(summed(rv), r, v, full / NUMBER, columns));
    store<f32>(at + 3 * width, rest<f32>(summed(sw), s, w, full / NUMBER, columns));
    store<f32>(at + 3 * width + NUMBER, rest<f32>(summed(sv), s, v, full / NUMBER, columns));
  }
  if (out < outputs) {
    const w = weight + <usize>out * size;
    const at = y + <usize>out * NUMBER;
    store<f32>(at, product<f32>(p, w, columns));
    store<f32>(at + width, product<f32>(q, w, columns));
    store<f32>(at + 2 * width, product<f32>(r, w, columns));
    store<f32>(at + 3 * width, product<f32>(s, w, columns));
  }
}

// Compute one row and four outputs at a time, so that none of the four sums waits for another.
function oneRow<T>(x: usize, columns: usize, weight: usize, outputs: i32, y: usize): void {
  const full = columns & ~3;
  const size = columns * sizeof<T>();
  let out = 0;
  for (; out + 4 <= outputs; out += 4) {
    const a = weight + <usize>out * size;
    const b = a + size;
    const c = b + size;
    const d = c + size;
    let one = f32x4.splat(0);
    let two = one, three = one, last = one;
    for (let i: usize = 0; i < full; i += 4) {
      const given = v128.load(x + i * NUMBER);
      const from = i * sizeof<T>();
      one = step(one, given, four<T>(a + from));
      two = step(two, given, four<T>(b + from));
      three = step(three, given, four<T>(c + from));
      last = step(last, given, four<T>(d + from));
    }
    const at = y + <usize>out * NUMBER;
    store<f32>(at, rest<T>(summed(one), x, a, full, columns));
    store<f32>(at + NUMBER, rest<T>(summed(two), x, b, full, columns));
    store<f32>(at + 2 * NUMBER, rest<T>(summed(three), x, c, full, columns));
    store<f32>(at + 3 * NUMBER, rest<T>(summed(last), x, d, full, columns));
  }
  for (; out < outputs; out++)
    store<f32>(y + <usize>out * NUMBER, product<T>(x, weight + <usize>out * size, columns));
}

function product<T>(x: usize, w: usize, columns: usize): f32 {
  const full = columns & ~3;
  let sum = f32x4.splat(0);
  for (let i: usize = 0; i < full; i += 4)
    sum = step(sum, v128.load(x + i * NUMBER), four<T>(w + i * sizeof<T>()));
  return rest<T>(summed(sum), x, w, full, columns);
}

function multiplyBy(y: usize, scales: usize, width: usize): void {
  const full = width & ~(LANES - 1);
  let i: usize = 0;
  for (; i < full; i += LANES) v128.store(y + i, f32x4.mul(v128.load(y + i), v128.load(scales + i)));
  for (; i < width; i += NUMBER) store<f32>(y + i, load<f32>(y + i) * load<f32>(scales + i));
}

function addToRows(y: usize, rows: i32, outputs: i32, bias: usize): void {
  const width = <usize>outputs * NUMBER;
  for (let row = 0; row < rows; row++) addTo(y + <usize>row * width, bias, width);
}

function addTo(y: usize, bias: usize, width: usize): void {
  const full = width & ~(LANES - 1);
  let i: usize = 0;
  for (; i < full; i += LANES) v128.store(y + i, f32x4.add(v128.load(y + i), v128.load(bias + i)));
  for (; i < width; i += NUMBER) store<f32>(y + i, load<f32>(y + i) + load<f32>(bias + i));
}

/** Compute y = shares · values: each of `rows` has a share for each of `keys`, whose values have `columns`. */
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

/** Compute the sum of exp(x - largest), in float64, over `count` numbers, none larger than `largest`. */
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

// Compute e^x of four numbers up to 0 as 2^n · e^r, |r| <= ln 2 / 2, with e^r as a series up to r^7 (error < 2^-27).
// @ts-ignore: decorator
@inline
function exp(x: v128): v128 {
  const n = f32x4.nearest(f32x4.mul(f32x4.max(x, f32x4.splat(-87)), f32x4.splat(1.44269504)));
  // ln 2 is split in two parts, so that n times the first is exact.
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
  return v128.and(f32x4.mul(e, power), f32x4.ge(x, f32x4.splat(-87))); // everything below e^-87 becomes 0
}
