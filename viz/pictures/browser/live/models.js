// The models that the browser can run itself: fetched once each, as the checkpoint has them on disk.

import { readConfig } from "../twin/config.js";
import { readModel } from "../twin/safetensors.js";
import { readTokenizers } from "../twin/text/tokenizer.js";

/** A model, and how much of the probability the training asked for on all tokens but the right one.
 * @typedef {{model: import("../twin/types").Model, tokenizers: import("../twin/text/types").Tokenizers,
 *   smoothing: number}} Kept
 */
/** @typedef {ReturnType<typeof createModels>} Models */

const MOST_KEPT = 3;

/** Make the keeper of the models of an explorer. */
export function createModels() {
  /** @type {Map<string, Promise<Kept>>} */
  const asked = new Map();
  /** @type {Map<string, Kept>} */
  const here = new Map();
  const forget = (key) => {
    asked.delete(key);
    here.delete(key);
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
    /** The model of a name, from its two files.
     * @param {import("../wire").WireModel} wanted
     */
    get({ key, address }) {
      if (asked.has(key)) return asked.get(key);
      const coming = fetched(address);
      asked.set(key, coming);
      coming.then((found) => here.set(key, found)).catch(() => forget(key));
      if (asked.size > MOST_KEPT) forget(asked.keys().next().value);
      return coming;
    },
  };
}

async function fetched(address) {
  const answers = await Promise.all([fetch(`${address}.json`), fetch(address)]);
  for (const { ok, status } of answers)
    if (!ok) throw new Error(`the model could not be fetched: ${status}`);
  const [about, weights] = await Promise.all([answers[0].json(), answers[1].arrayBuffer()]);
  return readFiles(about, weights);
}

/** @type {import("../twin/types").WritingRules} */
const NO_RULES = { first: null, last: null, never: [] };

/** Read a checkpoint's two files.
 * @param {any} about
 * @param {ArrayBuffer} weights
 * @returns {Kept}
 */
export function readFiles({ config, tokenizers: said, training, rules = NO_RULES }, weights) {
  const tokenizers = readTokenizers(said);
  const { start, stops } = tokenizers.specials;
  return {
    model: { ...readModel(weights, readConfig(config)), writing: { start, stops, rules } },
    tokenizers,
    smoothing: training?.label_smoothing ?? 0,
  };
}
