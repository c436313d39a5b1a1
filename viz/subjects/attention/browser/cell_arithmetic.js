// The arithmetic of one cell of attention, from the tensors of a run of PyTorch or the browser. The numbers shown are
// captured, or computed from captured ones in float32. As a check, float64 recomputes each step from the step before.

import { layerNumber, rowReads } from "../../../pictures/browser/run.js";
import { createAwaited, headOf } from "../../../pictures/browser/tensors.js";
import { moduleAt } from "../../../pictures/browser/twin/head.js";
import { rowsOfMatrix } from "../../../pictures/browser/twin/matrix.js";
import { rowOf } from "../../../pictures/browser/twin/tensor.js";
import { added, anglesAt, apart, projectionApart, single, worst } from "./cell_recompute.js";

const PRODUCTS_SHOWN = 8;
const KEYS_SHOWN = 6; // rows of a table that are always visible
const KEYS_LISTED = 24; // keys in the table, to which the one in view is added if it is not among them
const LINES = {
  query: "query",
  key: "key",
  score: "scores",
  weights: "weights",
  value: "value",
  mix: "heads",
  output: "output",
}; // the lines that are compared with a captured tensor, and the name of that tensor

/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("../../../pictures/browser/types").Tensors} Tensors */

/** Compute the cell in view; null until the tensors of its head have arrived.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 */
export function cellInView(loupe) {
  const tensors = loupe.traces.get(loupe.selection?.run);
  const run = loupe.run();
  return tensors && run && !loupe.part(createAwaited).head
    ? cellOf(tensors, loupe.selection, run)
    : null;
}

/** Compute a cell; null if the tensors of its head have not arrived.
 * @param {Tensors} traced
 * @param {{kind: import("../../../pictures/browser/wire").AttentionKind, layer: number, head: number, query: number, key: number}} place
 * @param {Pick<import("../../../pictures/browser/types").Run, "kinds" | "tokens">} run
 * @returns {Cell | null}
 */
export function cellOf(traced, place, run) {
  const stack = run.kinds[place.kind];
  const at = String(layerNumber(stack, place.layer));
  const name = stack.name.replace("{layer}", at).replace(/\.weights$/, "");
  const captured = capturedOf(traced, name, place, stack.heads);
  if (!captured) return null;
  const { query, key, head } = place;
  const tokenAt = (position, [text, first]) => run.tokens[text][first + position];
  const score = scoreOf(captured, key);
  const row = softmaxOf(captured);
  const mix = mixOf(captured, key);
  const output = outputOf(captured, head);
  const weight = captured.weights[key];
  const { keyHead } = captured;
  const lines = [
    projectionApart(traced, name, "query", head, query, score.shown.q),
    projectionApart(traced, name, "key", keyHead, key, score.shown.k),
    ...score.lines,
    ...row.lines,
    projectionApart(traced, name, "value", keyHead, key, mix.shown.v),
    ...mix.lines,
    ...output.lines,
  ];
  return {
    name,
    head,
    query: { position: query, token: tokenAt(query, stack.queries) },
    key: { position: key, token: tokenAt(key, stack.keys) },
    weight,
    rank: 1 + captured.weights.filter((other) => other > weight).length,
    lines,
    changed: Object.keys(LINES).filter((line) => isTouched(traced, `${name}.${LINES[line]}`)),
    tolerance: traced.tolerance,
    score: score.shown,
    row: listed(captured, row, key, (position) => tokenAt(position, stack.keys)),
    mix: mix.shown,
    output: output.shown,
    readers: [...Array(stack.heads).keys()].filter(
      (reader) => captured.keyHeadOf(reader) === keyHead,
    ),
    turned: anglesAt(traced, name, query) !== null,
    reads: rowReads(stack) && place.kind !== "encoder self-attention",
  };
}

/** @typedef {ReturnType<typeof capturedOf>} Captured */

/** Collect what was captured of one head and one of its queries; null if it has not arrived.
 * @param {Tensors} traced
 * @param {string} name of the attention
 * @param {{head: number, query: number}} place
 * @param {number} heads
 */
