// Writes a path in the browser's own model, and packs it as viz/subjects/decoding/packing.py does, with all tokens of
// each step.

import { longestWritten } from "../../../pictures/browser/live/answer.js";
import { encodeWeights } from "../../../pictures/browser/twin/codes.js";
import { bestOf, EOS_ID, translate } from "../../../pictures/browser/twin/decoding.js";
import { maskOf } from "../../../pictures/browser/twin/masks.js";
import { rowOf, stack, tensor } from "../../../pictures/browser/twin/tensor.js";
import { NO_OTHERS, rankedIds, rankedLogs } from "./distribution.js";
import { createDraw } from "./sampling.js";

/** @typedef {import("../../../pictures/browser/live/types").Answer} Answer */
/** @typedef {import("../../../pictures/browser/live/models").Kept} Kept */
/** @typedef {import("../../../pictures/browser/twin/types").Translation} Translation */

/** How a path is written: the shaping and the seed are those of a sample.
 * @typedef {object} Strategy
 * @property {"Greedy" | "Sampling"} mode
 * @property {{temperature: number, topK: number, topP: number}} drawn
 * @property {number} seed
 */

const NAMES = [
  "decoder.layers.{layer}.self_attn.weights",
  "decoder.layers.{layer}.cross_attn.weights",
];

/** Write a path that begins with some ids. A forced step uses its draw up, so that a sample goes on as it did.
 * @param {import("../../../pictures/browser/twin/types").Model} model
 * @param {number[]} source
 * @param {Strategy} strategy
 * @param {number[]} prefix
 */
export function writePath(model, source, { mode, drawn, seed }, prefix) {
  const write = mode === "Sampling" ? createDraw(drawn, seed) : bestOf;
  const choose = (logits, step) => {
    const chosen = write(logits);
    return prefix[step] ?? chosen;
  };
  return translate(model, source, {
    longest: longestWritten(model.config, source, prefix.length),
    choose,
  });
}

/** The steps at which a token has to be taken for a path to begin with the wanted ids.
 * @param {(prefix: number[]) => {ids: number[]}} write
 * @param {number[]} wanted
 */
export function forksTo(write, wanted) {
  const forks = [];
  for (;;) {
    const { ids } = write(forced(wanted, forks));
    const step = wanted.findIndex((id, i) => ids[i] !== id);
    if (step < 0) return forks;
    forks.push(step);
  }
}

/** The ids that are forced on a path: those up to the last token that was taken.
 * @param {number[]} ids
 * @param {number[]} forks
 */
export const forced = (ids, forks) => ids.slice(0, (forks.at(-1) ?? -1) + 1);

/** Pack a path.
 * @param {Kept} kept
 * @param {Answer} answer to the same source
 * @param {Translation} path
 * @param {{key: string, mode: Strategy["mode"], count: number}} how `count` first ids were forced
 * @returns {import("./studio").PathParcel}
 */
export function packPath({ model, tokenizers }, answer, path, { key, mode, count }) {
  const { config } = model;
  const { target } = tokenizers.naming(answer.read);
  const { ids, logits } = path;
  const size = logits[0].length;
  const order = logits.map(rankedIds);
  const best = order.map((of, step) => Float32Array.from(of, (id) => logits[step][id]));
  const places = ids.map((id, step) => order[step].indexOf(id));
  const logs = places.map((place, step) => rankedLogs(best[step], NO_OTHERS)[place]);
  let total = 0;
  return {
    meta: {
      key,
      mode,
      given: false,
      isRun: mode === "Greedy" && !count,
      source: answer.tokens.source,
      vocabulary: Object.fromEntries(Array.from(order[0], (id) => [id, target.token(id)])),
      begin: answer.tokens.target[0],
      ids,
      length: ids.length,
      prompt: 0,
      finished: ids.at(-1) === EOS_ID,
      forced: ids.map((_, step) => step < count),
      logs,
      totals: logs.map((log) => (total += log)),
      size,
      sent: size,
      ranks: places.map((place) => place + 1),
      temperatures: [1],
      names: NAMES,
      layers: config.n_decoder_layers,
      heads: config.n_heads,
    },
    ranked: table({ id: joined(Int32Array, order), logit: joined(Float32Array, best) }),
    others: table({ sum: new Float64Array(), weighted: new Float64Array() }),
    codes: table({ code: codesOf(config, path, answer.read.ids) }),
  };
}

/** @returns {import("../../../pictures/browser/types").ArrowTable<any>} */
const table = (columns) => ({ getChild: (name) => ({ toArray: () => columns[name] }) });

function joined(Numbers, parts) {
  const all = new Numbers(parts.reduce((count, part) => count + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// What each step read when it was the last: before itself, then in the source.
/** @param {import("../../../pictures/browser/twin/types").Config} config @param {Translation} path @param {number[]} source */
function codesOf({ n_decoder_layers: layers }, { ids, steps }, source) {
  const masks = [
    maskOf({ rows: ids.length, ids, causal: true, padding: null }),
    maskOf({ rows: 1, ids: source, padding: null }),
  ];
  const codes = NAMES.flatMap((name, i) =>
    Array.from({ length: layers }, (_, layer) => {
      const rows = steps.map(({ weights }) =>
        lastRow(weights[name.replace("{layer}", `${layer}`)]),
      );
      const weights = stack(rows);
      const into = new Uint16Array(weights.data.length);
      encodeWeights(weights, masks[i], into);
      return into;
    }),
  );
  return joined(Uint16Array, codes);
}

function lastRow(of) {
  const last = tensor(of.heads, 1, of.columns);
  for (let head = 0; head < of.heads; head++)
    rowOf(last, 0, head).set(rowOf(of, of.rows - 1, head));
  return last;
}
