// The tasks that a page gives to the browser's own models.

import { recomputedFrom } from "../twin/head.js";
import { answerTo } from "./answer.js";
import { ModelFault } from "./parts.js";
import { forksTo, writePath } from "./paths.js";
import { announced, announcing } from "./patience.js";

/** @typedef {import("./models").Kept} Kept */
/** @typedef {import("./types").Task} Task */
/** @typedef {import("./types").Ways} Ways */

const CONTINUED = 1; // tokens that a large model writes after a prompt at each key press, because each takes a pass

/** @type {Record<Task["do"], (kept: Kept, asked: any, ways: Ways) => unknown>} */
const TASKS = {
  run: (kept, /** @type {import("./types").Asked} */ asked) =>
    answerTo(kept, asked.text, asked.interventions, asked.model.in_parts ? CONTINUED : undefined),
  head: ({ model }, /** @type {import("./types").AskedHead} */ asked) => ({
    tensors: recomputedFrom(model, asked.path, asked.head, asked.tensors),
  }),
  write: writePath,
  forks: forksTo,
};

/** Make the executor of tasks that arrive as messages. It waits for their models, and stops cancelled tasks.
 * @param {ReturnType<typeof import("./models.js").createModels>} models
 * @param {(message: object, handed?: ArrayBuffer[]) => void} post called with the answers
 */
export function createTasks(models, post) {
  /** @type {Map<number, AbortController>} */
  const doing = new Map();
  /** @param {import("./types").Message} message */
  return async ({ number, task, stopped = false }) => {
    if (stopped) return doing.get(number)?.abort();
    const controller = new AbortController();
    doing.set(number, controller);
    const ways = { signal: controller.signal, tell: (told) => post({ number, told }) };
    try {
      let kept = await models.get(task.model);
      if (!kept.model.parameters) throw new ModelFault("no_worker");
      if (task.model.tokenizers)
        kept = { ...kept, tokenizers: announcing(kept.tokenizers, announced(post, number)) };
      const answer = await TASKS[task.do](kept, task, ways);
      post({ number, answer }, buffersOf(answer));
    } catch (error) {
      const { message, reason = "", values = {} } = error;
      post({ number, wrong: { message, reason, values } });
    }
    doing.delete(number);
  };
}

// Return the buffers of an answer, which a worker transfers instead of copying them.
/** @returns {ArrayBuffer[]} */
function buffersOf(answer) {
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
