// Writes a path in the browser's own model, in the form in which Python sends one; of a sample all tokens of each step.

import { longestWritten } from "../../../pictures/browser/live/answer.js";
import { encodeWeights } from "../../../pictures/browser/twin/codes.js";
import { bestOf, hasEnded, translate } from "../../../pictures/browser/twin/decoding.js";
import { maskOf } from "../../../pictures/browser/twin/masks.js";
import { rowOf, stack, tensor } from "../../../pictures/browser/twin/tensor.js";
import { othersThan, rankedIds, rankedLogs } from "./distribution.js";
import { createDraw } from "./sampling.js";
import { WEIGHTS } from "./studio.js";

/** @typedef {import("../../../pictures/browser/live/types").Answer} Answer */
/** @typedef {import("../../../pictures/browser/live/models").Kept} Kept */
/** @typedef {import("../../../pictures/browser/twin/types").Translation} Translation */

/** How a path is written: the shaping and the seed are those of a sample.
 * @typedef {object} Strategy
 * @property {"Greedy" | "Sampling"} mode
 * @property {{temperature: number, topK: number, topP: number}} drawn
 * @property {number} seed
 */

const MOST_RANKED = 200; // tokens of a step, where no sampler may reach the others

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
export function packPath({ model, tokenizers, smoothing }, answer, path, { key, mode, count }) {
  const { config } = model;
  const { target } = tokenizers.naming(answer.read);
  const { ids } = path;
  const size = path.logits[0].length;
  const sent = mode === "Sampling" ? size : Math.min(size, MOST_RANKED);
  const steps = path.logits.map((logits, step) => rankedStep(logits, ids[step], sent));
  const known = new Set([...ids, ...steps.flatMap(({ best }) => [...best])]);
  const numbers = (name) => Float64Array.from(steps, ({ others }) => others[name]);
  const names = Array.from(known, (id) => /** @type {const} */ ([id, target.token(id)]));
  return {
    meta: {
      key,
      mode,
      given: false,
      isRun: mode === "Greedy" && !count,
      source: answer.tokens.source,
      vocabulary: Object.fromEntries(names),
      copies: names
        .map(([, token]) => token)
        .filter(tokenizers.isStandIn)
        .sort(),
      smoothing,
      begin: answer.tokens.target[0],
      ids,
      length: ids.length,
      prompt: 0,
      finished: hasEnded(model, ids),
      forced: ids.map((_, step) => step < count),
      logs: steps.map(({ log }) => log),
      size,
      sent,
      ranks: steps.map(({ rank }) => rank),
      temperatures: [1],
      layers: config.n_decoder_layers,
      heads: config.n_heads,
    },
    ranked: table({
      id: joined(
        Int32Array,
        steps.map(({ best }) => best),
      ),
      logit: joined(
        Float32Array,
        steps.map(({ logits }) => logits),
      ),
    }),
    others: table({ sum: numbers("sum"), weighted: numbers("weighted") }),
    codes: table({ code: codesOf(config, path, answer.read.ids) }),
  };
}

/** What a path writes, as a branch is sent.
 * @param {import("../../../pictures/browser/twin/text/types").Tokenizer} target
 * @param {{ids: number[], vocabulary: Record<string, string>, logs: number[], finished: boolean}} path
 * @param {number[]} forks steps whose token was taken
 * @returns {import("./wire").WireBranch}
 */
export const branchOf = (target, { ids, vocabulary, logs, finished }, forks) => ({
  text: target.decode(ids),
  ids,
  tokens: ids.map((id) => vocabulary[id]),
  logs,
  prompt: 0,
  forks,
  finished,
});

// The most probable tokens of a step, what the others amount to, and where the one stands that was written.
/** @param {Float32Array} logits */
function rankedStep(logits, written, sent) {
  const best = rankedIds(logits, sent);
  const others = othersThan(logits, best);
  const largest = Float32Array.from(best, (id) => logits[id]);
  const [first] = rankedLogs(largest, others);
  const mine = logits[written];
  let rank = 1;
  for (let id = 0; id < logits.length; id++)
    if (logits[id] > mine || (logits[id] === mine && id < written)) rank++;
  return { best, logits: largest, others, log: first + mine - largest[0], rank };
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
  const codes = WEIGHTS.flatMap((name, i) =>
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
