// What a page asks of the browser's own models.

import { recomputedFrom } from "../twin/head.js";
import { answerTo } from "./answer.js";
import { ModelFault } from "./parts.js";

/** @typedef {import("./models").Kept} Kept */
/** @typedef {import("./types").Task} Task */

const CONTINUED = 1; // tokens that a large model writes after a prompt at each key: each takes a pass

const TASKS = {
  run: (/** @type {Kept} */ kept, /** @type {import("./types").Asked} */ asked) =>
    answerTo(kept, asked.text, asked.interventions, asked.model.in_parts ? CONTINUED : undefined),
  head: (/** @type {Kept} */ { model }, /** @type {import("./types").AskedHead} */ asked) => ({
    tensors: recomputedFrom(model, asked.path, asked.head, asked.tensors),
  }),
};

/** Do one task, once its model is here.
 * @param {ReturnType<typeof import("./models.js").createModels>} models
 * @param {Task} task
 */
export async function perform(models, task) {
  const kept = await models.get(task.model);
  if (!kept.model.parameters) throw new ModelFault("no_worker");
  return TASKS[task.do](kept, /** @type {any} */ (task));
}

/** The numbers of an answer, which a worker hands over instead of copying them.
 * @param {any} answer
 * @returns {ArrayBuffer[]}
 */
export function buffersOf(answer) {
  const found = new Set();
  const look = (value) => {
    if (ArrayBuffer.isView(value)) found.add(value.buffer);
    else if (value && typeof value === "object")
      for (const each of Object.values(value)) look(each);
  };
  look(answer?.tensors);
  look(answer?.chosenFrom);
  look(answer?.handed);
  return [...found];
}