function capturedOf(traced, name, { head, query }, heads) {
  const facts = traced.attentions[name];
  if (!facts || !headOf(traced, `${name}.weights`, head)) return null;
  const keyHeadOf = (reader) => Math.floor((reader * facts.keyHeads) / heads);
  const keyHead = keyHeadOf(head);
  const own = (part, of = head) => headOf(traced, `${name}.${part}`, of);
  const [keys, values] = [own("key", keyHead), own("value", keyHead)];
  const scores = rowOf(own("scores"), query);
  const allowed = Array.from(rowOf(traced.tensors[`${name}.mask`], query), Boolean);
  const bias = own("bias");
  return {
    traced,
    name,
    facts,
    query,
    head,
    keyHead,
    keyHeadOf,
    q: rowOf(own("query"), query),
    keys: (position) => rowOf(keys, position),
    values: (position) => rowOf(values, position),
    scores,
    allowed,
    masked: scores.map((score, i) => (allowed[i] ? score : traced.fill)),
    bias: bias ? rowOf(bias, query) : null,
    weights: rowOf(own("weights"), query),
    mixOf: (of) => rowOf(own("heads", of), query),
    output: rowOf(traced.tensors[`${name}.output`], query),
    isEdited: isTouched(traced, `${name}.scores`),
  };
}

// Return whether a change concerns a tensor, or the part of it that belongs to one head.
const isTouched = ({ touched }, name) =>
  touched.some((each) => each === name || each.startsWith(`${name}[`));

const sum = (values) => values.reduce((all, value) => all + value, 0);
const length = (vector) => Math.sqrt(sum(Array.from(vector, (part) => part * part)));
const products = (one, other) => Array.from(one, (value, i) => value * other[i]);

// Return the products of query and key, and the score that their sum becomes.
function scoreOf(captured, key) {
  const { traced, facts, q, scores, masked, allowed, bias, isEdited } = captured;
  const k = captured.keys(key);
  const exact = products(q, k);
  const shown = Float32Array.from(exact);
  const order = [...shown.keys()].sort((a, b) => Math.abs(shown[b]) - Math.abs(shown[a]));
  const dot = Math.fround(sum(shown));
  const isUsual = Math.abs(facts.scale - q.length ** -0.5) <= 1e-9 * facts.scale;
  return {
    shown: {
      order,
      q,
      k,
      products: shown,
      shown: PRODUCTS_SHOWN,
      more: sum(order.slice(PRODUCTS_SHOWN).map((i) => shown[i])),
      dot,
      scaled: scores[key],
      isEdited,
      isAllowed: allowed[key],
      masked: masked[key],
      fill: traced.fill,
      scale: isUsual ? null : facts.scale,
      bias: bias ? bias[key] : null,
      softcap: facts.softcap,
    },
    lines: [
      apart(dot, added(exact)),
      apart(scores[key], scaledAgain(exact, facts, bias?.[key])),
      apart(masked[key], single(allowed[key] ? scores[key] : traced.fill)),
    ],
  };
}

// Add up the scaled products, bend the sum if the model caps its scores, and add the bias.
function scaledAgain(exact, { scale, softcap }, bias) {
  const scaled = added(exact.map((product) => product * scale));
  const bent = softcap === null ? scaled.result : softcap * Math.tanh(scaled.result / softcap);
  const plus = bias ?? 0;
  return { result: bent + plus, largest: Math.max(scaled.largest, Math.abs(plus)) };
}

// Return the softmax over the row. If the model has sinks, the weight that no key gets is in the denominator, too.
function softmaxOf({ facts, weights, masked }) {
  const largest = Math.max(...masked);
  const exact = Array.from(masked, (score) => Math.exp(score - largest));
  const exponentials = Float32Array.from(exact);
  const taken = sum(weights);
  const left = facts.sinks && taken > 0 && taken < 1 ? 1 - taken : 0;
  const unread = (sum(exact) * left) / (1 - left);
  const total = sum(exact) + unread;
  const denominator = Math.fround(sum(exponentials) + unread);
  return {
    largest,
    exponentials,
    left,
    denominator,
    lines: [
      worst(exponentials, (i) => single(exact[i])),
      apart(denominator, added([...exact, unread])),
      worst(weights, (i) => single(exact[i] / total)),
    ],
  };
}

