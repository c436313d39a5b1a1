// Fetches the weights of the model in view, once, so that the browser can run it. Draws nothing.

import { readModel } from "../../../pictures/browser/twin/safetensors.js";

/** @typedef {{model: import("../../../pictures/browser/twin/types").Model, vocabulary: string[]}} Kept */

const MOST_KEPT = 3;

/** The models that an explorer has, by the names of their weights.
 * @returns {Map<string, Kept>}
 */
export const createModels = () => new Map();

/** @type {import("../../../pictures/browser/types").Setup} */
function touchModel(loupe, { signal }) {
  const models = loupe.part(createModels);
  let asked = "";
  /** @param {import("./wire").WireModel} data */
  return async ({ key, address, config, vocabulary }) => {
    if (models.has(key) || asked === key) return;
    asked = key;
    try {
      const answer = await fetch(address, { signal });
      if (!answer.ok) throw new Error(`the weights could not be fetched: ${answer.status}`);
      const model = readModel(await answer.arrayBuffer(), /** @type {any} */ (config));
      models.set(key, { model, vocabulary });
      if (models.size > MOST_KEPT) models.delete(models.keys().next().value);
      loupe.tell("run");
    } catch (error) {
      asked = "";
      if (!signal.aborted) console.error("loupe: the browser cannot run this model", error);
    }
  };
}

export const components = { touch_model: touchModel };
