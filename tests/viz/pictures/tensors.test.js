// The tensors of a run that an explorer keeps: sent all at once, one head at a time, or computed in the browser.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { headOf, keepOwn, takeTensors } from "../../../viz/pictures/browser/tensors.js";
import { tensor } from "../../../viz/pictures/browser/twin/tensor.js";

let loupe;
const traced = () => loupe.traces.get("r");

beforeEach(() => {
  loupe = { traces: new Map(), selection: null };
});

function take(names, value, head = "", touched = []) {
  const arrays = Object.fromEntries(names.map((name, i) => [name, { at: i, shape: [1, 1, 1] }]));
  const sent = { arrays, attentions: {}, touched, fill: "-Infinity", tolerance: 1e-4 };
  const numbers = Float32Array.from(names, () => value);
  takeTensors(loupe, "r", /** @type {any} */ (sent), numbers, head);
}

const first = (found) => found?.data[0];

test("a tensor sent for one head takes precedence over the tensor of all heads", () => {
  const whole = tensor(2, 1, 1, new Float32Array([1, 2]));
  keepOwn(loupe, "r", /** @type {any} */ ({ tensors: { "a.query": whole }, heads: new Map() }));
  assert.deepEqual(
    [0, 1].map((head) => first(headOf(traced(), "a.query", head))),
    [1, 2],
  );
  take(["a.query[1]", "a.mask"], 7, "k 0 1");
  assert.deepEqual(
    [0, 1].map((head) => first(headOf(traced(), "a.query", head))),
    [1, 7],
  );
});

test("heads sent earlier take precedence over what the browser's own model computed", () => {
  take(["a.query[1]", "a.mask"], 7, "k 0 1", ["a.query[1]"]);
  const own = { "a.query": tensor(2, 1, 1), "a.mask": tensor(1, 1, 1), "a.value": tensor(2, 1, 1) };
  const model = { config: {}, parameters: {} };
  const trace = { tensors: own, heads: new Map(), touched: ["a.value"], model };
  keepOwn(loupe, "r", /** @type {any} */ (trace));
  assert.equal(first(headOf(traced(), "a.query", 1)), 7);
  assert.equal(first(traced().tensors["a.mask"]), 7);
  assert.equal(first(headOf(traced(), "a.value", 1)), 0);
  assert.deepEqual(traced().touched, ["a.value", "a.query[1]"]);
  assert.equal(traced().model, model);
});

test("the oldest head is dropped, but no tensor that another head needs", () => {
  for (let head = 0; head < 13; head++) take([`a.query[${head}]`, "a.mask"], head, `k 0 ${head}`);
  assert.equal(headOf(traced(), "a.query", 0), undefined);
  assert.equal(first(headOf(traced(), "a.query", 1)), 1);
  assert.equal(first(traced().tensors["a.mask"]), 12);
});

test("a head that is sent again counts as the newest", () => {
  for (let head = 0; head < 12; head++) take([`a.query[${head}]`], head, `k 0 ${head}`);
  take(["a.query[0]"], 0, "k 0 0");
  take(["a.query[12]"], 12, "k 0 12");
  assert.equal(first(headOf(traced(), "a.query", 0)), 0);
  assert.equal(headOf(traced(), "a.query", 1), undefined);
});
