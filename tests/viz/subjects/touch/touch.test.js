// The arithmetic of the hand: its position, the changes that it requests, the alignment of two texts, and the words.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { overwritten } from "../../../../viz/subjects/touch/browser/touch_align.js";
import {
  cutAt,
  cutKeys,
  paintedWith,
  pulledTo,
  weightsName,
  withChanges,
} from "../../../../viz/subjects/touch/browser/touch_ask.js";
import { followUp } from "../../../../viz/subjects/touch/browser/touch_follow.js";
import {
  differenceFrom,
  otherWeights,
  rivals,
  rowWeights,
  sentFrame,
  stepsBefore,
} from "../../../../viz/subjects/touch/browser/touch_frames.js";
import { createHand } from "../../../../viz/subjects/touch/browser/touch_hand.js";
import { pullAt } from "../../../../viz/subjects/touch/browser/touch_pull.js";
import {
  passagesOf,
  pathThrough,
  rowsOf,
  wayPast,
} from "../../../../viz/subjects/touch/browser/touch_routes.js";
import {
  checkWords,
  movingWords,
  outcome,
} from "../../../../viz/subjects/touch/browser/touch_words.js";

const PLACE = { kind: "cross-attention", scope: "all", layer: 1, head: 2, row: 1, key: 0 };
const CROSS = "decoder.layers.*.cross_attn.weights";

test("the closer the hand is to a word, the further a line is pulled to it", () => {
  const words = [0, 100, 200].map((x) => ({ x, y: 0, width: 40, height: 20 }));
  assert.equal(pullAt({ x: 0, y: 0 }, 0, words).amount, 0);
  assert.deepEqual(pullAt({ x: 100, y: 0 }, 0, words), { held: 0, to: 1, amount: 1 });
  const half = pullAt({ x: 50, y: 0 }, 0, words); // 30 pixels from the edge of a word, which is 80 pixels away
  assert.equal(half.to, 1);
  assert.ok(Math.abs(half.amount - (1 - 30 / 80)) < 1e-9);
  assert.equal(pullAt({ x: 190, y: 0 }, 0, words).to, 2);
  assert.ok(pullAt({ x: 200, y: 90 }, 0, words).amount < 0.5); // a hand below the words pulls less
  assert.equal(pullAt({ x: 0, y: 0 }, 0, words.slice(0, 1)), null);
});

test("the change that a hand requests names the heads that it holds", () => {
  const pull = pulledTo(PLACE, 3, 0.604);
  assert.deepEqual([pull.kind, pull.name, pull.head], ["point", CROSS, null]);
  assert.deepEqual([pull.rows, pull.columns, pull.amount], [[1], [3], 0.6]);
  const layer = cutAt({ ...PLACE, scope: "layer" }, 3);
  assert.deepEqual([layer.name, layer.head], ["decoder.layers.1.cross_attn.weights", null]);
  const head = cutAt({ ...PLACE, kind: "encoder self-attention", scope: "head" }, 0);
  assert.deepEqual([head.name, head.head], ["encoder.layers.1.self_attn.weights", 2]);
  assert.deepEqual(paintedWith(PLACE, [0.12345, 0]).values, [0.123, 0]);
});

test("no row is read from a matrix that was sent reduced", () => {
  const stack = { layers: 1, heads: 1, drawn: [2, 2], whole: true };
  const sent = (whole) => {
    const codes = Uint16Array.of(50000, 0, 12500, 37500);
    const kinds = { "cross-attention": { ...stack, codes, whole } };
    const written = { ids: [7, 2], tokens: ["chat", "</s>"], probabilities: [1, 1] };
    return sentFrame(/** @type {any} */ ({ kinds }), { ...written, candidates: [[], []] });
  };
  const place = { ...PLACE, layer: 0, head: 0, scope: /** @type {const} */ ("head") };
  assert.deepEqual(rowWeights(/** @type {any} */ (sent(true)), place), [0.25, 0.75]);
  assert.equal(sent(false), null);
});

test("a second pull of a row replaces the first, and cuts add up", () => {
  const first = pulledTo(PLACE, 3);
  const other = pulledTo({ ...PLACE, row: 2 }, 3);
  assert.deepEqual(withChanges([first, other], [pulledTo(PLACE, 0)]), [other, pulledTo(PLACE, 0)]);
  assert.deepEqual(withChanges([first], [paintedWith(PLACE, [1])]), [paintedWith(PLACE, [1])]);
  const cuts = withChanges([first, cutAt(PLACE, 0)], [cutAt(PLACE, 2)]);
  assert.equal(cuts.length, 3);
  assert.deepEqual(cutKeys(cuts, PLACE), new Set([0, 2]));
  assert.deepEqual(cutKeys(cuts, { ...PLACE, row: 0 }), new Set());
  const inLayer = cutAt({ ...PLACE, scope: "layer" }, 5);
  assert.deepEqual(cutKeys([inLayer], PLACE), new Set()); // not cut in all heads in view
  assert.deepEqual(cutKeys([inLayer], { ...PLACE, scope: "head" }), new Set([5]));
});

