// Does the tasks of the browser's own models beside the page, so that no key waits for them.

import { createWholeModels } from "./models.js";
import { announced } from "./patience.js";
import { createTasks } from "./tasks.js";

const models = createWholeModels(announced((message) => self.postMessage(message), null));
const { signal } = new AbortController(); // as long as the worker

models.listen((progress) => self.postMessage({ progress }), signal);
const take = createTasks(models, (message, transfer) => self.postMessage(message, { transfer }));
self.addEventListener("message", ({ data }) => take(data));
