// The models that the browser can run itself, each fetched once in the format of its checkpoint.

import { readConfig } from "../twin/config.js";
import { readModel, receiveModel } from "../twin/safetensors.js";
import { readForeignNames } from "../twin/text/foreign_names.js";
import { readTokenizers } from "../twin/text/tokenizer.js";
import { fetchParts, ModelFault } from "./parts.js";

/** A model, the share of probability that label smoothing gave to all tokens but the right one in training, and the
 * bits to which its weights were rounded for a site.
 * @typedef {{model: import("../twin/types").Model, tokenizers: import("../twin/text/types").Tokenizers,
 *   smoothing: number, bits?: number}} Kept
 */
/** The loaded bytes of a model in parts.
 * @typedef {{key: string, loaded: number, all: number}} Progress
 */
/** @typedef {ReturnType<typeof createModels>} Models */

const MOST_KEPT = 3;

/** Make the store of an explorer's models. Of a large model, whose weights come in parts, the page keeps neither the
 * weights nor the rules of a third-party tokenizer. Only the worker has those.
 */
export const createModels = () => createKeeper(withoutWeights);

/** Make the store of the models of the worker beside a page.
 * @param {ReturnType<typeof import("./patience.js").announced>} announce
 */
export const createWholeModels = (announce) =>
  createKeeper((wanted, signal, told) => inParts(wanted, signal, told, announce));

function createKeeper(fetchLarge) {
  /** @type {Map<string, Promise<Kept>>} */
  const asked = new Map();
  /** @type {Map<string, Kept>} */
  const here = new Map();
  /** @type {Map<string, AbortController>} of the models that are being fetched */
  const coming = new Map();
  const { tell, listen } = createNews();
  /** @type {Set<string>} */
  const large = new Set();
  const forget = (key) => {
    for (const known of [asked, here, coming, large]) known.delete(key);
  };
  const stop = (key) => coming.get(key)?.abort();
  // Keep one large model at a time, because the browser may not have room for two.
  const beginLarge = (key) => {
    for (const other of large) {
      stop(other);
      forget(other);
    }
    large.add(key);
  };
  return {
    /** Store a model that was loaded in another way.
     * @param {string} key
     * @param {Kept} kept
     */
    put(key, kept) {
      asked.set(key, Promise.resolve(kept));
      here.set(key, kept);
    },
    /** Return the model of a key if it is already loaded. @param {string} key */
    at: (key) => here.get(key),
    /** Return the model of a key, fetched from its files if needed.
     * @param {import("../wire").WireModel} wanted
     */
    get(wanted) {
      const { key } = wanted;
      if (asked.has(key)) return asked.get(key);
      const told = (loaded, all) => tell({ key, loaded, all });
      const controller = new AbortController();
      coming.set(key, controller);
      if (wanted.in_parts) beginLarge(key);
      const fetchIt = wanted.in_parts ? fetchLarge : whole;
      const found = fetchIt(wanted, controller.signal, told);
      asked.set(key, found);
      const isWanted = () => asked.get(key) === found;
      found
        .then((kept) => isWanted() && here.set(key, kept))
        .catch(() => isWanted() && forget(key));
      if (asked.size > MOST_KEPT) forget(asked.keys().next().value);
      return found;
    },
    /** Stop fetching a model: code that waits for it gets an AbortError. @param {string} key */
    stop,
    tell,
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
    /** Call a function with the progress of every model in parts, until a signal aborts.
     * @param {(progress: Progress) => void} listener
     * @param {AbortSignal} signal
     */
    listen(listener, signal) {
      listeners.add(listener);
      signal.addEventListener("abort", () => listeners.delete(listener));
    },
  };
}

async function whole({ address }, signal) {
  const [about, answer] = await Promise.all([aboutOf(address, signal), answerOf(address, signal)]);
  return readFiles(about, await answer.arrayBuffer());
}

async function inParts({ address, tokenizers }, signal, told, announce) {
  const about = await aboutOf(address, signal);
  /** @type {import("./parts").Part[]} */
  const parts = about.parts;
  const all = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let receiver = null;
  const take = (bytes, at) => {
    receiver ??= receiveInRoom(bytes, all, readConfig(about.config));
    receiver.put(bytes, at);
  };
  const reading = readTexts(about.tokenizers, tokenizers, announce); // a fault in these shows before the weights arrive
  const fetching = fetchParts(address, parts, take, {
    tell: (loaded) => told(loaded, all),
    signal,
  });
  const [texts] = await Promise.all([reading, fetching]);
  return keptOf(about, texts, receiver.finish());
}

async function withoutWeights({ address, tokenizers }, signal) {
  const about = await aboutOf(address, signal);
  const texts = (tokenizers ? readForeignNames : readTokenizers)(about.tokenizers);
  return keptOf(about, texts, { config: readConfig(about.config), parameters: null });
}

// The reader of third-party tokenizers is large, so it is loaded with the first model that needs it.
async function readTexts(said, reader, announce) {
  if (!reader) return readTokenizers(said);
  const { readForeign } = await import(reader);
  return announce(() => readForeign(said));
}

async function aboutOf(address, signal) {
  const about = await (await answerOf(`${address}.json`, signal)).json();
  if (about.fault) throw new ModelFault(about.fault);
  return about;
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

/** @type {import("../twin/types").WritingRules} */
const NO_RULES = { first: null, last: null, never: [] };

/** Read the two files of a checkpoint.
 * @param {any} about
 * @param {ArrayBuffer} weights
 */
export const readFiles = (about, weights) =>
  keptOf(about, readTokenizers(about.tokenizers), readModel(weights, readConfig(about.config)));

/** @returns {Kept} */
function keptOf({ training, rules = NO_RULES, bits }, tokenizers, model) {
  const { start, stops } = tokenizers.specials;
  return {
    model: { ...model, writing: { start, stops, rules } },
    tokenizers,
    smoothing: training?.label_smoothing ?? 0,
    bits,
  };
}