test("two texts are aligned word by word", () => {
  const told = (before, now) =>
    overwritten(before.split(" "), now.split(" ")).map(({ row, token, ghost, isNew }) =>
      isNew ? `${row}:${ghost ?? ""}>${token ?? ""}` : token,
    );
  assert.deepEqual(told("le chat dort .", "le chien dort ."), ["le", "1:chat>chien", "dort", "."]);
  assert.deepEqual(told("a b", "a x y b"), ["a", "1:>x", "2:>y", "b"]);
  assert.deepEqual(told("a x y b", "a b"), ["a", "null:x>", "null:y>", "b"]);
  assert.deepEqual(told("a b", "a b"), ["a", "b"]);
});

const weights = (...rows) => ({
  heads: rows.length,
  rows: 1,
  columns: 2,
  data: Float32Array.from(rows.flat()),
});
const frame = (ids, found = {}) => ({
  ids,
  tokens: ids.map((id) => `w${id}`),
  probabilities: ids.map(() => 0.75),
  logits: ids.map((id) => Float32Array.from([0, 1, 2, 3], (n) => (n === id ? 5 : n))),
  weights: found,
});

test("a row is the mean of the held heads, and another row that of the other heads", () => {
  const found = {
    [weightsName("cross-attention", 0)]: weights([1, 0], [0.5, 0.5]),
    [weightsName("cross-attention", 1)]: weights([0, 1], [0.25, 0.75]),
    [weightsName("encoder self-attention", 0)]: weights([9, 9], [9, 9]),
  };
  const at = (scope) => rowWeights(frame([1], found), { ...PLACE, scope, row: 0, head: 1 });
  assert.deepEqual(at("all"), [0.4375, 0.5625]);
  assert.deepEqual(at("layer"), [0.125, 0.875]);
  assert.deepEqual(at("head"), [0.25, 0.75]);
  const others = otherWeights(frame([1], found), { ...PLACE, scope: "head", row: 0, head: 1 });
  assert.equal(others.count, 3);
  assert.deepEqual(others.weights, [0.5, 0.5]);
});

test("the old word is listed with its likeliest rival", () => {
  const [own, rival] = rivals(frame([1, 3]), frame([1, 2]), 1, (id) => `w${id}`);
  assert.deepEqual(
    [own.word, own.isWritten, rival.word, rival.isWritten],
    ["w2", false, "w3", true],
  );
  const sum = Math.exp(0) + Math.exp(1) + Math.exp(2) + Math.exp(5);
  assert.ok(Math.abs(rival.probability - Math.exp(5) / sum) < 1e-9);
  assert.deepEqual(rivals(frame([1]), frame([1]), 1, String), []);
});

test("an attempted change leaves the steps before its row unchanged", () => {
  const at = (row, kind = "cross-attention") => pulledTo({ ...PLACE, kind, row }, 0);
  assert.equal(stepsBefore([], [at(4)]), 4);
  assert.equal(stepsBefore([at(1)], [at(1), at(4)]), 4);
  assert.equal(stepsBefore([at(1)], [at(4)]), 1);
  assert.equal(stepsBefore([], [at(4, "encoder self-attention")]), 0);
  assert.equal(stepsBefore([], [{ ...at(4), rows: null }]), 0);
  assert.equal(stepsBefore([at(4)], [at(4)]), 0);
});

test("the twin is compared with the probabilities and the words of PyTorch", () => {
  const sum = Math.exp(0) + Math.exp(5) + Math.exp(2) + Math.exp(3);
  const candidates = [
    [
      { id: 1, probability: Math.exp(5) / sum },
      { id: 3, probability: Math.exp(3.25) / sum },
      { id: 0, probability: 0 }, // too small for float32
    ],
  ];
  const written = { ids: [1], tokens: ["w1"], probabilities: [1], candidates };
  assert.ok(Math.abs(differenceFrom(frame([1]), written) - 0.25) < 1e-6);
  assert.equal(differenceFrom(frame([1]), { ...written, ids: [2] }), Infinity);
  assert.equal(checkWords(4e-6).mark, "✓");
  assert.match(checkWords(4e-6).words, /^Checked against PyTorch: .* 4e−6$/);
  assert.match(checkWords(0.25).mark, /^These are PyTorch’s numbers/);
  assert.equal(checkWords(null).mark, "");
});

function sceneAfter(change, ids) {
  const found = {
    [weightsName("cross-attention", 0)]: weights([0.9, 0.1]),
    [weightsName("cross-attention", 1)]: weights([0, 1]),
  };
  const before = frame([1, 2]);
  const shown = { ...frame(ids, found), probabilities: [0.5, 0.5] };
  return /** @type {any} */ ({
    data: { interventions: [change], sourceTokens: ["cat", "dog"], pull: null, isGiven: false },
    place: { ...PLACE, row: 0 },
    shown,
    before,
    cells: overwritten(before.tokens, shown.tokens),
    isBefore: false,
  });
}

