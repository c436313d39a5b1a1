// The way of the selection to Python and back, without a browser.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { createDeparture } from "../../../viz/pictures/browser/departure.js";
import { createLoupe } from "../../../viz/pictures/browser/explorer.js";
import { keyboardInUse } from "../../../viz/pictures/browser/keyboard.js";
import { createFreshness } from "../../../viz/pictures/browser/made.js";
import { createBeneath, TYPED } from "../../../viz/pictures/browser/run.js";
import { createEcho } from "../../../viz/pictures/browser/selection.js";

const STACK = { layers: 2, heads: 4, rows: 6, columns: 5 };
const START = {
  run: "r",
  kind: "cross-attention",
  layer: 0,
  head: 0,
  query: 0,
  key: 0,
  step: 0,
};
let loupe;
let sent;
let receive;
const trigger = (...all) => sent.push(all);
const shown = (selection, number) => ({ selection, number, page: "" });

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => clock);
  clock = 0;
  sent = [];
  loupe = createLoupe({});
  loupe.runs.set("r", { kinds: { "cross-attention": STACK } });
  receive = createEcho(loupe);
  receive(shown(START, 0), trigger);
});
let clock = 0;
const wait = (milliseconds) => {
  clock += milliseconds;
  mock.timers.tick(milliseconds);
};

test("a choice is clamped and reported, and the step follows the query of the decoder", () => {
  loupe.select({ query: 99, key: -3 });
  assert.deepEqual(sent, [["commit", { ...START, query: 5, step: 5, number: 1 }]]);
});

test("a choice that changes nothing is not reported", () => {
  loupe.select({ query: -1 });
  assert.deepEqual(sent, []);
});

test("choices while a key is held down are reported one at a time, and always the last one", () => {
  for (let key = 1; key < 5; key++) loupe.select({ key });
  assert.equal(sent.length, 1);
  wait(120);
  assert.deepEqual(
    sent.map(([, value]) => [value.key, value.number]),
    [
      [1, 1],
      [4, 4],
    ],
  );
});

test("cells that the page draws itself are reported once the choice has settled", () => {
  receive({ ...shown(START, 0), page: "attention" }, trigger);
  for (let key = 1; key < 5; key++) {
    loupe.select({ key });
    wait(200);
  }
  assert.deepEqual(sent, []);
  wait(100);
  assert.deepEqual(
    sent.map(([, value]) => value.key),
    [4],
  );
});

test("another head, and a cell described in an open fold, are reported at once", () => {
  receive({ ...shown(START, 0), page: "attention" }, trigger);
  loupe.select({ head: 1 });
  assert.equal(sent.length, 1);
  receive({ ...shown({ ...START, head: 1 }, 1), page: "attention" }, trigger);
  const fold = { classList: { toggle: () => {} } };
  loupe.part(createFreshness).put(fold, { query: 0, key: 0 });
  wait(500);
  loupe.select({ key: 2 });
  assert.equal(sent.length, 2);
});

test("an older echo does not undo a newer choice", () => {
  loupe.select({ key: 1 });
  loupe.select({ key: 2 });
  receive(shown({ ...START, key: 1 }, 1), trigger);
  assert.equal(loupe.selection.key, 2);
  receive(shown({ ...START, key: 2 }, 2), trigger);
  assert.equal(loupe.selection.key, 2);
  receive(shown({ ...START, key: 3 }, 3), trigger);
  assert.equal(loupe.selection.key, 3);
});

test("another run is accepted even with an older number", () => {
  loupe.runs.set("s", { kinds: { "cross-attention": STACK } });
  loupe.select({ key: 1 });
  receive(shown({ ...START, run: "s", key: 4 }, 0), trigger);
  assert.deepEqual([loupe.selection.run, loupe.selection.key], ["s", 4]);
});

test("a typed sentence stays in view until Python has run it, and is not requested", () => {
  loupe.selection = { ...START, run: "typed", key: 2 };
  receive(shown({ ...START, key: 1 }, 0), trigger);
  assert.equal(loupe.selection.run, "typed");
  wait(10_000);
  assert.deepEqual(sent, []);
  receive(shown({ ...START, run: "s" }, 0), trigger);
  assert.equal(loupe.selection.run, "s");
});

test("a head chosen while another run is on its way is then selected in that run", () => {
  loupe.runs.set("s", { kinds: { "cross-attention": STACK } });
  loupe.select({ head: 2 });
  loupe.select({ key: 3 });
  wait(200);
  receive(shown({ ...START, run: "s", key: 4 }, 0), trigger);
  assert.deepEqual([loupe.selection.run, loupe.selection.head, loupe.selection.key], ["s", 2, 4]);
  wait(200);
  assert.deepEqual(sent.at(-1), ["commit", { ...START, run: "s", head: 2, key: 4, number: 3 }]);
});

