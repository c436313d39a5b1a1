// Does the tasks of the browser's own models beside the page, so that no key waits for them.

import { createWholeModels } from "./models.js";
import { buffersOf, perform } from "./tasks.js";

const models = createWholeModels();
const { signal } = new AbortController(); // as long as the worker

models.listen((progress) => self.postMessage({ progress }), signal);
self.addEventListener("message", async ({ data: { number, task } }) => {
  try {
    const answer = await perform(models, task);
    self.postMessage({ number, answer }, { transfer: buffersOf(answer) });
  } catch (error) {
    const { message, reason = "", values = {} } = error;
    self.postMessage({ number, wrong: { message, reason, values } });
  }
});
