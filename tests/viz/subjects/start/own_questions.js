// Asks about sentences in the browser's own model: `node own_questions.js FOLDER`, for test_own_question.py.

import { readFileSync, writeFileSync } from "node:fs";
import { mock } from "node:test";
import { createVocabulary } from "../../../../viz/frame/browser/vocabulary.js";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { readModel } from "../../../../viz/pictures/browser/twin/safetensors.js";
import { readTokenizers } from "../../../../viz/pictures/browser/twin/text/tokenizer.js";
import { createOwn } from "../../../../viz/subjects/start/browser/start_own.js";

const folder = process.argv[2];
const { weights, about, vocabulary, interventions, asked } = JSON.parse(
  readFileSync(`${folder}/asked.json`, "utf8"),
);
const file = readFileSync(weights);
const { config, tokenizers } = JSON.parse(readFileSync(about, "utf8"));
const kept = {
  model: readModel(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength), config),
  tokenizers: readTokenizers(tokenizers),
};
const { partOf } = createVocabulary(vocabulary);

const PAUSE = 1000; // in which every head is cut
mock.timers.enable({ apis: ["setTimeout"] });

const told = asked.map(({ text, word }) => {
  const answer = answerTo(kept, text, interventions);
  const own = createOwn(() => {});
  const ask = () => own.ask(answer, kept.model, partOf, { chosen: word, asked: undefined });
  ask();
  mock.timers.tick(PAUSE);
  const { layer, head, query, reading } = ask();
  const numbers = Object.entries(reading).map(([name, value]) => [
    name,
    value instanceof Float32Array ? Array.from(value) : value,
  ]);
  return { layer, head, query, reading: Object.fromEntries(numbers) };
});
writeFileSync(`${folder}/told.json`, JSON.stringify(told));
