// Writes paths in the browser's own model, as plain numbers. Between tokens it checks whether it was cancelled.

import { encodeWeights } from "../twin/codes.js";
import { hasEncoder } from "../twin/config.js";
import { bestOf, hasEnded, promptOf, sharedLength, writingOf } from "../twin/decoding.js";
import { othersThan, rankedIds, rankedLogs } from "../twin/distribution.js";
import { maskOf } from "../twin/masks.js";
import { createDraw } from "../twin/sampling.js";
import { rowOf, stack, tensor } from "../twin/tensor.js";
import { longestWritten } from "./answer.js";

/** @typedef {import("./models").Kept} Kept */
/** @typedef {import("./types").PathAsked} PathAsked */
/** @typedef {import("./types").PathWritten} PathWritten */
/** @typedef {import("./types").Ways} Ways */
/** @typedef {import("../twin/types").Translation["steps"]} Steps */

const MOST_RANKED = 200; // maximum number of tokens sent per step, unless a sampler may reach the others
const MOST_WHOLE = 10_000; // largest vocabulary sent whole for a sample, because top-p may keep any token
const BREATH_MS = 30; // between two checks for other messages
const LETTERS = 80; // maximum length of the text's end that is sent while it is being written

/** Write a path.
 * @param {Kept} kept
 * @param {PathAsked} asked
 * @param {Ways} ways
 * @returns {Promise<PathWritten>}
 */
export async function writePath(kept, asked, ways) {
  const { model, tokenizers } = kept;
  const { read, begins, known, room } = asked;
  const prompt = promptOf(model, read.ids);
  const enough = room === null ? Infinity : Math.max(prompt.length, begins.length) + room;
  const begun = known.length ? known : begins;
  const steps = await written(kept, asked, begun, ways, ({ length }) => length >= enough);
  const ids = idsOf(steps.slice(0, enough));
  const finished = ids.length > sharedLength(ids, prompt) && hasEnded(model, ids);
  const most = longestWritten(model.config, read.ids, begins.length, Infinity);
  const forcedIds = sharedLength(ids, prompt);
  return {
    ids,
    prompt: forcedIds,
    text: tokenizers.naming(read).target.decode(ids.slice(forcedIds)),
    finished,
    isOpen: !finished && ids.length < most,
    ...(await packed(model.config, steps.slice(0, enough), asked, ways)),
  };
}

/** Return the steps at which a token must be forced for a path to begin with the wanted ids. A forced step uses up its
 * random draw, so that the rest of a sample stays the same.
 * @param {Kept} kept
 * @param {PathAsked} asked the path, which has to begin with the wanted ids
 * @param {Ways} ways
 */
export async function forksTo(kept, asked, ways) {
  const { begins: wanted } = asked;
  /** @type {number[]} */
  const forks = [];
  const leaves = (steps) => sharedLength(wanted, idsOf(steps));
  const isKnown = (steps) => leaves(steps) < steps.length || steps.length >= wanted.length;
  for (;;) {
    const begins = forced(wanted, forks);
    const path = { ...asked, begins, room: Infinity };
    const step = leaves(await written(kept, path, begins, ways, isKnown));
    if (step >= wanted.length) return forks;
    forks.push(step);
  }
}

/** Return the forced ids of a path: those up to the last forced token.
 * @param {number[]} ids
 * @param {number[]} forks
 */
export const forced = (ids, forks) => ids.slice(0, (forks.at(-1) ?? -1) + 1);

const idsOf = (steps) => steps.map(({ token }) => token);

// Return the steps of a path, up to the first at which they are enough.
/** @returns {Promise<Steps>} */
async function written(kept, { read, begins, room, strategy }, begun, ways, isEnough) {
  const { model } = kept;
  const { target } = kept.tokenizers.naming(read);
  const writing = writingOf(model, read.ids, {
    begins: begun,
    longest: longestWritten(model.config, read.ids, begins.length, room ?? undefined),
    choose: strategy.mode === "Sampling" ? createDraw(strategy.drawn, strategy.seed) : bestOf,
  });
  const prompt = promptOf(model, read.ids).length;
  const tell = (ids) => ways.tell({ count: ids.length, text: target.decode(ids).slice(-LETTERS) });
  const pause = createPauses(ways.signal);
  await pause();
  /** @type {Steps} */
  let steps = [];
  for (steps of writing) {
    if (isEnough(steps)) break;
    if (await pause()) tell(idsOf(steps).slice(prompt));
  }
  return steps;
}

