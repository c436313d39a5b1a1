// The browser's modules contain no text for users: they look up each text by its key.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const installed = createRequire(new URL("../../.venv/browser/package.json", import.meta.url));
const { parse } = installed("acorn");
const { ancestor } = installed("acorn-walk");

// Three words in a row, or a whole string that looks like a label.
const PROSE = /[A-Za-z’']{2,},? [a-z’']+[ ,.;:?!]|^[A-Z][a-z]+( [a-z]+)*[.?!:…]?$/;
const NO_WORDS = /<[^<>]*>|\b[A-Z]*x+\b/g; // markup, commands of an SVG path
const FORMULA = / = /;
const NAMES = new Set([
  // The browser's names of keys and of the sides of a box.
  ...["Enter", "Escape", "Tab", "Home", "End", "Arrow", "Top", "Right", "Bottom", "Left"],
  ...["Greedy", "Infinity", "Loupe", "Sampling"],
  ...["Removed", "Isolated", "Contiguous"], // in a tokenizer.json
]);
const LISTS = /\.split\(" "\)$/; // words that the code splits into names
const FOR_PROGRAMMERS = /^(new \w*Error|console\.\w+)\(/;

// "input, select, .loupe-heading": parts of one or two words, as in a style sheet.
const isSelector = (text) =>
  text.includes(",") && text.split(",").every((part) => /^\s*([a-z.[]\S*( \S+)?)?\s*$/.test(part));

// The columns of saved tables have English names in every language.
const isOfTable = (above) => above.some(({ id }) => id?.name?.endsWith("Table"));

function prose(code) {
  const found = [];
  const judge = (text, node, above) => {
    const said = text.replace(NO_WORDS, "");
    const around = above.map(({ start, end }) => code.slice(start, end));
    const isSkipped =
      NAMES.has(text) ||
      FORMULA.test(text) ||
      isSelector(text) ||
      isOfTable(above) ||
      LISTS.test(around.at(-3)) ||
      around.some((part) => FOR_PROGRAMMERS.test(part));
    if (PROSE.test(said) && !isSkipped) {
      found.push(`${code.slice(0, node.start).split("\n").length}: ${text.slice(0, 60)}`);
    }
  };
  ancestor(parse(code, { ecmaVersion: "latest", sourceType: "module" }), {
    Literal(node, _state, above) {
      if (typeof node.value === "string") judge(node.value, node, above);
    },
    TemplateLiteral(node, _state, above) {
      judge(node.quasis.map(({ value }) => value.cooked).join("x"), node, above);
    },
  });
  return found;
}

test("the browser's modules contain no text for users", () => {
  const files = globSync("viz/**/*.js").filter((file) => !file.includes("/vendor/"));
  assert.ok(files.length > 50);
  const found = files.flatMap((file) =>
    prose(readFileSync(file, "utf-8")).map((line) => `${file}:${line}`),
  );
  assert.deepEqual(found, []);
});

test("text for users is found in calls, templates, constants and attributes", () => {
  for (const code of [
    'note("Click a word to begin.")',
    "note(`Click one of the words`)",
    'const title = "Attention";',
    'element("p", { title: "the weights of this row" })',
  ]) {
    assert.equal(prose(code).length, 1, code);
  }
  assert.deepEqual(prose('throw new RangeError("weights must be finite, got none")'), []);
});
