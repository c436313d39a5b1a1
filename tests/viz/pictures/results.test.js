// The browser stores the first answer to each question; foreign data in its storage does no harm.

import assert from "node:assert/strict";
import test from "node:test";
import {
  forgetResults,
  keepAnswer,
  readResults,
  wronglyAnswered,
} from "../../../viz/pictures/browser/results.js";

function store(text = null) {
  const kept = new Map(text === null ? [] : [["loupe-lessons", text]]);
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
}

const answer = (right) => ({ guess: "1", right, helped: false });

test("the first answer counts", () => {
  const here = store();
  keepAnswer("one", 2, answer(false), here);
  keepAnswer("one", 2, answer(true), here);
  assert.equal(readResults(here).answers.one[2].right, false);
});

test("a wrongly answered question is asked again", () => {
  const here = store();
  keepAnswer("one", 1, answer(false), here);
  keepAnswer("one", 2, answer(true), here);
  assert.deepEqual(wronglyAnswered(readResults(here)), [["one", 1]]);
});

test("all results are deleted at once", () => {
  const here = store();
  keepAnswer("one", 1, answer(true), here);
  forgetResults(here);
  assert.deepEqual(readResults(here), { answers: {} });
});

test("data that Loupe did not write is ignored", () => {
  const nothing = { answers: {} };
  for (const text of ["", "{", "null", "[]", '"x"', '{"answers":[1]}'])
    assert.deepEqual(readResults(store(text)), nothing, text);
  const odd = {
    answers: { a: { 1: { right: "yes" }, x: answer(true) }, b: 3 },
  };
  assert.deepEqual(readResults(store(JSON.stringify(odd))), { answers: { a: {} } });
  const evil = '{"answers":{"__proto__":{"1":{"right":true}}}}';
  readResults(store(evil));
  assert.equal(Object.prototype[1], undefined);
});

test("a browser that stores nothing causes no error", () => {
  const forbids = {
    getItem() {
      throw new Error("forbidden");
    },
    setItem() {
      throw new Error("forbidden");
    },
  };
  keepAnswer("one", 1, answer(true), forbids);
  assert.deepEqual(readResults(forbids), { answers: {} });
  assert.deepEqual(readResults(null), { answers: {} });
});
