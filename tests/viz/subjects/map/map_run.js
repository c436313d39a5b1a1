// Puts runs into the maps of their models: `node map_run.js`, for test_map_run.py.

import { createLoupe } from "../../../../viz/pictures/browser/explorer.js";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { takeAnswer } from "../../../../viz/pictures/browser/live/taken.js";
import { takeRun, TYPED } from "../../../../viz/pictures/browser/run.js";
import { readTensors, takeTensors } from "../../../../viz/pictures/browser/tensors.js";
import { mapOf } from "../../../../viz/subjects/map/browser/map_run.js";
import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import "../../../browser/texts.mjs";

const { run, codes, numbers, map, sampled, typed } = asked;

const loupe = createLoupe(/** @type {any} */ (null));
takeRun(loupe, run, Uint16Array.from(codes));
if (numbers) takeTensors(loupe, run.run, run.tensors, Float32Array.from(numbers));
const samples = readTensors(map.samples, Float32Array.from(sampled));
for (const [name, { largest }] of Object.entries(map.samples))
  Object.assign(samples[name], { largest });
loupe.selection = /** @type {any} */ ({ run: run.run });
if (typed) {
  const kept = keptOf(typed.checkpoint);
  takeAnswer(loupe, TYPED, answerTo(kept, typed.text, typed.interventions), kept);
}
const { map: shown, tokens, widths, picture } = mapOf(loupe, map, samples, typed ? TYPED : run.run);
const names = shown.blocks.filter(({ pictured }) => pictured).map(({ tensor }) => tensor);
const pictures = names.map((name) => {
  const { codes, ...of } = picture(name);
  return [name, { ...of, codes: [...codes] }];
});
tell({ blocks: shown.blocks, tokens, widths, pictures: Object.fromEntries(pictures) });
