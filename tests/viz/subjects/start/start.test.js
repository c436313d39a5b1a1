// The numbers of Start, the words about them, and the progress of its motion.

import assert from "node:assert/strict";
import { test } from "node:test";
import { numberText } from "../../../../viz/pictures/browser/numbers.js";
import { arcPath, streamPaths } from "../../../../viz/subjects/start/browser/start_lines.js";
import {
  durationOf,
  frameOf,
  guessIn,
  SCENES,
  sceneAfter,
} from "../../../../viz/subjects/start/browser/start_motion.js";
import {
  scoreBars,
  scoreSteps,
  strongest,
} from "../../../../viz/subjects/start/browser/start_numbers.js";
import { plain, stageOf, summaryOf } from "../../../../viz/subjects/start/browser/start_words.js";
import { speakIn } from "../../../texts/speaking.js";

speakIn("en");

// "it" has the query (2, 0); its scores with the keys are (4, 0, -2) / sqrt(2).
const SCORES = [4, 0, -2].map((product) => product / Math.SQRT2);
const TOTAL = SCORES.reduce((sum, score) => sum + Math.exp(score), 0);
const SHARES = SCORES.map((score) => Math.exp(score) / TOTAL);

function reading(changes = {}) {
  const numbers = (...values) => Float32Array.from(values);
  return {
    source: "cat mat it",
    label: "tired",
    tokens: ["cat", "mat", "it"],
    written: [
      ["", "le"],
      [" ", "il"],
    ],
    given: false,
    unknown: [],
    matrix: numbers(0.9, 0.1, 0, 0.2, 0.5, 0.3, ...SHARES),
    q: numbers(2, 0),
    k: numbers(2, 1, 0, 5, -1, 0),
    v: numbers(1, 2, 3, 4, 5, 6),
    scores: numbers(...SCORES),
    shares: numbers(...SHARES),
    mix: numbers(1, 2),
    answer: { at: 1, probability: 0.9, without: 0.25 },
    right: 0,
    gender: "m",
    ...changes,
  };
}

function asked(changes = {}, ofReading = {}) {
  const one = reading(ofReading);
  return {
    query: 2,
    layer: 1,
    head: 0,
    sizes: [2, 2],
    candidates: [0, 1],
    guess: -1,
    languages: ["English", "French"],
    reading: one,
    readings: [one],
    ...changes,
  };
}

const says = (given, scene) => {
  const { text, formula } = stageOf(given, scene);
  return [plain(text), plain(formula)];
};

test("the strongest come first, and none is below the threshold", () => {
  assert.deepEqual(strongest([0.2, 0.7, 0.1], 2), [1, 0]);
  assert.deepEqual(strongest([0.2, 0.7, 0.1], 9, 0.15), [1, 0]);
});

test("a score is q · k over the root, and there is no formula if it is not", () => {
  const { product, root, score } = scoreSteps(reading(), 0);
  assert.equal(product, 4);
  assert.ok(Math.abs(product / root - score) < 1e-6);
  const other = reading();
  other.scores[0] = 1;
  assert.equal(scoreSteps(other, 0), null);
});

test("bars share one baseline, and the whole range fits", () => {
  const { ground, heights } = scoreBars([6, 0, -2], 80);
  assert.deepEqual([ground, ...heights], [20, 60, 0, -20]);
  assert.deepEqual(scoreBars([1, 3], 60).heights, [20, 60]);
  assert.deepEqual(scoreBars([-Infinity, 2], 10), { ground: 0, heights: [0, 10] });
});

test("the words match the run: the key with the highest score, and the share of each word", () => {
  const [text, formula] = says(asked(), "scores");
  assert.match(text, /it is compared with every key.*cat gets the highest, 2\.8\./);
  assert.equal(formula, `score = q · k / √2 = 4 / 1.4142 = ${numberText(SCORES[0])}`);
  assert.match(says(asked(), "softmax")[0], /cat gets 93\.2%, mat 5\.5%\./);
  assert.match(says(asked(), "mix")[0], /mostly from cat/);
});

test("a right or wrong guess is answered with the word that the head reads", () => {
  assert.match(says(asked({ guess: 0 }), "answer")[0], /^Your guess, cat, is what it reads\./);
  assert.match(says(asked({ guess: 1 }), "answer")[0], /^You said mat; it reads cat\./);
  assert.match(
    says(asked(), "answer")[0],
    /^it reads cat\. cat is masculine in French, and the model writes il\./,
  );
});

test("a head that reads another noun and a wrong output are described as such", () => {
  const [missed] = says(asked({}, { right: 1, gender: "f" }), "answer");
  assert.match(missed, /^No single head points at mat here; this one comes closest, with 5\.5%\./);
  assert.match(missed, /mat is feminine in French, but the model writes il, which is wrong here\./);
});

