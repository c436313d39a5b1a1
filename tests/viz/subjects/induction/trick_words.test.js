// The sentences about a row in the picture of the two heads.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { speakIn } from "../../../texts/speaking.js";

class Node {
  constructor() {
    this.children = [];
  }
  setAttribute() {}
  append(...children) {
    this.children.push(...children);
  }
  get text() {
    return this.children.map((child) => child.text ?? child).join("");
  }
}

let trickStory;
before(async () => {
  speakIn("en");
  globalThis.document = { createElement: () => new Node() };
  ({ trickStory } = await import("../../../../viz/subjects/induction/browser/trick_words.js"));
});

const data = {
  tokens: ["moon", "ship", "moon"],
  followers: [[], [], [1]],
  copier: { name: "L1 H0", weights: [], does: [false, false, true] },
  before: { name: "L0 H1", weights: [], does: [false, true, true] },
};
const parts = {
  read: [20, 962, 18],
  most: 1,
  isCopy: true,
  before: [680, 320],
  chance: 0.994,
  next: "ship",
};
const say = (row, changes = {}) =>
  trickStory(data, row, { ...parts, ...changes }).map((part) =>
    part.map((piece) => piece.text ?? piece).join(""),
  );

test("a copy is described in three steps", () => {
  assert.deepEqual(say(2), [
    "L0 H1 had told ship which word comes before it: 68% of its weight reads moon.",
    "L1 H0 finds the place after moon: 96.2% of its weight reads ship.",
    "ship comes next with a probability of 99.4%.",
  ]);
});

test("if several words followed earlier copies, the share is that of the named one", () => {
  const twice = {
    ...data,
    tokens: ["moon", "ship", "moon", "lamp", "moon", "ship", "moon"],
    followers: [[], [], [1], [], [1, 3], [], [1, 3, 5]],
    copier: { ...data.copier, does: Array(7).fill(true) },
  };
  const read = [0, 300, 0, 440, 0, 250, 10];
  const told = trickStory(twice, 6, { ...parts, read, before: [0, 0, 680, 0, 0], most: 3 });
  const said = told[1].map((piece) => piece.text ?? piece).join("");
  assert.equal(said, "L1 H0 finds the place after moon: 44% of its weight reads lamp.");
});

test("a head that reads other words is described as doing so", () => {
  assert.equal(
    say(2, { read: [900, 90, 10], most: 0, isCopy: false })[0],
    "L1 H0 gives 9% of its weight to the word that followed moon.",
  );
});

test("a head that is too weak is not described as doing its part", () => {
  const silent = { ...data, before: { ...data.before, does: [false, false, false] } };
  const told = (given) =>
    trickStory(given, 2, { ...parts, before: [4, 996] }).map((part) =>
      part.map((piece) => piece.text ?? piece).join(""),
    );
  assert.equal(
    told(silent)[0],
    "L0 H1 hardly tells ship which word comes before it: 0.4% of its weight reads moon.",
  );
  const neither = { ...silent, copier: { ...data.copier, does: [false, false, false] } };
  assert.deepEqual(told(neither), [
    "L1 H0 gives 96.2% of its weight to the word that followed moon.",
    "ship comes next with a probability of 99.4%.",
  ]);
});