// Return the strongest keys of the row; the key in view is always among those that are visible at first.
function listed({ weights, allowed, masked }, row, key, tokenAt) {
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
  const shown = order.slice(0, KEYS_SHOWN);
  if (!shown.includes(key)) shown[shown.length - 1] = key;
  const keys = [...shown, ...order.slice(0, KEYS_LISTED).filter((each) => !shown.includes(each))];
  const without = (some) => sum(weights.filter((_, i) => !some.includes(i)));
  const of = (values) => Float32Array.from(keys, (each) => values[each]);
  return {
    size: weights.length,
    keys,
    tokens: keys.map(tokenAt),
    hidden: keys.filter((each) => !allowed[each]),
    scores: of(masked),
    exponentials: of(row.exponentials),
    weights: of(weights),
    shown: shown.length,
    more: without(shown),
    others: without(keys),
    largest: row.largest,
    denominator: row.denominator,
    open: allowed.filter(Boolean).length,
    left: row.left,
  };
}

// Return what the key adds to the mix of the row.
function mixOf({ head, weights, values, mixOf }, key) {
  const lengths = Array.from(weights, (weight, i) => weight * length(values(i)));
  const all = sum(lengths);
  const [v, mix] = [values(key), mixOf(head)];
  const weighted = v.map((part) => weights[key] * part);
  const terms = (dimension) => Array.from(weights, (weight, i) => weight * values(i)[dimension]);
  return {
    shown: { v, weighted, mix, share: all === 0 ? 0 : lengths[key] / all },
    lines: [
      worst(weighted, (i) => single(weights[key] * v[i])),
      worst(mix, (i) => added(terms(i))),
    ],
  };
}

// Return what the head writes and what all heads write together; nothing if the parameters are not in the browser.
function outputOf(captured, head) {
  const { output } = captured;
  const written = writtenOf(captured, head);
  if (!written) return { shown: null, lines: [Number.NaN, Number.NaN] };
  const { own, others, bias, norms } = written;
  const contribution = output.map((_, m) => sum(own(m)));
  return {
    shown: {
      own: contribution,
      output,
      norms,
      bias: bias ? length(bias) : null,
      together: length(output),
    },
    lines: [
      worst(contribution, (m) => added(own(m))),
      worst(output, (m) => added([...own(m), ...others(m), bias?.[m] ?? 0])),
    ],
  };
}

// Return the terms that a head and the other heads write into each dimension, and the length of what each head writes.
function writtenOf({ traced, name, query, output, mixOf }, head) {
  const { tensors, model } = traced;
  const sent = tensors[`${name}.output.weight[${head}]`];
  if (sent) {
    const others = rowOf(tensors[`${name}.others[${head}]`], query);
    return {
      own: (m) => products(mixOf(head), rowOf(sent, m)),
      others: (m) => [others[m]],
      bias: tensors[`${name}.output.bias`]?.data,
      norms: rowOf(tensors[`${name}.norms`], query),
    };
  }
  if (!model) return null;
  const { weight, bias } = moduleAt(model, `${name}.output`);
  const heads = [...Array(model.config.n_heads).keys()];
  const size = mixOf(head).length;
  const numbers = rowsOfMatrix(weight, heads.length * size, 0, output.length);
  const by = (h, m) => {
    const from = (m * heads.length + h) * size;
    return products(mixOf(h), numbers.subarray(from, from + size));
  };
  return {
    own: (m) => by(head, m),
    others: (m) => heads.flatMap((h) => (h === head ? [] : by(h, m))),
    bias,
    norms: heads.map((h) => length(output.map((_, m) => sum(by(h, m))))),
  };
}
