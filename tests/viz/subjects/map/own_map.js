// Makes the map of texts from the browser's own runs: `node own_map.js FOLDER`, for test_own_map.py.

import { readFileSync, writeFileSync } from "node:fs";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { readModel } from "../../../../viz/pictures/browser/twin/safetensors.js";
import { readTokenizers } from "../../../../viz/pictures/browser/twin/text/tokenizer.js";
import { mapOwn } from "../../../../viz/subjects/map/browser/map_own.js";
import "../../../browser/texts.mjs";

const folder = process.argv[2];
const { weights, about, map, texts, interventions } = JSON.parse(
  readFileSync(`${folder}/asked.json`, "utf8"),
);
const file = readFileSync(weights);
const { config, tokenizers } = JSON.parse(readFileSync(about, "utf8"));
const kept = {
  model: readModel(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength), config),
  tokenizers: readTokenizers(tokenizers),
};
const told = texts.map((text) => {
  const { map: own, codes } = mapOwn(map, answerTo(kept, text, interventions));
  return { map: own, codes: [...codes] };
});
writeFileSync(`${folder}/told.json`, JSON.stringify(told));
