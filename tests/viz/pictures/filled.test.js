// Parts in a text: where its language wants them, and no text of a part is taken for braces.

import assert from "node:assert/strict";
import { test } from "node:test";
import { filled } from "../../../viz/pictures/browser/filled.js";

test("each part stands where the text has its name, as often as it has it", () => {
  const [it, noun] = [{ token: "it" }, { token: "cat" }];
  assert.deepEqual(filled("{it} reads {noun}; {it}", { it, noun }), [
    it,
    " reads ",
    noun,
    "; ",
    it,
  ]);
  assert.deepEqual(filled("nothing", { it }), ["nothing"]);
});

test("what stands in a part stays as it is", () => {
  assert.deepEqual(filled("“{word}”", { word: "{other}" }), ["“", "{other}", "”"]);
});

test("a part that is missing is not passed over", () => {
  assert.throws(() => filled("{it} reads", {}), /"it"/);
});
