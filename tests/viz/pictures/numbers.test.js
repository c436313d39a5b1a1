// Numbers for people: the displayed digits are those of the value, rounded once.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  columnTexts,
  differenceText,
  equationTexts,
  largestOf,
  numberText,
  partOf,
  percentText,
  unpacked,
} from "../../../viz/pictures/browser/numbers.js";

test("a number has four digits, a typographic minus sign, and no needless power of ten", () => {
  const texts = {
    0: "0",
    0.0677142: "0.06771",
    "-1.99996": "−2.000",
    9.99996: "10.00",
    "-12345.6": "−12346",
    0.00012345: "1.23e−4",
    "-123456": "−1.23e5",
    "-1e9": "−1e9",
  };
  for (const [value, text] of Object.entries(texts)) assert.equal(numberText(Number(value)), text);
  assert.equal(numberText(Number.NaN), "NaN");
  assert.equal(numberText(-Infinity), "−∞");
});

test("all numbers of a column have as many decimals as the largest", () => {
  assert.deepEqual(columnTexts([12.3456, -0.5, Number.NaN]), ["12.35", "−0.50", "NaN"]);
  assert.deepEqual(columnTexts([-1e9, 2, Number.NaN]), ["−1e9", "2.000", "NaN"]);
});

test("a share strictly between 0 and 1 is not rounded to 0% or 100%", () => {
  assert.deepEqual([0, 1, 0.5, 0.12345, 0.0004, 0.9996].map(percentText), [
    "0%",
    "100%",
    "50%",
    "12.3%",
    "< 0.1%",
    "> 99.9%",
  ]);
});

test("a difference has one digit", () => {
  assert.deepEqual([0, 0.26, 3.4e-8, Infinity].map(differenceText), ["exact", "0.3", "3e−8", "∞"]);
});

test("the largest magnitude ignores NaN and infinity", () => {
  assert.equal(largestOf([1, -3], [Number.NaN, -Infinity, 2]), 3);
  assert.equal(largestOf([Number.NaN]), 0);
  assert.equal(partOf(-2, 4), 0.5);
  assert.equal(partOf(Number.NaN, 4), 0);
});

test("an unpacked vector equals the packed one", () => {
  const bytes = Buffer.from(Float32Array.of(1.5, -0.25).buffer).toString("base64");
  assert.deepEqual([...unpacked(bytes)], [1.5, -0.25]);
});

const read = (text) => Number(text.replaceAll("−", "-"));
const rounded = (value, text) => {
  const [mantissa, power = "0"] = text.replaceAll("−", "-").split("e");
  const decimals = (mantissa.split(".")[1] ?? "").length - Number(power);
  return Math.abs(value - read(text)) <= 0.5 * 10 ** -decimals * (1 + 1e-9);
};

test("an equation holds in the digits that it displays, or has an approximate sign", () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  let plain = 0;
  for (let i = 0; i < 3000; i++) {
    const [a, b] = [Math.fround(60 * (random() - 0.5)), Math.fround(1 + 3 * random())];
    const { operands, sign, result } = equationTexts([a, b], (x, y) => x / y, a / b);
    assert.ok(rounded(a, operands[0]) && rounded(b, operands[1]) && rounded(a / b, result));
    if (sign === "=") {
      plain++;
      assert.ok(rounded(read(operands[0]) / read(operands[1]), result), `${operands} ${result}`);
    }
  }
  assert.ok(plain > 2900);
});

test("an equation that once displayed a wrong last digit is right", () => {
  const { operands, sign, result } = equationTexts([38.7761], (dot) => dot / 4, 38.7761 / 4);
  assert.deepEqual([operands[0], sign, result], ["38.776", "=", "9.694"]);
  assert.equal(equationTexts([1], () => 2, 3).sign, "≈");
});

test("the browser writes what Python writes", () => {
  const path = new URL("numbers.json", import.meta.url);
  const golden = JSON.parse(readFileSync(path, "utf-8"));
  const functions = {
    number_text: numberText,
    column_texts: columnTexts,
    percent_text: percentText,
    difference_text: differenceText,
  };
  assert.deepEqual(Object.keys(golden), Object.keys(functions));
  for (const [name, cases] of Object.entries(golden))
    for (const [given, text] of cases) {
      const values = Array.isArray(given) ? given.map(Number) : Number(given);
      assert.deepEqual(functions[name](values), text, `${name}(${given})`);
    }
});
