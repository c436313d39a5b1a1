// Parts in a text: each goes where the text names it, and braces within a part stay as they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { filled } from "../../../viz/pictures/browser/filled.js";

test("each part replaces its name in the text every time the name occurs", () => {
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

test("braces within a part are not replaced", () => {
  assert.deepEqual(filled("“{word}”", { word: "{other}" }), ["“", "{other}", "”"]);
});

test("a missing part is an error that names it", () => {
  assert.throws(() => filled("{it} reads", {}), /"it"/);
});
