// The arithmetic of a cell, from what a run captured: as cell/explain.py has it, and as packing.py packs it.
// What is shown is what was captured; each step is computed a second time from the step before, in float64.

import { rowOf } from "../../../pictures/browser/twin/tensor.js";

const PRODUCTS_SHOWN = 8;
const KEYS_SHOWN = 6;
const KEYS_SENT = 24; // as in packing.py
const DIGITS = 7;
const SMALLEST = 2 ** -126; // below it float32 has no full precision

/** Compute a cell; null where what was captured lacks its head.
 * @param {import("./types").Attention} attention
 * @param {import("../../../pictures/browser/wire").WireSelection} selection
 * @param {import("../../../pictures/browser/types").Run} run
 * @param {number} tolerance of a check
 * @returns {import("./wire").WireCell | null}
 */
export function cellOf(attention, selection, run, tolerance) {
  if (!attention.heads.includes(selection.head)) return null;
  const captured = capturedOf(attention, selection);
  return packedCell(attention, captured, selection, run, tolerance);
}

/** @typedef {ReturnType<typeof capturedOf>} Captured */

/** What was captured of one head and one of its queries.
 * @param {import("./types").Attention} attention
 * @param {{head: number, query: number}} place
 */
function capturedOf(attention, { head, query }) {
  const own = attention.heads.indexOf(head);
  const keyHead = attention.keyHeads[head];
  const from = attention.read.indexOf(keyHead);
  const { key, value, mixes, projection } = attention;
  const rows = (tensor, of) =>
    Array.from({ length: tensor.rows }, (_, row) => rowOf(tensor, row, of));
  return {
    q: rowOf(attention.query, query, own),
    keys: rows(key, from),
    values: rows(value, from),
    scores: rowOf(attention.scores, query, own),
    weights: rowOf(attention.weights, query, own),
    allowed: Array.from(rowOf(attention.mask, query), Boolean),
    added: attention.added && rowOf(attention.added, query, own),
    mixes: Array.from({ length: mixes.heads }, (_, h) => rowOf(mixes, query, h)),
    output: rowOf(attention.output, query),
    bias: attention.bias,
    columns: projection && rows(projection, 0),
    keyHead,
    size: key.columns,
  };
}

function packedCell(attention, captured, selection, run, tolerance) {
  const { kind, layer, head, query, key } = selection;
  const { fill } = attention;
  const masked = captured.scores.map((score, i) => (captured.allowed[i] ? score : fill));
  const row = softmaxOf(attention, captured, masked);
  const contributions =
    captured.columns && captured.mixes.map((mix, h) => contributionOf(captured, mix, h));
  const readers = attention.keyHeads.flatMap((each, h) => (each === captured.keyHead ? [h] : []));
  const stack = run.kinds[kind];
  const side = (position, [text, first]) => ({
    position,
    token: run.tokens[text][first + position],
  });
  const weight = captured.weights[key];
  return {
    name: attention.name,
    head,
    query: side(query, stack.queries),
    key: side(key, stack.keys),
    weight: text(weight),
    rank: 1 + captured.weights.filter((other) => other > weight).length,
    lines: packed(checkLines(attention, captured, { masked, row, contributions, fill }, selection)),
    changed: attention.changed,
    tolerance: text(tolerance),
    score: scoreOf(attention, captured, masked, key, fill),
    row: packedRow(
      captured,
      row,
      masked,
      key,
      (at) => run.tokens[stack.keys[0]][stack.keys[1] + at],
    ),
    mix: mixOf(captured, head, key),
    ...(contributions ? { output: outputOf(captured, contributions, head) } : {}),
    ...(readers.length > 1 ? { shared: { head: captured.keyHead, readers } } : {}),
    ...(stack.queries[1] === 0 && kind !== "encoder self-attention" ? { reads: true } : {}),
    made: { run: selection.run, kind, layer, head, query, key },
  };
}

function scoreOf(attention, { q, keys, scores, allowed, added, size }, masked, key, fill) {
  const products = q.map((value, i) => value * keys[key][i]);
  const order = [...products.keys()].sort((a, b) => Math.abs(products[b]) - Math.abs(products[a]));
  const sorted = (values) => packed(order.map((i) => values[i]));
  const usual = Math.abs(attention.scale - size ** -0.5) <= 1e-9 * attention.scale;
  return {
    dimensions: order,
    q: sorted(q),
    k: sorted(keys[key]),
    products: sorted(products),
    shown: PRODUCTS_SHOWN,
    more: text(sum(order.slice(PRODUCTS_SHOWN).map((i) => products[i]))),
    dot: text(sum(products)),
    scaled: text(scores[key]),
    edited: attention.edited,
    allowed: allowed[key],
    masked: text(masked[key]),
    fill: text(fill),
    ...(usual ? {} : { scale: text(attention.scale) }),
    ...(added ? { bias: text(added[key]) } : {}),
    ...(attention.softcap === null ? {} : { softcap: text(attention.softcap) }),
  };
}

