// A typed text is compared only with Python's run of the same text and changes, and its run disappears with the text.
// Each test simulates the events of the person, the field and Python.

import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";
import { createLoupe } from "../../../../viz/pictures/browser/explorer.js";
import { createModels } from "../../../../viz/pictures/browser/live/models.js";
import { createRunner } from "../../../../viz/pictures/browser/live/runner.js";
import { createTyped } from "../../../../viz/pictures/browser/live/typed.js";
import { createBeneath, TYPED, takeRun, typedNow } from "../../../../viz/pictures/browser/run.js";

// No timer keeps this process alive: a change waits ten seconds for Python.
before(() => mock.timers.enable({ apis: ["setTimeout"] }));
after(() => mock.timers.reset());

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
    read: { unknown: [] },
    kinds,
    codes,
    tensors: {},
    touched: [],
  };
}

const inputsOf = (run, text, interventions = []) => ({
  run,
  model: { key: "m" },
  text,
  interventions,
  given: false,
});

// Make an explorer whose worker gives the answers of a test: at once, or when the test says so.
function explorer(answers, waits = false) {
  const root = /** @type {any} */ ({ addEventListener() {} });
  const loupe = createLoupe(root);
  const worker = {
    addEventListener(name, heard) {
      if (name === "message") worker.heard = heard;
    },
    postMessage({ number, task: { text, interventions } }) {
      worker.answer = () =>
        worker.heard({ data: { number, answer: answers(text, interventions) } });
      if (!waits) worker.answer();
    },
    heard: (_event) => {},
    answer: () => {},
  };
  globalThis.Worker = /** @type {any} */ (
    function made() {
      return worker;
    }
  );
  loupe.part(createModels).put("m", /** @type {any} */ ({ model: { config: {} } }));
  loupe.runner = loupe.part(createRunner);
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
    typed.learn(/** @type {any} */ (inputsOf(key, text, interventions)));
  };
  return { loupe, typed, run, worker };
}

test("a typed text is shown until Python has run it, and is then compared with Python's run", () => {
  const { loupe, typed, run } = explorer((text) => answerOf(text, [], 10_001));
  run("a", "the cat");
  typed.type("the old cat", "", () => {});
  assert.equal(loupe.selection.run, TYPED);
  assert.equal(typedNow(loupe).text, "the old cat");
  assert.equal(loupe.selection.query, 2); // "cat" has moved
  assert.equal(typed.checked(), null);
  run("b", "the old cat");
  assert.equal(typedNow(loupe), undefined);
  assert.ok(Math.abs(typed.checked().difference - 1.5 / 50_000) < 1e-9);
  typed.leave();
});

test("a run with other changes is not compared", () => {
  const { typed, run } = explorer((text) => answerOf(text, [], 10_001));
  run("a", "the cat");
  typed.type("the old cat", "", () => {});
  run("b", "the old cat", [OFF], 40_000);
  assert.equal(typed.checked(), null);
  typed.leave();
});

for (const [names, value] of [
  ["rows", [1]],
  ["columns", [1]],
  ["origin", "the old dog"],
])
  test(`a change that names ${names} is left out in another text and applies again in its own`, () => {
    const asked = [];
    const { loupe, typed, run } = explorer((text, interventions) => {
      asked.push(interventions);
      return answerOf(text, interventions, 10_000);
    });
    const own = { ...OFF, head: 0, [names]: value };
    run("a", "the cat", [own, OFF]);
    typed.type("the old cat", "", () => {});
    assert.equal(loupe.selection.run, TYPED);
    assert.deepEqual(asked, [[OFF]]);
    typed.change([own]);
    typed.type("the cat", "", () => {});
    assert.deepEqual(asked.slice(1), [[], [own]]);
    typed.leave();
  });

test("the browser's changes stay in view until Python has run all of them", () => {
  const { loupe, typed, run } = explorer((text, made) => answerOf(text, made, 10_000));
  const more = { ...OFF, head: 0, name: "encoder.layers.1.self_attn.heads" };
  run("a", "the cat");
  typed.change([OFF]);
  assert.equal(loupe.selection.run, TYPED);
  typed.change([OFF, more]);
  run("b", "the cat", [OFF]);
  assert.equal(loupe.selection.run, TYPED);
  assert.deepEqual(typed.changes(), [OFF, more]);
  run("c", "the cat", [OFF, more]);
  assert.equal(loupe.selection.run, "c");
  typed.leave();
});

