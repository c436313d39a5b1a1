// Answers texts with the browser's own model: `node answers.js FOLDER`, for test_answer.py.

import { readFileSync, writeFileSync } from "node:fs";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { carried } from "../../../../viz/pictures/browser/live/carried.js";
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
  const answer = answerTo(kept, text, interventions);
  const { written, sentence, tokens, kinds, codes, steps } = answer;
  const telling = tellingCells(answer);
  return { written, sentence, tokens, kinds, codes: [...codes], steps, telling };
});

// The cell of each head, where what was chosen before is in another sentence.
function tellingCells({ kinds, tokens, codes }) {
  const run = { kinds: {}, tokens };
  for (const [kind, { offset, ...stack }] of Object.entries(kinds))
    run.kinds[kind] = { ...stack, codes: codes.subarray(offset) };
  const before = { tokens: { source: ["none"], target: ["none", "none"] } };
  const cells = [];
  for (const [kind, { layers, heads }] of Object.entries(kinds))
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++) {
        const { query, key } = carried({ kind, layer, head, query: 0, key: 0 }, before, run);
        cells.push([kind, layer, head, query, key]);
      }
  return cells;
}
writeFileSync(`${folder}/told.json`, JSON.stringify(told));
