// The models that the browser can run itself: fetched once each, as the checkpoint has them on disk.

import { readModel, receiveModel } from "../twin/safetensors.js";
import { readTokenizers } from "../twin/text/tokenizer.js";
import { fetchParts, ModelFault } from "./parts.js";

/** A model, and how much of the probability the training asked for on all tokens but the right one.
 * @typedef {{model: import("../twin/types").Model, tokenizers: import("../twin/text/types").Tokenizers,
 *   smoothing: number}} Kept
 */
/** How much of a model in parts is here, in bytes.
 * @typedef {{key: string, loaded: number, all: number}} Progress
 */
/** @typedef {ReturnType<typeof createModels>} Models */

const MOST_KEPT = 3;

/** Make the keeper of the models of an explorer. */
export function createModels() {
  /** @type {Map<string, Promise<Kept>>} */
  const asked = new Map();
  /** @type {Map<string, Kept>} */
  const here = new Map();
  /** @type {Map<string, AbortController>} of those that are coming */
  const coming = new Map();
  const { tell, listen } = createNews();
  /** @type {Set<string>} */
  const large = new Set();
  const forget = (key) => {
    for (const known of [asked, here, coming, large]) known.delete(key);
  };
  const stop = (key) => coming.get(key)?.abort();
  // For two of them the browser may have no room.
  const beginLarge = (key) => {
    for (const other of large) {
      stop(other);
      forget(other);
    }
    large.add(key);
  };
  return {
    /** Keep a model that came another way.
     * @param {string} key
     * @param {Kept} kept
     */
    put(key, kept) {
      asked.set(key, Promise.resolve(kept));
      here.set(key, kept);
    },
    /** The model of a name that is here already. @param {string} key */
    at: (key) => here.get(key),
    /** The model of a name, from its files.
     * @param {import("../wire").WireModel} wanted
     */
    get(wanted) {
      const { key } = wanted;
      if (asked.has(key)) return asked.get(key);
      const told = (loaded, all) => tell({ key, loaded, all });
      const controller = new AbortController();
      coming.set(key, controller);
      if (wanted.in_parts) beginLarge(key);
      const found = (wanted.in_parts ? inParts : whole)(wanted.address, controller.signal, told);
      asked.set(key, found);
      const isWanted = () => asked.get(key) === found;
      found
        .then((kept) => isWanted() && here.set(key, kept))
        .catch(() => isWanted() && forget(key));
      if (asked.size > MOST_KEPT) forget(asked.keys().next().value);
      return found;
    },
    /** Stop fetching a model: whoever waits for it gets an AbortError. @param {string} key */
    stop,
    listen,
  };
}

function createNews() {
  /** @type {Set<(progress: Progress) => void>} */
  const listeners = new Set();
  return {
    /** @param {Progress} progress */
    tell(progress) {
      for (const listener of listeners) listener(progress);
    },
    /** Hear how much of a model in parts is here, until a signal.
     * @param {(progress: Progress) => void} listener
     * @param {AbortSignal} signal
     */
    listen(listener, signal) {
      listeners.add(listener);
      signal.addEventListener("abort", () => listeners.delete(listener));
    },
  };
}

async function whole(address, signal) {
  const answers = [answerOf(`${address}.json`, signal), answerOf(address, signal)];
  const [about, weights] = await Promise.all(answers);
  return readFiles(await about.json(), await weights.arrayBuffer());
}

async function inParts(address, signal, told) {
  const about = await (await answerOf(`${address}.json`, signal)).json();
  /** @type {import("./parts").Part[]} */
  const parts = about.parts;
  const all = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let receiver = null;
  const take = (bytes, at) => {
    receiver ??= receiveInRoom(bytes, all, about.config);
    receiver.put(bytes, at);
  };
  await fetchParts(address, parts, take, { tell: (loaded) => told(loaded, all), signal });
  return keptOf(about, receiver.finish());
}

async function answerOf(address, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new ModelFault("refused", { status: answer.status });
  return answer;
}

function receiveInRoom(first, size, config) {
  try {
    return receiveModel(first, size, config);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ModelFault("no_memory", { needed: size / 1e6 });
  }
}

/** Read a checkpoint's two files.
 * @param {any} about
 * @param {ArrayBuffer} weights
 */
export const readFiles = (about, weights) => keptOf(about, readModel(weights, about.config));

/** @returns {Kept} */
const keptOf = (about, model) => ({
  model,
  tokenizers: readTokenizers(about.tokenizers),
  smoothing: about.training?.label_smoothing ?? 0,
});
