// When one weight of a row stands out: the cases of tests/viz/run/test_job_cases.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { standsOut } from "../../../viz/pictures/browser/even_rows.js";

test("a weight stands out if it is at least 1.5 times the mean of the others", () => {
  const cases = /** @type {[number, number, boolean][]} */ ([
    [0.12, 10, false],
    [0.15, 10, true],
    [0.61, 2, true],
    [0.59, 2, false],
    [1, 1, true],
    [0.04, 250, true],
  ]);
  for (const [weight, allowed, does] of cases) assert.equal(standsOut(weight, allowed), does);
});
