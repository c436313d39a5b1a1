// Asks about sentences in the browser's own model: `node own_questions.js FOLDER`, for test_own_question.py.

import { readFileSync, writeFileSync } from "node:fs";
import { createVocabulary } from "../../../../viz/frame/browser/vocabulary.js";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { readModel } from "../../../../viz/pictures/browser/twin/safetensors.js";
import { readTokenizers } from "../../../../viz/pictures/browser/twin/text/tokenizer.js";
import { rowsToAsk } from "../../../../viz/subjects/start/browser/own_question.js";
import { likelihoodWithout, ownReading } from "../../../../viz/subjects/start/browser/own_reading.js";
import { mostMattering } from "../../../../viz/subjects/start/browser/start_own.js";

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

const told = asked.map(({ text, word }) => {
  const answer = answerTo(kept, text, interventions);
  const rows = rowsToAsk(answer, partOf, word);
  const { layer, head, query } = mostMattering(rows, (row) =>
    rows.length > 1 ? likelihoodWithout(answer, kept.model, row) : 0,
  );
  const reading = ownReading(answer, kept.model, { layer, head, query });
  const numbers = Object.entries(reading).map(([name, value]) => [
    name,
    value instanceof Float32Array ? Array.from(value) : value,
  ]);
  return { layer, head, query, reading: Object.fromEntries(numbers) };
});
writeFileSync(`${folder}/told.json`, JSON.stringify(told));
