import assert from "node:assert/strict";
import { test } from "node:test";
import { escaped, paint } from "../../../../viz/pictures/browser/saving/markup.js";

test("a text cannot break out of its element", () => {
  assert.equal(escaped('</text><img src="x">&'), "&lt;/text&gt;&lt;img src=&quot;x&quot;&gt;&amp;");
});

test("characters that XML forbids are replaced, and all others are kept", () => {
  assert.equal(escaped("a\u0000b\u000bc\uffffd\ud800e"), "a\ufffdb\ufffdc\ufffdd\ufffde");
  assert.equal(escaped("é 中 🦊\t\n"), "é 中 🦊\t\n");
});

test("a colour is split into RGB, which every program knows, and opacity", () => {
  assert.deepEqual(paint("rgb(1, 2, 3)"), { colour: "rgb(1,2,3)", alpha: 1 });
  assert.deepEqual(paint("rgba(1, 2, 3, 0.25)"), { colour: "rgb(1,2,3)", alpha: 0.25 });
  assert.deepEqual(paint("color(srgb 0.5 0 1 / 0.1)"), { colour: "rgb(128,0,255)", alpha: 0.1 });
  assert.deepEqual(paint("rgba(0, 0, 0, 0)"), { colour: "none", alpha: 0 });
  assert.deepEqual(paint("#12345f"), { colour: "#12345f", alpha: 1 });
});
