import assert from "node:assert/strict";
import { test } from "node:test";
import { wordsOn } from "../../../viz/pictures/browser/colours.js";

const LIGHT = { ink: "rgb(28, 30, 38)", panel: "rgb(255, 255, 255)" };
const DARK = { ink: "rgb(236, 238, 244)", panel: "rgb(25, 28, 36)" };

// The contrast ratio of WCAG 2.
function contrast(one, other) {
  const [low, high] = [one, other]
    .map((colour) => colour.match(/\d+/g).map((c) => Number(c) / 255))
    .map((rgb) => rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)))
    .map(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b)
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

for (const [name, palette] of Object.entries({ LIGHT, DARK }))
  test(`${name}: words are legible on every grey and every blue`, () => {
    for (let i = 0; i < 256; i++)
      for (const ground of [
        [i, i, i],
        [i, i, 255],
        [0, i >> 1, i],
      ]) {
        const words = wordsOn(ground, palette);
        assert.ok(contrast(words, `rgb(${ground})`) >= 4.5, `${words} on ${ground}`);
      }
  });

test("the page's own colours are used if they are legible", () => {
  assert.equal(wordsOn([255, 255, 255], LIGHT), LIGHT.ink);
  assert.equal(wordsOn([19, 29, 97], LIGHT), LIGHT.panel);
});
