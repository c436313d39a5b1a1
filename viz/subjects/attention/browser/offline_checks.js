// Each step of a cell's arithmetic computed a second time from what the run captured: cell/recompute.py in JavaScript.

const SMALLEST = 2 ** -126; // below it float32 has no full precision

/** Steps that start from states which the page does not hold. */
export const UNCHECKED = ["query", "key", "value"];

/** How far each step is from float64, in the order of the arithmetic.
 * @param {import("./wire").WireAttention} attention
 * @param {import("./offline_cell.js").Captured} captured
 * @param {{ masked: Float32Array, row: any, contributions: number[][], fill: number }} made
 * @param {{ head: number, key: number }} place
 */
export function checkLines(
  attention,
  captured,
  { masked, row, contributions, fill },
  { head, key },
) {
  const { q, keys, values, scores, weights, allowed, added, mixes, output, bias, columns } =
    captured;
  const products = Array.from(q, (value, i) => value * keys[key][i]);
  const scaled = products.map((value) => value * attention.scale);
  const terms = added ? [...scaled, added[key]] : scaled;
  const cap = attention.softcap;
  const bent = cap === null ? total(scaled) : cap * Math.tanh(total(scaled) / cap);
  const score = apart(scores[key], bent + (added?.[key] ?? 0), Math.max(...terms.map(Math.abs)));
  const weighted = values.map((value, i) => Array.from(value, (part) => weights[i] * part));
  const all = mixes.flatMap((mix) => Array.from(mix));
  const dimensions = [...values[key].keys()];
  const rows = columns ? [...columns.keys()] : [];
  const { exponentials, denominator, unread } = row;
  const shares = exponentials.map((each) => each / denominator);
  const own = (m) =>
    Array.from(mixes[head], (part, i) => columns[m][head * mixes[head].length + i] * part);
  const whole = (m) => [...all.map((part, i) => columns[m][i] * part), bias?.[m] ?? 0];
  return [
    Number.NaN,
    Number.NaN,
    summed(total(products), products),
    score,
    apart(masked[key], allowed[key] ? scores[key] : fill, 0),
    0, // the exponentials are computed here alone
    summed(denominator, [...exponentials, unread]),
    most(weights, (weight, i) => apart(weight, shares[i], 0)),
    Number.NaN,
    most(weighted[key], (part, i) => apart(Math.fround(part), weights[key] * values[key][i], 0)),
    most(dimensions, (i) =>
      summed(
        mixes[head][i],
        weighted.map((each) => each[i]),
      ),
    ),
    ...(columns
      ? [
          most(rows, (m) => summed(Math.fround(contributions[head][m]), own(m))),
          most(rows, (m) => summed(output[m], whole(m))),
        ]
      : [Number.NaN, Number.NaN]),
  ];
}

const total = (values) => values.reduce((sum, value) => sum + value, 0);
const most = (values, measure) => Math.max(...Array.from(values, measure));

// How far a sum is from its terms.
function summed(shown, terms) {
  return apart(shown, total(terms), Math.max(...terms.map(Math.abs)));
}

// Relative to the result, or to the largest term where that is larger; two infinities or two NaN are the same.
function apart(shown, again, largest) {
  if (shown === again || (Number.isNaN(shown) && Number.isNaN(again))) return 0;
  const difference = Math.abs(shown - again);
  if (!Number.isFinite(difference)) return Infinity;
  return difference / Math.max(Math.abs(again), largest, SMALLEST / 1e-4);
}