test("a choice is reported to Python before the pictures hear of it", () => {
  const order = [];
  loupe.commit = () => order.push("commit");
  loupe.tell = (what) => order.push(what);
  loupe.select({ key: 1 });
  assert.deepEqual(order, ["commit", "selection"]);
});

test("[ and ] work on keyboards that type them with AltGr or Option", () => {
  globalThis.document = { querySelector: () => null };
  globalThis.HTMLElement = class {};
  const press = (key, held = [], altGraph = false) =>
    keyboardInUse({
      key,
      ctrlKey: held.includes("Control"),
      altKey: held.includes("Alt"),
      metaKey: held.includes("Meta"),
      getModifierState: (name) => name === "AltGraph" && altGraph,
      composedPath: () => [],
    });
  assert.equal(press("["), false);
  assert.equal(press("[", ["Control", "Alt"], true), false); // Windows
  assert.equal(press("[", [], true), false); // Linux
  assert.equal(press("]", ["Alt"]), false); // Mac
  assert.equal(press("[", ["Meta"]), true); // the browser's Back on a Mac
  assert.equal(press("ArrowLeft", ["Alt"]), true);
  assert.equal(press("c", ["Control"]), true);
});

test("another kind of attention is reported as adrift until a cell of it is chosen", () => {
  loupe.runs.get("r").kinds["encoder self-attention"] = STACK;
  loupe.select({ kind: "encoder self-attention", layer: 1 });
  assert.equal(sent.at(-1)[1].adrift, true);
  wait(200);
  loupe.select({ head: 2 });
  assert.equal(sent.at(-1)[1].adrift, true);
  wait(200);
  loupe.select({ query: 3 });
  assert.equal("adrift" in sent.at(-1)[1], false);
  wait(200);
  loupe.select({ kind: "cross-attention", query: 2, key: 1 });
  assert.equal("adrift" in sent.at(-1)[1], false);
  wait(200);
  loupe.go("attention", { kind: "encoder self-attention", layer: 0 });
  assert.equal(sent.at(-1)[1].adrift, true);
});

test("an answer from Python is a cell and no longer adrift", () => {
  loupe.runs.get("r").kinds["encoder self-attention"] = STACK;
  loupe.select({ kind: "encoder self-attention" });
  receive(shown({ ...loupe.selection, query: 4 }, sent.at(-1)[1].number), trigger);
  wait(200);
  loupe.select({ head: 1 });
  assert.equal("adrift" in sent.at(-1)[1], false);
});

test("a choice without an answer is reported again until it is answered", () => {
  loupe.select({ head: 2 });
  wait(1499);
  assert.equal(sent.length, 1);
  wait(1);
  assert.deepEqual(
    sent.map(([, { head, number }]) => [head, number]),
    [
      [2, 1],
      [2, 2],
    ],
  );
  receive(shown({ ...START, head: 2 }, 2), trigger);
  wait(600_000);
  assert.equal(sent.length, 2);
});

test("a cell that Python has not heard of is reported again as well", () => {
  loupe.select({ key: 2 });
  receive(shown(START, 0), trigger);
  assert.equal(loupe.selection.key, 2);
  wait(1500);
  assert.deepEqual(
    sent.map(([, { key, number }]) => [key, number]),
    [
      [2, 1],
      [2, 2],
    ],
  );
  receive(shown({ ...START, key: 2 }, 2), trigger);
  wait(600_000);
  assert.equal(sent.length, 2);
});

test("a choice that is never answered is given up after six more reports", () => {
  loupe.select({ head: 2 });
  for (let minute = 0; minute < 60; minute++) wait(60_000);
  assert.equal(sent.length, 1 + 6);
});

test("nothing about a typed sentence is reported, not even while an earlier choice is unanswered", () => {
  loupe.select({ head: 2 });
  loupe.runs.set(TYPED, loupe.run());
  loupe.selection = { ...loupe.selection, run: TYPED };
  loupe.select({ head: 1 });
  wait(600_000);
  assert.deepEqual([sent.length, loupe.selection.head], [1, 1]);
});

test("a choice in a typed sentence is made and reported when Python has run the sentence", () => {
  loupe.runs.set(TYPED, loupe.run());
  loupe.runs.set("s", loupe.run());
  loupe.selection = { ...loupe.selection, run: TYPED };
  loupe.select({ head: 2, key: 3 });
  wait(200);
  assert.deepEqual(sent, []);
  receive(shown({ ...START, run: "s", key: 4 }, 0), trigger);
  assert.deepEqual([loupe.selection.run, loupe.selection.head, loupe.selection.key], ["s", 2, 3]);
  wait(200);
  assert.deepEqual([sent.length, sent.at(-1)[1].head], [1, 2]);
});

