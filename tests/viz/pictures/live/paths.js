// Writes paths in models of any anatomy, as the worker of a page does: `node paths.js`, for test_paths.py.

import { readFileSync } from "node:fs";
import { asked, tell } from "../../../browser/asked.mjs";
import { createTasks } from "../../../../viz/pictures/browser/live/tasks.js";
import { readConfig } from "../../../../viz/pictures/browser/twin/config.js";
import { readModel } from "../../../../viz/pictures/browser/twin/safetensors.js";

const { weights, config, writing, tasks } = asked;
const file = readFileSync(weights);
const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
const model = { ...readModel(buffer, readConfig(config)), writing };

// Names of tokens are their ids.
const named = { target: { decode: (ids) => ids.join(" ") } };
const kept = { model, tokenizers: { naming: () => named } };
const messages = [];
let hear = (_message) => {};
const take = createTasks(/** @type {any} */ ({ get: async () => kept }), (message) => {
  messages.push(message);
  hear(message);
});
const done = (number, task) => {
  const answered = new Promise((found, fail) => {
    hear = ({ number: which, answer, wrong }) => {
      if (which !== number) return;
      if (wrong) fail(new Error(wrong.message));
      else if (answer) found(answer);
    };
  });
  take({ number, task });
  return answered;
};

const answers = [];
for (const [number, task] of tasks.entries()) {
  const answer = await done(number + 1, task);
  const numbers = Object.entries(answer.handed ?? {}).map(([name, data]) => [name, [...data]]);
  answers.push(Array.isArray(answer) ? answer : { ...answer, ...Object.fromEntries(numbers) });
}

// Of two tasks, the first is stopped at once and ends without an answer.
const last = tasks.length + 1;
const stopped = take({ number: last, task: tasks[0] });
take({ number: last, stopped: true });
await done(last + 1, tasks[0]);
await stopped;
const ends = messages.filter(({ number }) => number >= last);
tell({ answers, ends: ends.map(({ number, wrong }) => [number - last, wrong?.message ?? ""]) });
