// A question in the pictures: which part of a selection answers it, and where the rings are.

import assert from "node:assert/strict";
import test from "node:test";
import {
  answerIn,
  cellOf,
  createAsked,
  isAsking,
  ringsOf,
} from "../../../viz/pictures/browser/asked.js";

const about = { kind: "cross-attention", layer: 1, head: 2, query: 3 };
const open = { guess: [], truth: null, isOpen: true };

const asked = (surface, state, choose = () => {}) =>
  createAsked({ surface, about, out: [] }, { ...open, ...state }, choose);

test("an option is a cell of the selection", () => {
  assert.deepEqual(cellOf("key", "4"), { key: 4 });
  assert.deepEqual(cellOf("row", "4"), { query: 4 });
  assert.deepEqual(cellOf("head", "1.3"), { layer: 1, head: 3 });
  assert.equal(cellOf("chip", "same"), null);
});

test("only the part of a selection that the question asks for is an answer", () => {
  assert.deepEqual(answerIn({ query: 1, key: 2 }, ["key"]), { key: 2 });
  assert.equal(answerIn({ query: 1 }, ["key"]), null);
});

test("a choice in a picture is reported by the name of its option", () => {
  const told = [];
  asked("key", {}, (name) => told.push(name)).take({ query: 0, key: 5 });
  asked("head", { guess: ["1.3"] }, (name) => told.push(name)).take({ head: 2 });
  asked("row", {}, (name) => told.push(name)).take({ key: 5 });
  assert.deepEqual(told, ["5", "1.2"]);
});

test("an answered question takes no further answer", () => {
  assert.ok(isAsking({ asked: asked("key", {}) }));
  assert.ok(!isAsking({ asked: asked("key", { isOpen: false }) }));
  assert.ok(!isAsking({ asked: asked("chip", {}) }));
  assert.ok(!isAsking({ asked: null }));
});

test("the guess has a dashed ring and the correct answer a solid one, in the row of the question", () => {
  const palette = { query: "orange", value: "green" };
  const question = asked("key", { guess: ["5"], truth: { key: 2 }, isOpen: false });
  const rings = ringsOf({ asked: question, selection: { ...about, query: 0, key: 0 } }, palette);
  assert.deepEqual(
    rings.map(({ row, column, colour, dashed }) => [row, column, colour, Boolean(dashed)]),
    [
      [3, 2, "green", false],
      [3, 5, "orange", true],
    ],
  );
  assert.deepEqual(ringsOf({ asked: question, selection: { ...about, head: 0 } }, palette), []);
});

test("before the answer, the correct cell has no ring", () => {
  const palette = { query: "orange", value: "green" };
  const rings = ringsOf({ asked: asked("key", { guess: ["5"] }), selection: about }, palette);
  assert.deepEqual(
    rings.map(({ column }) => column),
    [5],
  );
});
