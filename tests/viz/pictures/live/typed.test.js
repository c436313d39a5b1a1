// What is typed is held against Python's run of the same text with the same changes, and of no other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoupe } from "../../../../viz/pictures/browser/explorer.js";
import { createModels } from "../../../../viz/pictures/browser/live/models.js";
import { createTyped } from "../../../../viz/pictures/browser/live/typed.js";
import { TYPED, takeRun, typedNow } from "../../../../viz/pictures/browser/run.js";

const KIND = "encoder self-attention";
const OFF = {
  kind: "zero",
  name: "encoder.layers.0.self_attn.heads",
  head: 1,
  rows: null,
  columns: null,
  origin: "",
};

const stack = (size) => ({
  name: "encoder.layers.{layer}.self_attn.weights",
  layers: 1,
  heads: 1,
  rows: size,
  columns: size,
  queries: ["source", 0],
  keys: ["source", 0],
  drawn: [size, size],
  offset: 0,
});

function answerOf(text, interventions, code) {
  const source = text.split(" ");
  const kinds = { [KIND]: stack(source.length) };
  const codes = new Uint16Array(source.length ** 2).fill(code);
  return {
    text,
    interventions,
    tokens: { source, target: [] },
    kinds,
    codes,
    tensors: {},
    touched: [],
  };
}

// An explorer in whose page a worker answers what it is told to.
function explorer(answers) {
  const root = /** @type {any} */ ({ addEventListener() {} });
  const loupe = createLoupe(root);
  const worker = {
    addEventListener(name, heard) {
      if (name === "message") worker.heard = heard;
    },
    postMessage: ({ text }) => worker.heard({ data: { answer: answers(text) } }),
    heard: (_event) => {},
  };
  globalThis.Worker = /** @type {any} */ (
    function made() {
      return worker;
    }
  );
  loupe.part(createModels).put("m", /** @type {any} */ ({ model: {} }));
  const typed = loupe.part(createTyped);
  const run = (key, text, interventions = [], code = 10_000) => {
    const { tokens, kinds, codes } = answerOf(text, interventions, code);
    takeRun(
      loupe,
      /** @type {any} */ ({ run: key, kinds, tokens, languages: [], axes: {}, gold: null }),
      codes,
    );
    loupe.selection = /** @type {any} */ ({
      run: key,
      kind: KIND,
      layer: 0,
      head: 0,
      query: 1,
      key: 0,
      step: 0,
    });
    typed.learn(
      /** @type {any} */ ({ run: key, model: { key: "m" }, text, interventions, given: false }),
    );
  };
  return { loupe, typed, run };
}

test("what is typed is in view until Python has run it, and then held against that", () => {
  const { loupe, typed, run } = explorer((text) => answerOf(text, [], 10_001));
  run("a", "the cat");
  typed.type("the old cat", "", () => {});
  assert.equal(loupe.selection.run, TYPED);
  assert.equal(typedNow(loupe).text, "the old cat");
  assert.equal(loupe.selection.query, 2); // "cat" has gone on
  assert.equal(typed.checked(), null);
  run("b", "the old cat");
  assert.equal(typedNow(loupe), undefined);
  assert.ok(Math.abs(typed.checked().difference - 1.5 / 50_000) < 1e-9);
  typed.leave();
});

test("a run with other changes is no run of the same", () => {
  const { typed, run } = explorer((text) => answerOf(text, [], 10_001));
  run("a", "the cat");
  typed.type("the old cat", "", () => {});
  run("b", "the old cat", [OFF], 40_000);
  assert.equal(typed.checked(), null);
  typed.leave();
});

test("typed back, it is Python's run and cell again", () => {
  const { loupe, typed, run } = explorer((text) => answerOf(text, [], 10_000));
  run("a", "the cat");
  typed.type("the old cat", "", () => {});
  typed.type("the cat", "", () => {});
  assert.deepEqual([loupe.selection.run, loupe.selection.query], ["a", 1]);
});

test("a word that is none yet is not read", () => {
  const asked = [];
  const { typed, run } = explorer((text) => {
    asked.push(text);
    return answerOf(text.trim(), [], 10_000);
  });
  run("a", "the cat");
  typed.type("the old ca", "ca", () => {});
  assert.equal(asked.at(-1), "the old ");
  assert.equal(typed.unfinished(), "ca");
  typed.leave();
});
