// Evaluates sentences as the picture of Start does with the data from Python: `node ask.js`, for asking.py.

import { mock } from "node:test";
import { createBar } from "../../../../viz/frame/browser/field.js";
import { createVocabulary } from "../../../../viz/frame/browser/vocabulary.js";
import { createLoupe } from "../../../../viz/pictures/browser/explorer.js";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { createModels } from "../../../../viz/pictures/browser/live/models.js";
import { takeAnswer } from "../../../../viz/pictures/browser/live/taken.js";
import { takeRun, TYPED } from "../../../../viz/pictures/browser/run.js";
import { takeTensors } from "../../../../viz/pictures/browser/tensors.js";
import { createAsking } from "../../../../viz/subjects/start/browser/start_asking.js";
import { asked, keptOf, tell } from "../../../browser/asked.mjs";

const PAUSE_MS = 1000; // enough time to cut every head
mock.timers.enable({ apis: ["setTimeout"] });
globalThis.matchMedia = /** @type {any} */ (() => ({ addEventListener() {}, matches: false }));

const bytesOf = (text) => new Uint8Array(Buffer.from(text, "base64")).buffer;
const kept = asked.checkpoint ? keptOf(asked.checkpoint) : null;

const told = asked.cases.map(({ runs, heads, sent, typed, pressed, late }) => {
  const loupe = createLoupe(/** @type {any} */ ({}));
  for (const { meta, codes, numbers } of runs) {
    takeRun(loupe, meta, new Uint16Array(bytesOf(codes)));
    if (meta.tensors) takeTensors(loupe, meta.run, meta.tensors, new Float32Array(bytesOf(numbers)));
  }
  for (const { run, tensors, numbers, head } of heads)
    takeTensors(loupe, run, tensors, new Float32Array(bytesOf(numbers)), head);
  const fetchModel = () => {
    for (const { inputs } of sent.readings)
      if (kept && inputs) loupe.part(createModels).put(inputs.model.key, kept);
  };
  if (!late) fetchModel();
  loupe.selection = /** @type {any} */ ({ run: sent.readings[sent.current].run });
  if (typed) {
    loupe.part(createBar).vocabulary = createVocabulary(asked.vocabulary);
    takeAnswer(loupe, TYPED, answerTo(kept, typed.text, typed.interventions), kept);
    loupe.selection.run = TYPED;
  }
  let shown = null;
  const wanted = [];
  const state = {
    asked: null,
    sent: null,
    chosen: { word: typed?.word ?? -1, tokens: typed ? loupe.run().tokens.source : [] },
    number: 0,
    trigger: (event, value) => wanted.push({ event, ...value }),
  };
  const show = (found) => {
    shown = found;
    state.asked = found;
  };
  const asking = createAsking(loupe, state, { show, tell: () => {} });
  asking.take(sent);
  mock.timers.tick(PAUSE_MS);
  const early = shown;
  if (late) {
    if (late === "moved") {
      state.asked = { ...shown, scene: "query" };
      state.number++;
    }
    fetchModel();
    asking.follow();
    mock.timers.tick(PAUSE_MS);
  }
  if (pressed !== null) {
    state.asked = { ...shown, word: pressed, scene: "mix" };
    state.number++; // reported to Python, which has not answered yet
    asking.follow();
    asking.take(sent); // Python's answer to an earlier move
  }
  return { shown, wanted, early };
});
tell(JSON.parse(JSON.stringify(told, (_, value) => (ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value)) : value))));
