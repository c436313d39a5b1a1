// Which words of a text are known during typing, and which words complete the one at the caret.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marksOf } from "../../../viz/frame/browser/field_marks.js";
import { createVocabulary, wordAt, wordsOf } from "../../../viz/frame/browser/vocabulary.js";
import { byPart } from "../../../viz/frame/browser/words.js";

const WORDS = "the cat is not will can he 's do twenty one cats caterpillar car let us .".split(
  " ",
);

function know(more = {}) {
  const parts = WORDS.map(() => 0);
  return createVocabulary({
    words: WORDS,
    parts,
    names: ["All"],
    whole: true,
    carries: false,
    ...more,
  });
}

const unknown = (text, caret, more) =>
  know(more)
    .unknownIn(text, caret)
    .map((word) => word.text);

test("capitals, punctuation and contractions are known exactly as in the tokenizer", () => {
  for (const text of [
    "The CAT is.",
    "“the cat” (is) — not!",
    "the cat isn't the cat's, he's won't can't cannot",
    "twenty-one cats' let's he’ll",
    "cat,the cat.the",
    "!!! ... - '' «»",
  ])
    assert.deepEqual(unknown(text), [], text);
});

test("an unknown word is found with its position", () => {
  assert.deepEqual(know().unknownIn("the  gnu, isn't a yak's"), [
    { start: 5, end: 9, text: "gnu," },
    { start: 16, end: 17, text: "a" },
    { start: 18, end: 23, text: "yak's" },
  ]);
  assert.deepEqual(unknown("twenty-gnu gnun't"), ["twenty-gnu", "gnun't"]);
});

test("numbers and times are known if the model carries them over", () => {
  assert.deepEqual(unknown("25 -3 7:30 1st"), ["25", "-3", "7:30", "1st"]);
  assert.deepEqual(unknown("25 -3 7:30 1st gnu", -1, { carries: true }), ["gnu"]);
});

test("a word is not marked as unknown while it may still become a known one", () => {
  assert.deepEqual(unknown("the ca", 6), []);
  assert.deepEqual(unknown("the ca", 3), ["ca"]);
  assert.deepEqual(unknown("the cx", 6), ["cx"]);
});

test("nothing is marked in a text that is too long, or if the vocabulary is incomplete", () => {
  assert.deepEqual(unknown("gnu ".repeat(501)), []);
  assert.equal(unknown("gnu ".repeat(500)).length, 500);
  assert.deepEqual(unknown("gnu", -1, { whole: false }), []);
  assert.deepEqual(unknown(`the ${"x".repeat(1900)}`), ["x".repeat(1900)]);
  assert.deepEqual(unknown("“".repeat(2000)), ["“".repeat(2000)]);
});

test("the most frequent completions come first, without the word itself", () => {
  const { completions } = know();
  assert.deepEqual(completions("ca", 9), ["cat", "can", "cats", "caterpillar", "car"]);
  assert.deepEqual(completions("CAT", 1), ["cats"]);
  assert.deepEqual(completions("zz", 9), []);
  assert.deepEqual(completions("", 9), []);
});

test("the word at the caret ends there and begins after punctuation", () => {
  assert.deepEqual(wordAt("the “ca", 7), { start: 5, end: 7, text: "ca" });
  assert.equal(wordAt("the cat", 5), undefined);
  assert.equal(wordAt("the ", 4), undefined);
  assert.equal(wordAt("x".repeat(3000), 3000), undefined);
  assert.deepEqual(wordsOf(" a  b "), [
    { start: 1, end: 2, text: "a" },
    { start: 4, end: 5, text: "b" },
  ]);
});

test("marks that Python counts in characters land on the same letters in the browser", () => {
  const marks = marksOf({
    text: "🐈 gnu cat yak",
    unknown: [[6, 9]],
    carried: [
      [2, 5],
      [10, 13],
    ],
  });
  const text = "🐈 gnu cat yak";
  assert.deepEqual(
    marks.map(({ kind, start, end }) => [kind, text.slice(start, end)]),
    [
      ["carried", "gnu"],
      ["unknown", "cat"],
      ["carried", "yak"],
    ],
  );
});

test("the list contains the words with these letters, first the words that begin with them", () => {
  const sent = {
    words: ["scar", "car", "see", "cat"],
    parts: [0, 0, 1, 0],
    names: ["Nouns", "Verbs"],
  };
  assert.deepEqual(byPart({ ...sent, whole: true, carries: false }, " CA"), [
    { name: "Nouns", words: ["car", "cat", "scar"] },
  ]);
  assert.deepEqual(byPart({ ...sent, whole: true, carries: false }, "").length, 2);
});
