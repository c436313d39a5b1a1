// Runs the tasks of the browser's own models in a worker, so that typing does not wait for them.

import { createWholeModels } from "./models.js";
import { announced } from "./patience.js";
import { createTasks } from "./tasks.js";

const models = createWholeModels(announced((message) => self.postMessage(message), null));
const { signal } = new AbortController(); // for the lifetime of the worker

models.listen((progress) => self.postMessage({ progress }), signal);
const take = createTasks(models, (message, transfer) => self.postMessage(message, { transfer }));
self.addEventListener("message", ({ data }) => take(data));