// The softmax over the row; what it leaves unread stands in the denominator, beside its keys.
function softmaxOf({ sinks }, { weights }, masked) {
  const largest = Math.max(...masked);
  const exponentials = Array.from(masked, (score) => Math.exp(score - largest));
  const taken = sum(weights);
  const left = sinks && taken > 0 && taken < 1 ? 1 - taken : 0;
  const unread = (sum(exponentials) * left) / (1 - left);
  return { largest, exponentials, left, unread, denominator: sum(exponentials) + unread };
}

function packedRow({ weights, allowed }, row, masked, key, tokenOf) {
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
  const shown = order.slice(0, KEYS_SHOWN);
  if (!shown.includes(key)) shown[shown.length - 1] = key;
  const sent = [...shown, ...order.slice(0, KEYS_SENT).filter((each) => !shown.includes(each))];
  const without = (keys) => sum(weights.filter((_, i) => !keys.includes(i)));
  const of = (values) => packed(sent.map((each) => values[each]));
  return {
    size: weights.length,
    keys: sent,
    tokens: sent.map(tokenOf),
    hidden: sent.filter((each) => !allowed[each]),
    scores: of(masked),
    exponentials: of(row.exponentials),
    weights: of(weights),
    shown: shown.length,
    more: text(without(shown)),
    others: text(without(sent)),
    largest: text(row.largest),
    denominator: text(row.denominator),
    open: allowed.filter(Boolean).length,
    ...(row.left ? { left: text(row.left) } : {}),
  };
}

function mixOf({ values, weights, mixes }, head, key) {
  const lengths = values.map((value, i) => weights[i] * length(value));
  const all = sum(lengths);
  return {
    v: packed(values[key]),
    weighted: packed(values[key].map((part) => weights[key] * part)),
    mix: packed(mixes[head]),
    share: text(all ? lengths[key] / all : 0),
  };
}

// What one head writes: its mix through its own columns of the output projection.
function contributionOf({ columns }, mix, head) {
  const first = head * mix.length;
  return columns.map((row) => sum(Array.from(mix, (part, i) => row[first + i] * part)));
}

function outputOf({ output, bias }, contributions, head) {
  return {
    own: packed(contributions[head]),
    output: packed(output),
    norms: packed(contributions.map(length)),
    bias: bias ? text(length(bias)) : "",
    together: text(length(output)),
  };
}

/** How far each step is from float64, in the order of the arithmetic.
 * @param {import("./types").Attention} attention
 * @param {Captured} captured
 * @param {{ masked: Float32Array, row: any, contributions: number[][], fill: number }} made
 * @param {{ head: number, query: number, key: number }} place
 */
function checkLines(
  attention,
  captured,
  { masked, row, contributions, fill },
  { head, query, key },
) {
  const {
    q,
    keys,
    values,
    scores,
    weights,
    allowed,
    added,
    mixes,
    output,
    bias,
    columns,
    keyHead,
  } = captured;
  const products = Array.from(q, (value, i) => value * keys[key][i]);
  const scaled = products.map((value) => value * attention.scale);
  const terms = added ? [...scaled, added[key]] : scaled;
  const cap = attention.softcap;
  const bent = cap === null ? sum(scaled) : cap * Math.tanh(sum(scaled) / cap);
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
  const again = (part, of, at, shown) => attention.projected?.(part, of, at, shown) ?? Number.NaN;
  return [
    again("query", head, query, q),
    again("key", keyHead, key, keys[key]),
    summed(sum(products), products),
    score,
    apart(masked[key], allowed[key] ? scores[key] : fill, 0),
    0, // the exponentials are computed here alone
    summed(denominator, [...exponentials, unread]),
    most(weights, (weight, i) => apart(weight, shares[i], 0)),
    again("value", keyHead, key, values[key]),
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

const most = (values, measure) => Math.max(...Array.from(values, measure));

// How far a sum is from its terms.
export function summed(shown, terms) {
  return apart(shown, sum(terms), Math.max(...terms.map(Math.abs)));
}

// Relative to the result, or to the largest term where that is larger; two infinities or two NaN are the same.
function apart(shown, again, largest) {
  if (shown === again || (Number.isNaN(shown) && Number.isNaN(again))) return 0;
  const difference = Math.abs(shown - again);
  if (!Number.isFinite(difference)) return Infinity;
  return difference / Math.max(Math.abs(again), largest, SMALLEST / 1e-4);
}

const sum = (values) => values.reduce((all, value) => all + value, 0);
const length = (vector) => Math.sqrt(sum(Array.from(vector, (part) => part * part)));

const text = (value) =>
  Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : String(value);

function packed(values) {
  const bytes = new Uint8Array(Float32Array.from(values).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