test("typing the old text again restores Python's run and cell", () => {
  const { loupe, typed, run } = explorer((text) => answerOf(text, [], 10_000));
  run("a", "the cat");
  typed.type("the old cat", "", () => {});
  typed.type("the cat", "", () => {});
  assert.deepEqual([loupe.selection.run, loupe.selection.query], ["a", 1]);
});

test("an unfinished word is not read", () => {
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

test("if the field gets another text, as after going back at once, the typed text is abandoned", () => {
  const { loupe, typed, run } = explorer((text) => answerOf(text, [], 10_000));
  run("a", "the cat");
  typed.type("the old cat", "", () => {});
  typed.hold("the old cat"); // the typed text itself, so nothing changes
  assert.equal(loupe.selection.run, TYPED);
  typed.hold("the cat");
  assert.deepEqual([loupe.selection.run, loupe.selection.query], ["a", 1]);
  assert.equal(typedNow(loupe), undefined);
});

test("an answer to an abandoned text is dropped", () => {
  const { loupe, typed, run, worker } = explorer((text) => answerOf(text, [], 10_000), true);
  run("a", "the cat");
  typed.type("the old cat", "", () => {});
  typed.hold("the cat");
  worker.answer();
  assert.equal(loupe.selection.run, "a");
});

test("if Python runs the typed text and goes back before it selects a cell, the earlier run is shown", () => {
  const { loupe, typed, run } = explorer((text) => answerOf(text, [], 10_000));
  run("a", "the cat");
  const before = loupe.selection;
  typed.type("the old cat", "", () => {});
  typed.learn(/** @type {any} */ (inputsOf("b", "the old cat")));
  assert.equal(loupe.selection.run, TYPED); // until Python has selected a cell of its run
  typed.learn(/** @type {any} */ (inputsOf("a", "the cat")));
  assert.deepEqual(loupe.selection, before);
});

test("changes that Python made and undid before a run do not stay in view", () => {
  const { loupe, typed, run } = explorer((text) => answerOf(text, [], 10_000));
  run("a", "the cat");
  typed.change([OFF]);
  typed.change([]);
  assert.equal(loupe.selection.run, TYPED);
  typed.hasMade([OFF]); // the first change; its undoing is on the way
  assert.equal(loupe.selection.run, TYPED);
  typed.hasMade([]);
  assert.equal(loupe.selection.run, "a");
});

test("a change stays in view until Python has run it", () => {
  const { loupe, typed, run } = explorer((text) => answerOf(text, [], 10_000));
  run("a", "the cat");
  typed.change([OFF]);
  typed.hasMade([OFF]); // the bar arrives before the run
  assert.equal(loupe.selection.run, TYPED);
  run("b", "the cat", [OFF]);
  assert.equal(loupe.selection.run, "b");
});

test("going back drops the changes that Python has not made, and keeps the text in the field", () => {
  const { loupe, typed, run } = explorer((text) => answerOf(text, [], 10_000));
  run("a", "the cat");
  typed.change([OFF]);
  typed.goBack();
  assert.deepEqual([loupe.selection.run, typed.changes()], ["a", []]);
  typed.type("the old cat", "", () => {});
  typed.change([OFF]);
  typed.goBack();
  assert.deepEqual([typedNow(loupe).text, typed.changes()], ["the old cat", []]);
  typed.leave();
});

test("a cell chosen with changes stays selected without them; one in an abandoned text does not", () => {
  const { loupe, typed, run } = explorer((text) => answerOf(text, [], 10_000));
  run("a", "the cat");
  let left = 0;
  loupe.part(createBeneath).left = () => left++;
  typed.change([OFF]);
  loupe.select({ query: 0, key: 1 });
  typed.goBack();
  assert.deepEqual([loupe.selection.run, loupe.selection.query, loupe.selection.key], ["a", 0, 1]);
  assert.equal(left, 1); // so Python hears of the cell
  typed.type("the old cat", "", () => {});
  loupe.select({ query: 2 });
  typed.hold("the cat");
  assert.deepEqual([loupe.selection.run, loupe.selection.query], ["a", 0]);
});
