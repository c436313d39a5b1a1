// What is kept of answers: the first ones, in the browser; whatever else stands there does no harm.

import assert from "node:assert/strict";
import test from "node:test";
import {
  forgetResults,
  keepAnswer,
  keepExam,
  knownWrong,
  readResults,
} from "../../../viz/pictures/browser/results.js";

function store(text = null) {
  const kept = new Map(text === null ? [] : [["loupe-lessons", text]]);
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
}

const answer = (right, sure = "know") => ({ guess: "1", sure, right, helped: false });

test("the first answer counts", () => {
  const here = store();
  keepAnswer("one", 2, answer(false), here);
  keepAnswer("one", 2, answer(true), here);
  assert.equal(readResults(here).answers.one[2].right, false);
});

test("who knew and was wrong sees it again", () => {
  const here = store();
  keepAnswer("one", 1, answer(false), here);
  keepAnswer("one", 2, answer(true), here);
  keepAnswer("two", 1, answer(false, "guess"), here);
  assert.deepEqual(knownWrong(readResults(here)), [["one", 1]]);
});

test("exams are kept in their order, and all is forgotten at once", () => {
  const here = store();
  const exam = { you: 3, simple: 0, model: 10, rows: 10 };
  keepExam(exam, here);
  keepExam({ ...exam, you: 9 }, here);
  assert.deepEqual(
    readResults(here).exams.map(({ you }) => you),
    [3, 9],
  );
  forgetResults(here);
  assert.deepEqual(readResults(here), { answers: {}, exams: [] });
});

test("what someone else wrote there is left out", () => {
  const nothing = { answers: {}, exams: [] };
  for (const text of ["", "{", "null", "[]", '"x"', '{"answers":[1],"exams":{"a":1}}'])
    assert.deepEqual(readResults(store(text)), nothing, text);
  const odd = {
    answers: { a: { 1: { right: "yes" }, x: answer(true) }, b: 3 },
    exams: [{ you: 1 }],
  };
  assert.deepEqual(readResults(store(JSON.stringify(odd))), { answers: { a: {} }, exams: [] });
  const evil = '{"answers":{"__proto__":{"1":{"right":true}}}}';
  readResults(store(evil));
  assert.equal(Object.prototype[1], undefined);
});

test("a browser that keeps nothing is no fault", () => {
  const forbids = {
    getItem() {
      throw new Error("forbidden");
    },
    setItem() {
      throw new Error("forbidden");
    },
  };
  keepAnswer("one", 1, answer(true), forbids);
  assert.deepEqual(readResults(forbids), { answers: {}, exams: [] });
  assert.deepEqual(readResults(null), { answers: {}, exams: [] });
});
