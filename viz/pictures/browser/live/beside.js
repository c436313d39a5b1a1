// The tasks of the browser's own models, done beside the page in a worker if the browser can start one.

import { createModels } from "./models.js";
import { ModelFault } from "./parts.js";
import { createPatience } from "./patience.js";
import { createTasks } from "./tasks.js";

/** @typedef {import("./types").Task} Task */
/** A task that is not finished yet.
 * @typedef {object} Waiting
 * @property {Task} task
 * @property {(answer: any) => void} done
 * @property {(fault: Error) => void} fail
 * @property {(told: any) => void} tell
 */

/** Make the connection to the worker, which starts with the first task.
 * @param {import("../types").Loupe} loupe the explorer whose own models do the tasks if no worker can be started
 */
export function createBeside(loupe) {
  const models = loupe.part(createModels);
  let number = 0;
  /** @type {Map<number, Waiting>} */
  const waiting = new Map();
  const heard = (message) => {
    const { number: which, answer = null, wrong = null, progress = null, told = null } = message;
    if (progress) return models.tell(progress);
    if ("works" in message) return patience.hear(message);
    const asked = waiting.get(which);
    if (!asked) return; // it was cancelled
    if (told) return asked.tell(told);
    waiting.delete(which);
    if (!wrong) return asked.done(answer);
    asked.fail(
      wrong.reason ? new ModelFault(wrong.reason, wrong.values) : new Error(wrong.message),
    );
  };
  const worker = createWorker(models, heard, waiting);
  // If the tokenizer does not finish a text, its task ends together with the worker. A new worker does the other tasks.
  const patience = createPatience((which, seconds) => {
    const given = [...waiting].filter(([each]) => which === null || which === each);
    for (const [each] of given) waiting.delete(each);
    worker.restart();
    const reason = which === null ? "slow_tokenizer" : "slow_text";
    for (const [, { fail }] of given) fail(new ModelFault(reason, { seconds }));
  });
  /** Do a task, and pass its result to a callback.
   * @param {Task} task
   * @param {(answer: any) => void} done
   * @param {(fault: Error) => void} fail
   * @param {(told: any) => void} [tell] called with the progress
   */
  const ask = (task, done, fail, tell = () => {}) => {
    const which = ++number;
    waiting.set(which, { task, done, fail, tell });
    worker.post({ number: which, task });
    return which;
  };
  return {
    ask,
    /** Do a task. The promise is rejected if it fails.
     * @param {Task} task
     * @param {object} [ways]
     * @param {AbortSignal} [ways.signal] stops a task whose answer is no longer wanted
     * @param {(told: any) => void} [ways.tell] called with the progress
     * @returns {Promise<any>}
     */
    do: (task, { signal, tell } = {}) =>
      new Promise((done, fail) => {
        const which = ask(task, done, fail, tell);
        signal?.addEventListener("abort", () => {
          if (!waiting.delete(which)) return;
          worker.post({ number: which, stopped: true });
          fail(signal.reason);
        });
      }),
  };
}

/** Make the executor of the tasks: the worker, started with the first of them, or else the page itself.
 * @param {import("./models").Models} models
 * @param {(message: any) => void} heard
 * @param {Map<number, Waiting>} waiting
 */
function createWorker(models, heard, waiting) {
  /** @type {{postMessage(message: import("./types").Message): void, terminate?(): void} | null} */
  let worker = null;
  /** @param {import("./types").Message} message */
  const post = (message) => {
    worker ??= begun(heard, goOnHere) ?? onPage(models, heard);
    worker.postMessage(message);
  };
  const postAll = () => {
    for (const [which, { task }] of waiting) post({ number: which, task });
  };
  // A page opened from a disk may be unable to start a worker, and learns that only later, by an error event.
  const goOnHere = (event) => {
    event.preventDefault();
    worker = onPage(models, heard);
    postAll();
  };
  return {
    post,
    /** End the worker, whatever it is doing, and start another one for the remaining tasks. */
    restart() {
      worker.terminate?.();
      worker = null;
      postAll();
    },
  };
}

// Start the worker; return null if the browser does not allow that.
function begun(heard, refused) {
  try {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => heard(data));
    worker.addEventListener("error", refused);
    return worker;
  } catch {
    return null;
  }
}

const onPage = (models, heard) => ({ postMessage: createTasks(models, heard) });