// Let pending messages be handled at first, and again whenever some time has passed.
function createPauses(signal) {
  let paused = -Infinity;
  return async () => {
    if (performance.now() - paused < BREATH_MS) return false;
    await new Promise((heard) => setTimeout(heard));
    signal.throwIfAborted();
    paused = performance.now();
    return true;
  };
}

/** Return the numbers of the steps.
 * @param {import("../twin/types").Config} config
 * @param {Steps} steps
 * @param {PathAsked} asked
 * @param {Ways} ways
 */
async function packed(config, steps, { read, strategy: { mode }, temperatures }, { signal }) {
  const size = steps[0].logits.length;
  const isWhole = mode === "Sampling" && size <= MOST_WHOLE;
  const sent = isWhole ? size : Math.min(size, MOST_RANKED);
  const summed = mode === "Sampling" && !isWhole ? temperatures : [1];
  const pause = createPauses(signal);
  /** @type {ReturnType<typeof rankedStep>[]} */
  const ranked = [];
  for (const { logits, token } of steps) {
    await pause();
    ranked.push(rankedStep(logits, token, sent, summed));
  }
  const others = ranked.flatMap((step) => step.others);
  return {
    logs: ranked.map(({ log }) => log),
    ranks: ranked.map(({ rank }) => rank),
    size,
    sent,
    temperatures: summed,
    handed: {
      id: joined(
        Int32Array,
        ranked.map(({ best }) => best),
      ),
      logit: joined(
        Float32Array,
        ranked.map(({ logits }) => logits),
      ),
      sum: Float64Array.from(others, ({ sum }) => sum),
      weighted: Float64Array.from(others, ({ weighted }) => weighted),
      code: codesOf(config, steps, read.ids),
    },
  };
}

// Return the most probable tokens of a step, sums over the other tokens, and the rank of the written token.
/** @param {Float32Array} logits */
function rankedStep(logits, written, sent, temperatures) {
  const best = rankedIds(logits, sent);
  const largest = Float32Array.from(best, (id) => logits[id]);
  const [first] = rankedLogs(largest, othersThan(logits, best));
  const mine = logits[written];
  let rank = 1;
  for (let id = 0; id < logits.length; id++)
    if (logits[id] > mine || (logits[id] === mine && id < written)) rank++;
  const others = temperatures.map((temperature) => othersThan(logits, best, temperature));
  return { best, logits: largest, others, log: first + mine - largest[0], rank };
}

function joined(Numbers, parts) {
  const all = new Numbers(parts.reduce((count, part) => count + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// Return as codes what each step read in its last row: the text written so far, then the source if there is one.
/** @param {import("../twin/types").Config} config @param {Steps} steps @param {number[]} read */
function codesOf(config, steps, read) {
  const ids = idsOf(steps);
  const masks = { self_attn: maskOf({ rows: ids.length, ids, causal: true, padding: null }) };
  if (hasEncoder(config)) masks.cross_attn = maskOf({ rows: 1, ids: read, padding: null });
  const codes = Object.entries(masks).flatMap(([part, mask]) =>
    Array.from({ length: config.n_decoder_layers }, (_, layer) => {
      const name = `decoder.layers.${layer}.${part}.weights`;
      const weights = upTo(stack(steps.map((step) => lastRow(step.weights[name]))), mask.columns);
      const into = new Uint16Array(weights.data.length);
      encodeWeights(weights, mask, into);
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

// Return the first columns, because a pass over more ids than are shown also has columns for the ids after them.
function upTo(of, columns) {
  if (of.columns === columns) return of;
  const cut = tensor(of.heads, of.rows, columns);
  for (let head = 0; head < of.heads; head++)
    for (let row = 0; row < of.rows; row++)
      rowOf(cut, row, head).set(rowOf(of, row, head).subarray(0, columns));
  return cut;
}
