// A large model, which a worker of the page runs: its rounded answer is compared with Python's longer run, changes are
// left to Python, and a model that cannot be loaded is requested once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoupe } from "../../../../viz/pictures/browser/explorer.js";
import { createCheck } from "../../../../viz/pictures/browser/live/check.js";
import { createModels } from "../../../../viz/pictures/browser/live/models.js";
import { createRunner } from "../../../../viz/pictures/browser/live/runner.js";
import { createTyped } from "../../../../viz/pictures/browser/live/typed.js";

const KIND = "decoder self-attention";
const LARGE = { key: "large", address: "/weights/large", in_parts: true };
const MASKED = 65_535;

/** Return the codes of one head in a causal model, by row. @param {number[][]} rows */
const codesOf = (rows) =>
  Uint16Array.from(
    rows.flatMap((row) => [...row, ...Array(rows.length - row.length).fill(MASKED)]),
  );

// The browser's answer to two tokens, after which it wrote one.
const answer = /** @type {any} */ ({
  text: "the cat",
  interventions: [],
  tokens: { source: [], target: ["the", "cat", "sat"] },
  kinds: { [KIND]: { layers: 1, heads: 1, rows: 2, columns: 2, offset: 0 } },
  codes: codesOf([[50_000], [20_000, 30_000]]),
});

/** Return Python's run, which wrote three tokens. */
function pythons({ target = ["the", "cat", "sat", "on", "it"], whole = true } = {}) {
  const rows = [[50_000], [20_007, 29_993], [10, 20, 49_970], [1, 2, 3, 49_994]];
  return {
    tokens: { source: [], target },
    kinds: { [KIND]: { whole, rows: 4, columns: 4, codes: codesOf(rows) } },
  };
}

function checked(run) {
  const loupe = /** @type {any} */ ({ selection: { run: "b" }, run: () => run });
  const check = createCheck(loupe);
  check.answered(answer);
  check.ran(/** @type {any} */ ({ run: "b", model: LARGE, text: "the cat", interventions: [] }));
  return check.now();
}

test("the first rows of Python's longer run are compared with those that the browser computed", () => {
  const { difference, isRounded } = checked(pythons());
  assert.ok(Math.abs(difference - 7.5 / 50_000) < 1e-9);
  assert.equal(isRounded, true);
});

test("a run that continues with another word, or was sent reduced, has no finite difference", () => {
  const other = checked(pythons({ target: ["the", "cat", "sits", "on", "it"] }));
  assert.equal(other.difference, Infinity);
  assert.ok(Number.isNaN(checked(pythons({ whole: false })).difference));
});

test("a translation with the same beginning is still a different one", () => {
  const read = { ...answer, tokens: { ...answer.tokens, source: ["a"] } };
  const loupe = /** @type {any} */ ({ selection: { run: "b" }, run: () => pythons() });
  const check = createCheck(loupe);
  check.answered(read);
  check.ran(/** @type {any} */ ({ run: "b", model: LARGE, text: "the cat", interventions: [] }));
  assert.equal(check.now().difference, Infinity);
});

/** @param {any} model */
function typing(model) {
  const loupe = createLoupe(/** @type {any} */ ({ addEventListener() {} }));
  const asked = [];
  loupe.runner = { ask: (task, done) => asked.push({ task, done }), take: () => assert.fail() };
  const typed = loupe.part(createTyped);
  const learn = (of) =>
    typed.learn(/** @type {any} */ ({ run: "a", model: of, text: "the cat", interventions: [] }));
  learn(model);
  return { typed, asked, learn };
}

test("a typed text is run by the browser, and changes are left to Python", () => {
  const { typed, asked } = typing(LARGE);
  typed.prepareChange();
  typed.change([/** @type {any} */ ({ kind: "zero", name: "decoder.layers.0.self_attn.heads" })]);
  assert.deepEqual(asked, []);
  typed.type("the cat s", "", () => {});
  assert.deepEqual(
    asked.map(({ task }) => task.text),
    ["the cat s"],
  );
  typed.leave();
});

test("the answer of a model that is no longer shown is dropped", () => {
  const { typed, asked, learn } = typing(LARGE);
  typed.type("the cat s", "", () => {});
  learn({ ...LARGE, key: "other" });
  asked[0].done(answer); // `take` would fail
  typed.leave();
});

test("a model that cannot be loaded is requested once, and each key press reports why", async () => {
  const asked = [];
  globalThis.fetch = /** @type {any} */ (
    async (address) => {
      asked.push(address);
      return { ok: true, json: async () => ({ fault: "tokenizer" }) };
    }
  );
  const loupe = createLoupe(/** @type {any} */ ({ addEventListener() {} }));
  const progress = [];
  const { signal } = new AbortController();
  loupe.part(createModels).listen((told) => progress.push(told), signal);
  const runner = createRunner(loupe);
  const task = /** @type {any} */ ({ do: "run", model: LARGE, text: "the cat", interventions: [] });
  const fault = () =>
    new Promise((fail) => runner.ask(task, () => assert.fail("it answered"), fail));
  for (let key = 0; key < 2; key++) assert.equal((await fault()).reason, "tokenizer");
  assert.deepEqual(asked, ["/weights/large.json"]);
  assert.deepEqual(progress, [{ key: "large", loaded: 0, all: 0 }]);
});

test("a text that the tokenizer never finishes does not keep the next text from the model", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const workers = [];
  class Worker {
    asked = [];
    constructor() {
      workers.push(this);
    }
    addEventListener(what, hear) {
      if (what === "message") this.hear = (data) => hear({ data });
    }
    postMessage(message) {
      this.asked.push(message);
    }
    terminate() {}
  }
  globalThis.Worker = /** @type {any} */ (Worker);
  const loupe = createLoupe(/** @type {any} */ ({ addEventListener() {} }));
  loupe.part(createModels).put(LARGE.key, /** @type {any} */ ({}));
  const runner = createRunner(loupe);
  const told = [];
  const ask = (text) =>
    runner.ask(
      /** @type {any} */ ({ do: "run", model: LARGE, text, interventions: [] }),
      (done) => told.push(done),
      (fault) => told.push(fault.reason),
    );
  ask("for ever");
  workers[0].hear({ number: workers[0].asked[0].number, works: true });
  for (let second = 0; second < 10; second++) context.mock.timers.tick(1000);
  ask("the cat");
  const [{ number, task }] = workers[1].asked;
  workers[1].hear({ number, answer: task.text });
  assert.deepEqual(told, ["slow_text", "the cat"]);
});