test("the effect of the head is described for the reading that it changes most", () => {
  const weak = reading({
    source: "other",
    label: "wide",
    answer: { at: 1, probability: 0.8, without: 0.79 },
  });
  const both = asked();
  both.readings = [both.reading, weak];
  const goes = /the probability of il goes from 90% to 25%\.$/;
  assert.match(says(both, "answer")[1], goes);
  const other = says({ ...both, reading: weak }, "answer")[1];
  assert.match(other, /about as likely without this head .*“tired” the head counts/);
  assert.match(other, /from 90% to 25%\.$/);
  const unanswered = { ...weak, answer: null };
  assert.match(says({ ...both, reading: unanswered }, "answer")[1], goes);
  const idle = { ...both, readings: [weak, unanswered] };
  assert.match(
    says({ ...idle, reading: weak }, "answer")[1],
    /79%, so here the head hardly matters\.$/,
  );
  assert.equal(says({ ...idle, reading: unanswered }, "answer")[1], "");
});

test("the stages follow one another, and the last one has no successor", () => {
  assert.equal(sceneAfter("guess", 1), "query");
  assert.equal(sceneAfter("guess", -1), undefined);
  assert.equal(sceneAfter("answer", 1), undefined);
});

test("the end of each stage is the beginning of the next", () => {
  for (const [at, scene] of SCENES.slice(0, -1).entries()) {
    const [end, start] = [frameOf(scene, 1), frameOf(SCENES[at + 1], 0)];
    for (const name of ["shares", "streams", "mix", "link", "word"])
      assert.equal(end[name], start[name], `${name} after ${scene}`);
  }
});

test("no stage moves for more than 4.2 seconds, however long the sentence", () => {
  for (const scene of SCENES) assert.ok(durationOf(scene, 500) <= 4200);
});

test("a guess is a word of the sentence or none", () => {
  assert.deepEqual(
    [3, 14, -1, 13].map((guess) => guessIn(guess, 14)),
    [3, -1, -1, 13],
  );
});

test("the streams fill the mix from end to end in proportion to their shares", () => {
  const spots = [10, 60, 110].map((x) => ({ x, top: 0, bottom: 50, wide: 200, strip: 40 }));
  const paths = streamPaths([0.5, 0.01, 0.49], spots, { x: 0, top: 100, wide: 200 }, 0.02);
  assert.deepEqual(
    paths.map(({ at }) => at),
    [0, 2],
  );
  const ends = paths.map(({ path }) =>
    path
      .match(/(\S+),100L(\S+),100/)
      .slice(1)
      .map(Number),
  );
  assert.deepEqual(ends, [
    [0, 100],
    [102, 200],
  ]);
});

test("an arc stays within the room above the words", () => {
  const spot = (x) => ({ x, top: 100, bottom: 130, wide: 40, strip: 125 });
  for (const [from, to] of [
    [spot(0), spot(900)],
    [spot(300), spot(310)],
  ]) {
    const controls = [...arcPath(from, to, 90).matchAll(/,(-?[\d.]+)/g)].map((m) => Number(m[1]));
    const peak = 100 - 0.75 * (100 - Math.min(...controls));
    assert.ok(peak >= 100 - 90, `${peak}`);
  }
});

test("the picture of each stage has a description that does not give the answer away", () => {
  assert.match(summaryOf(asked(), "guess"), /from it to cat and mat/);
  for (const scene of SCENES) assert.ok(summaryOf(asked(), scene).length > 10);
  assert.equal(summaryOf(asked(), "scores"), "Scores: cat 2.8, mat 0.0, it −1.4.");
  assert.match(summaryOf(asked(), "mix"), /^it reads 93\.2% cat, 5\.5% mat, as streams/);
});

test("a head that hardly matters or gets in the way is described as such", () => {
  const change = (probability, without) =>
    says(asked({}, { answer: { at: 1, probability, without } }), "answer")[1];
  assert.match(
    change(0.897, 0.893),
    /goes from 89\.7% to 89\.3%, so here the head hardly matters\.$/,
  );
  assert.match(change(0.4, 0.9), /goes from 40% to 90%, so here the head gets in the way\.$/);
  assert.match(change(0.9, 0.4), /goes from 90% to 40%\.$/);
});

test("a message replaces the effect of the head until the model has run without it", () => {
  const waiting = asked({}, { answer: { at: 1, probability: 0.9, without: null } });
  assert.equal(says(waiting, "answer")[1], "Running the model without this head…");
  const beside = { ...asked(), readings: [reading(), waiting.reading] };
  assert.equal(says(beside, "answer")[1], "Running the model without this head…");
});

test("a given target is not described as the model's output", () => {
  const [text, effect] = says(asked({}, { given: true }), "answer");
  assert.doesNotMatch(text, /the model writes/);
  assert.equal(effect, "");
});
