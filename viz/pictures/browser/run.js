// Keeps what Python sent of a run, for all the pictures to draw from. Draws nothing.

import { takeTensors } from "./tensors.js";

export const SPECIAL = new Set(["<s>", "</s>", "<pad>", "<unk>"]);

/** Whether a token is neither a special one nor punctuation.
 * @param {string} token
 */
export const isWord = (token) => /[\p{L}\p{N}]/u.test(token) && !SPECIAL.has(token);

/** Where a word stands among tokens, the nearest to a place; -1 where it is none of them.
 * @param {string} word
 * @param {string[]} tokens
 * @param {number} at
 */
export function nearestPlace(word, tokens, at) {
  const places = tokens.flatMap((token, place) => (token === word ? [place] : []));
  const nearer = (best, place) => (Math.abs(place - at) < Math.abs(best - at) ? place : best);
  return places.length ? places.reduce(nearer) : -1;
}

/** The key of the run of what is being typed, which Python does not have. */
export const TYPED = "typed";

/** Keeps the selection in Python's run while the run of what is typed is in view: it is shown again if that is left.
 * @returns {{selection: import("./wire").WireSelection | null, left: () => void}} `left` is called when it is shown again
 */
export const createBeneath = () => ({ selection: null, left: () => {} });

const RUNS_KEPT = 16; // all variants beside each other, and the runs before

// Run key -> what came of a run before the run itself: pictures start in any order.
const createEarly = () => new Map();

function partsOf(loupe, run) {
  const early = loupe.part(createEarly);
  if (!loupe.runs.has(run) && !early.has(run))
    early.set(run, { heads: new Map(), metrics: {}, roles: null, changed: false, cases: null });
  return loupe.runs.get(run) ?? early.get(run);
}

/** @type {import("./types").Setup} */
function keepRun(loupe) {
  return ({ meta, codes, numbers }) => {
    takeRun(loupe, meta, codes.getChild("code").toArray());
    if (numbers) takeTensors(loupe, meta.run, meta.tensors, numbers.getChild("number").toArray());
    loupe.tell("run");
  };
}

/** Keep a run, by its key.
 * @param {import("./types").Loupe} loupe
 * @param {import("./wire").WireRun} meta
 * @param {Uint16Array} codes
 */
export function takeRun(loupe, { run, kinds, tensors: _apart, ...rest }, codes) {
  const stacks = {};
  for (const [kind, { offset, ...stack }] of Object.entries(kinds)) {
    const [rows, columns] = stack.drawn;
    const size = stack.layers * stack.heads * rows * columns;
    const whole = rows === stack.rows && columns === stack.columns;
    stacks[kind] = { ...stack, codes: codes.subarray(offset, offset + size), whole };
  }
  const { heads, metrics, roles, changed, cases } = partsOf(loupe, run);
  loupe.part(createEarly).delete(run);
  loupe.runs.delete(run); // the latest stands last
  loupe.runs.set(run, {
    ...rest,
    kinds: /** @type {any} */ (stacks),
    heads,
    metrics,
    roles,
    changed,
    cases,
  });
  forgetOldest(loupe, run);
}

function forgetOldest(loupe, latest) {
  for (const key of loupe.runs.keys()) {
    if (loupe.runs.size <= RUNS_KEPT) return;
    if (key !== latest && key !== loupe.selection?.run) loupe.runs.delete(key);
  }
}

// What every head of a run does, in numbers, {kind: {name: [layer][head]}}, and in words.
/** @type {import("./types").Setup} */
function keepMeasures(loupe) {
  return ({ run, ...measures }) => {
    Object.assign(partsOf(loupe, run), measures);
    loupe.tell("measures");
  };
}

// One whole head of a run whose stacks are sent reduced.
/** @type {import("./types").Setup} */
function keepWholeHead(loupe) {
  return (data) => {
    const { run, kind, layer, head } = data.meta;
    const { heads } = partsOf(loupe, run);
    const name = `${kind} ${layer} ${head}`;
    heads.clear();
    heads.set(name, data.codes.getChild("code").toArray());
    const { tensors } = data.meta;
    if (data.numbers)
      takeTensors(loupe, run, tensors, data.numbers.getChild("number").toArray(), name);
    loupe.tell("whole_head");
  };
}

/** What the browser's own model made of what is typed; undefined while Python's run is in view.
 * @param {import("./types").Loupe} loupe
 */
export const typedNow = (loupe) =>
  loupe.selection?.run === TYPED ? loupe.traces.get(TYPED)?.answer : undefined;

/** Whether a model reads one text alone, and so has one kind of attention.
 * @param {{kinds: object}} run
 */
export const isOneText = ({ kinds }) => Object.keys(kinds).length === 1;

/** Whether the rows of a kind are named after the token that reads, not after the one that is written then.
 * @param {{queries: [string, number], reads?: boolean}} stack
 */
export const rowReads = ({ queries, reads }) => reads ?? queries[1] === 0;

/** The model's number of a layer that is drawn: some may have been left out.
 * @param {{numbers?: number[]}} stack
 * @param {number} layer
 */
export const layerNumber = ({ numbers }, layer) => numbers?.[layer] ?? layer;

// The codes of one head as it was sent with all the others, maybe reduced.
export function drawnHead(stack, layer, head) {
  const [rows, columns] = stack.drawn;
  const start = (layer * stack.heads + head) * rows * columns;
  return { rows, columns, codes: stack.codes.subarray(start, start + rows * columns) };
}

// The codes of one head at full size; null while they are on the way.
export function wholeHead(loupe, kind, layer, head) {
  const stack = loupe.stack(kind);
  if (stack.whole) return drawnHead(stack, layer, head);
  const codes = loupe.run().heads.get(`${kind} ${layer} ${head}`);
  return codes ? { rows: stack.rows, columns: stack.columns, codes } : null;
}

// The tokens beside a matrix: rows are queries, columns are keys.
export function axisTokens(loupe, kind) {
  const { tokens } = loupe.run();
  const { queries, keys, rows, columns } = loupe.stack(kind);
  const named = ([text, first], count) => tokens[text].slice(first, first + count);
  return { rows: named(queries, rows), columns: named(keys, columns) };
}

// The trace's name for the weights of a head.
export function headName(loupe, { kind, layer, head }) {
  const stack = loupe.stack(kind);
  return `${stack.name.replace("{layer}", String(layerNumber(stack, layer)))}[${head}]`;
}

export const components = { run: keepRun, measures: keepMeasures, whole_head: keepWholeHead };
