import assert from "node:assert/strict";
import { test } from "node:test";
import { csvText, tableOf } from "../../../../viz/pictures/browser/saving/table.js";

const KINDS = { token: "text", weight: "single", odd: "double", row: "whole" };
const lines = (rows, about = "") => csvText(tableOf(KINDS, rows), about).split("\n");

test("a float32 is written in the fewest digits that restore it", () => {
  for (const value of [0.1, 1 / 3, 1e-38, 16777217, 0.7764331, 5e-8]) {
    const weight = Math.fround(value);
    const written = lines([["a", weight, 0, 0]])[1].split(",")[1];
    assert.equal(Math.fround(Number(written)), weight);
    assert.ok(written.replace(/e.*|[^\d]/g, "").replace(/^0+/, "").length <= 9, written);
  }
});

test("a file begins with exactly one byte order mark", async () => {
  const data = await new Blob([csvText(tableOf({ é: "text" }, [["traversé"]]), "é")]).bytes();
  assert.deepEqual([...data.slice(0, 6)], [0xef, 0xbb, 0xbf, 0xc3, 0xa9, 0x0a]);
  assert.equal(new TextDecoder("utf-8", { ignoreBOM: true }).decode(data).lastIndexOf("\ufeff"), 0);
});

test("no text can begin a formula, however it is disguised", () => {
  for (const text of ["=cmd()", "+1", "-1", "@x", "\t=x", "\n=x", "＝x", "\r=x"]) {
    const cell = csvText(tableOf({ token: "text" }, [[text]]), "").split("token\n")[1];
    assert.match(cell, /^"?'/, JSON.stringify(text));
  }
});

test("commas, quotes and line breaks stay inside a cell", () => {
  const [, row] = csvText(tableOf({ a: "text", b: "text" }, [['x,"y"', "z\r\nz"]]), "").split(
    "a,b\n",
  );
  assert.equal(row, '"x,""y""","z\nz"\n');
});

test("the origin of the table is its last line, in one cell", () => {
  const all = lines([["a", 1, 2, 3]], '{"source": "a,=cmd()"}');
  assert.equal(all.at(-2), '"# Loupe {""source"": ""a,=cmd()""}"');
  assert.equal(all.length, 4);
});

test("a missing value is empty, and infinity has the name that pandas knows", () => {
  assert.equal(lines([[null, null, -Infinity, 3]])[1], ",,-inf,3");
});
