// Answers texts with the browser's own model: `node answers.js FOLDER`, for test_answer.py.

import { readFileSync, writeFileSync } from "node:fs";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { readModel } from "../../../../viz/pictures/browser/twin/safetensors.js";
import { readTokenizers } from "../../../../viz/pictures/browser/twin/text/tokenizer.js";

const folder = process.argv[2];
const { checkpoint, texts, interventions } = JSON.parse(
  readFileSync(`${folder}/asked.json`, "utf8"),
);
const file = readFileSync(`${checkpoint}.safetensors`);
const about = JSON.parse(readFileSync(`${checkpoint}.json`, "utf8"));
const weights = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
const model = readModel(weights, about.config);
const kept = { model, tokenizers: readTokenizers(about.tokenizers) };
const told = texts.map((text) => {
  const { written, sentence, tokens, kinds, codes, steps } = answerTo(kept, text, interventions);
  return { written, sentence, tokens, kinds, codes: [...codes], steps };
});
writeFileSync(`${folder}/told.json`, JSON.stringify(told));