test("a pull of some heads without effect describes what the others read, and offers to pull all", () => {
  const place = { ...PLACE, scope: /** @type {const} */ ("layer"), row: 0 };
  const { text, offer } = outcome(sceneAfter(pulledTo(place, 1), [1, 2]));
  assert.match(text, /^Only layer 1 was touched\. The other head still gives “cat” 90%/);
  assert.match(text, /“w1” 75% → 50%/);
  assert.deepEqual(offer.changes, [pulledTo({ ...PLACE, row: 0 }, 1)]);
});

test("the previous word is said to follow only if it would", () => {
  const scene = sceneAfter(pulledTo({ ...PLACE, row: 1 }, 1), [1, 3]);
  const follows = followUp(scene, () => frame([2, 3]));
  assert.match(follows.text, /“w1” was already written\. .* would be “w2”/);
  assert.deepEqual(follows.offer.changes, [pulledTo({ ...PLACE, row: 0 }, 0)]);
  assert.equal(
    followUp(scene, () => frame([1, 3])),
    null,
  );
  assert.equal(
    followUp(scene, () => frame([2, 2])),
    null,
  ); // the word that was pulled must stay
});

test("a change is reported again until Python has heard of it, but not after it was dropped", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const told = [];
  const hand = createHand(
    { selection: null, runs: new Map() },
    () => {},
    () => {},
  );
  const take = (number) => hand.take({ number }, (_event, { number }) => told.push(number));
  take(0);
  hand.tell([cutAt(PLACE, 3)]);
  mock.timers.tick(1500);
  assert.deepEqual(told, [1, 1]);
  take(0);
  assert.equal(hand.state.pending.length, 1);
  take(1);
  mock.timers.tick(600_000);
  assert.deepEqual(told, [1, 1]);
  hand.tell([cutAt(PLACE, 2)]);
  hand.forget();
  mock.timers.tick(600_000);
  assert.deepEqual(told, [1, 1, 2]);
  mock.timers.reset();
});

test("during a pull, the words contain the share with which the model runs", () => {
  const scene = sceneAfter(pulledTo({ ...PLACE, row: 0 }, 1, 0.7314), [1, 2]);
  const pulled = { held: 0, to: 1, amount: 0.7314 };
  const words = movingWords({ ...scene, pulled, keys: ["a", "b"], reader: "it" });
  assert.equal(words, "73% of the weight of “it” pulled to “b”");
});

test("if the target is given, its words stay", () => {
  const scene = sceneAfter(pulledTo({ ...PLACE, row: 0 }, 1), [1, 2]);
  scene.data.isGiven = true;
  assert.match(outcome(scene).text, /^The target is given: the text stays/);
});

const box = (left, right, top, bottom) => ({ left, right, top, bottom });
const TWO_ROWS = [
  box(20, 60, 0, 20),
  box(70, 130, 0, 20),
  box(20, 90, 40, 60),
  box(104, 150, 40, 60),
];

test("words form rows, and a line passes a row between its words or beside them", () => {
  const [first, second, ...rest] = rowsOf(TWO_ROWS);
  assert.deepEqual(rest, []);
  assert.deepEqual([first.boxes.length, first.top, first.bottom], [2, 0, 20]);
  assert.deepEqual(passagesOf(second, 200), [
    { from: 97, to: 97, room: 14 },
    { from: 7, to: 13, room: 14 },
    { from: 157, to: 193, room: 14 },
  ]);
  assert.deepEqual(passagesOf({ ...second, boxes: [box(2, 198, 40, 60)] }, 200), []);
});

test("a line from a word in the second row ends at its box and crosses no word", () => {
  const [first, second] = rowsOf(TWO_ROWS);
  const up = wayPast({ x: 100, y: 40 }, [first], 200);
  assert.deepEqual(up.points[0], { x: 100, y: 40 });
  assert.deepEqual(up.points.slice(1), [
    { x: 137, y: 20 }, // the gap between the words is only 10 wide, 35 away; the one beside them 14 wide, 37 away
    { x: 137, y: 0 },
  ]);
  const down = wayPast({ x: 100, y: 22 }, [second], 200);
  assert.deepEqual(down.points, [
    { x: 100, y: 22 },
    { x: 97, y: 40 },
    { x: 97, y: 60 },
  ]);
  assert.equal(down.room, 14);
  assert.deepEqual(wayPast({ x: 5, y: 9 }, [], 200), { points: [{ x: 5, y: 9 }], room: Infinity });
});

test("a line is upright where it passes a row, and bent between rows", () => {
  const points = [
    { x: 1, y: 9 },
    { x: 5, y: 5 },
    { x: 5, y: 2 },
  ];
  assert.equal(pathThrough(points), "M 1 9 C 1 7, 5 7, 5 5 L 5 2");
});
