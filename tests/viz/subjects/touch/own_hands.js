// Packs runs for the hand without Python: `node own_hands.js FOLDER`, for test_own_hand.py.

import { readFileSync, writeFileSync } from "node:fs";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { readModel } from "../../../../viz/pictures/browser/twin/safetensors.js";
import { readTokenizers } from "../../../../viz/pictures/browser/twin/text/tokenizer.js";
import { packHand } from "../../../../viz/subjects/touch/browser/touch_own.js";
import { tellingPull } from "../../../../viz/subjects/touch/browser/touch_telling.js";

const folder = process.argv[2];
const { checkpoint, nouns, asked } = JSON.parse(readFileSync(`${folder}/asked.json`, "utf8"));
const file = readFileSync(`${checkpoint}.safetensors`);
const about = JSON.parse(readFileSync(`${checkpoint}.json`, "utf8"));
const weights = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
const kept = {
  model: readModel(weights, about.config),
  tokenizers: readTokenizers(about.tokenizers),
};
const told = asked.map(({ text, interventions }) => {
  const [before, now] = [[], interventions].map((changes) => ({
    run: "",
    answer: answerTo(kept, text, changes),
    interventions: changes,
  }));
  const pull = tellingPull(kept.model, before.answer, new Set(nouns));
  return packHand(kept, now, before, { pull, number: 3 });
});
writeFileSync(`${folder}/told.json`, JSON.stringify(told));
