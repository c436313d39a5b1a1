// What an exam comes to: what was right alone, and whether the lessons came before it.

import assert from "node:assert/strict";
import test from "node:test";
import { outcomeOf } from "../../../../viz/subjects/lessons/browser/exam_over.js";

const rows = ["0", "1", "2"].map((truth) => ({ truth }));
const of = (guesses, helped, isAfter) => outcomeOf({ rows, guesses, helped, enough: 2 }, isAfter);

test("who has enough of them right has passed, before the lessons or after", () => {
  assert.equal(of(["0", "1", "0"], [], false), "passed_before");
  assert.equal(of(["0", "1", "0"], [], true), "passed_after");
  assert.equal(of(["0", "0", "0"], [], false), "failed_before");
});

test("a right answer after a hint does not help to pass", () => {
  assert.equal(of(["0", "1", "0"], [1], true), "failed_after");
  assert.equal(of(["0", "1", "0"], [2], true), "passed_after");
});
