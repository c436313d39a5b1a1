// What runs beside the page: the tasks of the browser's own models, in a worker where the browser starts one.

import { createModels } from "./models.js";
import { ModelFault } from "./parts.js";
import { perform } from "./tasks.js";

/** @typedef {import("./types").Task} Task */

/** Make the way to the worker, which is started with the first task.
 * @param {import("../types").Loupe} loupe whose own models do the tasks if no worker may be started
 */
export function createBeside(loupe) {
  const models = loupe.part(createModels);
  /** @type {{postMessage(asked: {number: number, task: Task}): void} | null} */
  let worker = null;
  let number = 0;
  /** @type {Map<number, {task: Task, done: (answer: any) => void, fail: (fault: Error) => void}>} */
  const waiting = new Map();
  const heard = ({ number: which, answer = null, wrong = null, progress = null }) => {
    if (progress) return models.tell(progress);
    const { done, fail } = waiting.get(which);
    waiting.delete(which);
    if (!wrong) return done(answer);
    fail(wrong.reason ? new ModelFault(wrong.reason, wrong.values) : new Error(wrong.message));
  };
  const begin = () => {
    try {
      const made = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      made.addEventListener("message", ({ data }) => heard(data));
      made.addEventListener("error", goOnHere);
      return made;
    } catch {
      return onPage(models, heard);
    }
  };
  // A page that was opened from a disk may start no worker, and says so only afterwards.
  const goOnHere = (event) => {
    event.preventDefault();
    worker = onPage(models, heard);
    for (const [which, { task }] of waiting) worker.postMessage({ number: which, task });
  };
  /** Do a task, and hear at once what came of it.
   * @param {Task} task
   * @param {(answer: any) => void} done
   * @param {(fault: Error) => void} fail
   */
  const ask = (task, done, fail) => {
    worker ??= begin();
    number++;
    waiting.set(number, { task, done, fail });
    worker.postMessage({ number, task });
  };
  return {
    ask,
    /** Do a task; rejected with what went wrong.
     * @param {Task} task
     * @returns {Promise<any>}
     */
    do: (task) => new Promise((done, fail) => ask(task, done, fail)),
  };
}

const onPage = (models, heard) => ({
  async postMessage({ number, task }) {
    try {
      heard({ number, answer: await perform(models, task) });
    } catch (error) {
      heard({ number, wrong: error });
    }
  },
});
