// Keeps the runs that Python sent, from which all pictures draw. Draws nothing.

import { takeTensors } from "./tensors.js";

export const SPECIAL = new Set(["<s>", "</s>", "<pad>", "<unk>"]);

/** Return whether a token is neither special nor punctuation.
 * @param {string} token
 */
export const isWord = (token) => /[\p{L}\p{N}]/u.test(token) && !SPECIAL.has(token);

/** Return the index at which a word is among tokens, the nearest to a place, or -1 if it is not there.
 * @param {string} word
 * @param {string[]} tokens
 * @param {number} at
 */
export function nearestPlace(word, tokens, at) {
  const places = tokens.flatMap((token, place) => (token === word ? [place] : []));
  const nearer = (best, place) => (Math.abs(place - at) < Math.abs(best - at) ? place : best);
  return places.length ? places.reduce(nearer) : -1;
}

/** The key of the run of the typed text, which Python does not have. */
export const TYPED = "typed";

/** Keep the selection in Python's run while the run of the typed text is shown, in order to return to it.
 * @returns {{selection: import("./wire").WireSelection | null, left: () => void}} `left` is called on the return
 */
export const createBeneath = () => ({ selection: null, left: () => {} });

const RUNS_KEPT = 16; // all variants side by side, and earlier runs

// Run key -> parts of a run that arrived before the run itself, because pictures start in any order.
const createEarly = () => new Map();

function partsOf(loupe, run) {
  const early = loupe.part(createEarly);
  if (!loupe.runs.has(run) && !early.has(run))
    early.set(run, { heads: new Map(), metrics: {}, roles: null, changed: false, cases: null });
  return loupe.runs.get(run) ?? early.get(run);
}

// Component -> key of the run that it sent last. Python sends that run again only to a new component.
const createHeld = () => new Map();

/** @type {import("./types").Setup} */
function keepRun(loupe, { signal }) {
  const held = loupe.part(createHeld);
  signal.addEventListener("abort", () => held.delete(signal));
  return ({ meta, codes, numbers }) => {
    held.set(signal, meta.run);
    takeRun(loupe, meta, codes.getChild("code").toArray());
    if (numbers) takeTensors(loupe, meta.run, meta.tensors, numbers.getChild("number").toArray());
    loupe.tell("run");
  };
}

/** Store a run under its key.
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
  loupe.runs.delete(run); // the latest comes last
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
  const needed = new Set([latest, loupe.selection?.run, ...loupe.part(createHeld).values()]);
  for (const key of loupe.runs.keys()) {
    if (loupe.runs.size <= RUNS_KEPT) return;
    if (!needed.has(key)) loupe.runs.delete(key);
  }
}

// Store the measures of all heads of a run, in numbers, {kind: {name: [layer][head]}}, and their jobs.
/** @type {import("./types").Setup} */
function keepMeasures(loupe) {
  return ({ run, ...measures }) => {
    Object.assign(partsOf(loupe, run), measures);
    loupe.tell("measures");
  };
}

// Store one head at full size, of a run whose heads were all sent reduced.
/** @type {import("./types").Setup} */
function keepWholeHead(loupe) {
  return (data) => {
    const { run, kind, layer, head } = data.meta;
    const { heads } = partsOf(loupe, run);
    heads.clear();
    heads.set(`${kind} ${layer} ${head}`, data.codes.getChild("code").toArray());
    loupe.tell("whole_head");
  };
}

// Store the tensors of one head, of a run whose tensors are not sent all at once.
/** @type {import("./types").Setup} */
function keepHeadTensors(loupe) {
  return ({ meta, numbers }) => {
    const { run, kind, layer, head, tensors } = meta;
    const of = `${kind} ${layer} ${head}`;
    takeTensors(loupe, run, tensors, numbers.getChild("number").toArray(), of);
    loupe.tell("trace");
  };
}

/** Return what the browser's own model computed for the typed text, or undefined if Python's run is shown.
 * @param {import("./types").Loupe} loupe
 */
export const typedNow = (loupe) =>
  loupe.selection?.run === TYPED ? loupe.traces.get(TYPED)?.answer : undefined;

/** Return whether a model reads one text only, and so has one kind of attention.
 * @param {{kinds: object}} run
 */
export const isOneText = ({ kinds }) => Object.keys(kinds).length === 1;

/** Return whether the rows of a kind are named after the reading token, not after the token written next.
 * @param {{queries: [string, number], reads?: boolean}} stack
 */
export const rowReads = ({ queries, reads }) => reads ?? queries[1] === 0;

/** Return the number in the model of a layer that is drawn, because some layers may have been left out.
 * @param {{numbers?: number[]}} stack
 * @param {number} layer
 */
export const layerNumber = ({ numbers }, layer) => numbers?.[layer] ?? layer;

// Return the codes of one head as sent with all the others, maybe reduced.
export function drawnHead(stack, layer, head) {
  const [rows, columns] = stack.drawn;
  const start = (layer * stack.heads + head) * rows * columns;
  return { rows, columns, codes: stack.codes.subarray(start, start + rows * columns) };
}

// Return the codes of one head at full size, or null until they have arrived.
export function wholeHead(loupe, kind, layer, head) {
  const stack = loupe.stack(kind);
  if (stack.whole) return drawnHead(stack, layer, head);
  const codes = loupe.run().heads.get(`${kind} ${layer} ${head}`);
  return codes ? { rows: stack.rows, columns: stack.columns, codes } : null;
}

// Return the tokens beside a matrix: rows are queries, columns are keys.
export function axisTokens(loupe, kind) {
  const { tokens } = loupe.run();
  const { queries, keys, rows, columns } = loupe.stack(kind);
  const named = ([text, first], count) => tokens[text].slice(first, first + count);
  return { rows: named(queries, rows), columns: named(keys, columns) };
}

// Return the trace's name for the weights of a head.
export function headName(loupe, { kind, layer, head }) {
  const stack = loupe.stack(kind);
  return `${stack.name.replace("{layer}", String(layerNumber(stack, layer)))}[${head}]`;
}

export const components = {
  run: keepRun,
  measures: keepMeasures,
  whole_head: keepWholeHead,
  head_tensors: keepHeadTensors,
};
