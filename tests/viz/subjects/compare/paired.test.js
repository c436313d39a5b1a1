import assert from "node:assert/strict";
import { test } from "node:test";
import { CODE_MASKED, CODE_ONE } from "../../../../viz/pictures/browser/weights.js";
import {
  cellsOf,
  differenceOf,
  headOf,
  pairNames,
} from "../../../../viz/subjects/compare/browser/paired.js";

const KIND = "encoder self-attention";
const HALF = CODE_ONE / 2;

// Make a run with one head: "it was" has two tokens, and "it often is" has three.
function run(tokens, codes) {
  const size = tokens.length;
  const stack = {
    ...{ queries: ["source", 0], keys: ["source", 0], heads: 1, rows: size, columns: size },
    ...{ drawn: [size, size], whole: true, codes: Uint16Array.from(codes) },
  };
  return { tokens: { source: tokens }, kinds: { [KIND]: stack }, heads: new Map() };
}

const A = run(["it", "was"], [CODE_ONE, 0, HALF, HALF]);
const B = run(["it", "often", "is"], [HALF, HALF, 0, 0, CODE_ONE, 0, 0, CODE_MASKED, CODE_ONE]);
const PAIRS = [
  [0, 0],
  [null, 1],
  [1, 2],
];
const CHANGE = { rows: PAIRS, columns: PAIRS, match: [[0]], moved: [] };

test("the cells of both runs are paired, and a cell that a run lacks is null", () => {
  const cell = cellsOf(
    CHANGE,
    [A, B].map((one) => headOf(one, KIND, 0, 0)),
  );
  assert.deepEqual(cell(0, 0), [CODE_ONE, HALF]);
  assert.deepEqual(cell(2, 2), [HALF, CODE_ONE]);
  assert.deepEqual(cell(0, 1), [null, HALF]);
  assert.deepEqual(cell(2, 1), [null, CODE_MASKED]);
});

test("a difference is the weight in B minus the weight in A, and a masked cell has weight 0", () => {
  assert.equal(differenceOf([CODE_ONE, HALF]), -0.5);
  assert.equal(differenceOf([HALF, CODE_MASKED]), -0.5);
  assert.equal(differenceOf([null, HALF]), null);
});

test("a pair of equal tokens has one name", () => {
  const { rows } = pairNames(CHANGE, [A, B], KIND);
  assert.deepEqual(rows.a, ["it", "", "was"]);
  assert.deepEqual(rows.b, ["it", "often", "is"]);
  assert.deepEqual(rows.both, ["it", "often", "was | is"]);
});

test("a head sent separately is found, and a head without a partner is null", () => {
  const reduced = run(["it", "was"], [0]);
  reduced.kinds[KIND].whole = false;
  assert.equal(headOf(reduced, KIND, 0, 0), null);
  reduced.heads.set(`${KIND} 0 0`, Uint16Array.of(1, 2, 3, 4));
  assert.deepEqual([...headOf(reduced, KIND, 0, 0).codes], [1, 2, 3, 4]);
  assert.equal(headOf(A, KIND, 0, null), null);
});