test("a part about another cell is hidden until Python has updated it", () => {
  const classes = new Map();
  const part = { classList: { toggle: (name, on) => classes.set(name, on) } };
  const freshness = loupe.part(createFreshness);
  freshness.put(part, { run: "r", query: 0 });
  assert.equal(classes.get("loupe-stale"), false);
  loupe.select({ key: 3 }); // in the row that the part shows
  freshness.show();
  assert.equal(classes.get("loupe-stale"), false);
  wait(200);
  loupe.select({ query: 2 });
  freshness.show();
  assert.equal(classes.get("loupe-stale"), true);
  assert.equal(sent.length, 2);
  freshness.put(part, { run: "r", query: 2 });
  assert.equal(classes.get("loupe-stale"), false);
  receive(shown(loupe.selection, 2), trigger);
  wait(600_000);
  assert.equal(sent.length, 2);
});

test("a choice that waits during typing is reported once the typed sentence is abandoned", () => {
  loupe.select({ head: 1 });
  loupe.select({ head: 2 });
  const before = loupe.selection;
  loupe.selection = { ...before, run: TYPED };
  wait(200);
  assert.deepEqual(
    sent.map(([, { run, head }]) => [run, head]),
    [["r", 1]],
  );
  receive(shown({ ...START, head: 1 }, 1), trigger);
  loupe.selection = before;
  loupe.part(createBeneath).left();
  wait(1500);
  assert.deepEqual(
    sent.map(([, { run, head }]) => [run, head]),
    [
      ["r", 1],
      ["r", 2],
    ],
  );
});

test("a selection that Python makes during typing is shown after the typing", () => {
  const beneath = loupe.part(createBeneath);
  beneath.selection = loupe.selection;
  loupe.selection = { ...START, run: TYPED, key: 2 };
  receive(shown({ ...START, head: 3, key: 4 }, 0), trigger);
  assert.deepEqual(
    [loupe.selection.run, beneath.selection.head, beneath.selection.key],
    [TYPED, 3, 4],
  );
});

test("a part about the previous run is dimmed, not hidden, while a sentence is typed", () => {
  const classes = new Map();
  const part = { classList: { toggle: (name, on) => classes.set(name, on) } };
  const freshness = loupe.part(createFreshness);
  freshness.put(part, { run: "r" });
  loupe.selection = { ...loupe.selection, run: TYPED };
  for (const isTyped of [true, false]) {
    loupe.traces.set(TYPED, /** @type {any} */ ({ answer: { isTyped } })); // false: only other changes
    freshness.show();
    assert.deepEqual(Object.fromEntries(classes), {
      "loupe-stale": false,
      "loupe-before": isTyped,
    });
  }
  loupe.selection = { ...loupe.selection, run: "r" };
  freshness.show();
  assert.deepEqual(Object.fromEntries(classes), { "loupe-stale": false, "loupe-before": false });
});

test("a part that arrives for an earlier cell is requested again, and given up in the end", () => {
  const part = { classList: { toggle: () => {} } };
  const freshness = loupe.part(createFreshness);
  loupe.select({ key: 3 });
  receive(shown({ ...START, key: 3 }, 1), trigger);
  freshness.put(part, { run: "r", key: 3 });
  wait(600_000);
  assert.equal(sent.length, 1);
  freshness.put(part, { run: "r", key: 1 });
  wait(1500);
  assert.deepEqual([sent.length, sent.at(-1)[1].key], [2, 3]);
  freshness.put(part, { run: "r", key: 3 });
  wait(600_000);
  assert.equal(sent.length, 2);
  for (let turn = 0; turn < 60; turn++) {
    freshness.put(part, { run: "r", key: 1 });
    wait(60_000);
  }
  assert.equal(sent.length, 2 + 6);
});

test("a choice on the way to another page is reported as soon as the page has arrived", () => {
  const departure = loupe.part(createDeparture);
  receive({ ...shown(START, 0), page: "map" }, trigger);
  const guarded = departure.guard({ host: { isConnected: false } }, trigger);
  receive({ ...shown(START, 0), page: "map" }, guarded);
  departure.leave("attention");
  loupe.select({ head: 2 });
  wait(1000);
  assert.deepEqual(sent, []);
  receive({ ...shown(START, 0), page: "attention" }, trigger);
  assert.deepEqual(sent, [["commit", { ...START, head: 2, number: 1 }]]);
});
