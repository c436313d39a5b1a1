// What a hand does to a run: tried out in the browser in each frame, told to Python when it lets go.

import { clamp } from "../../../pictures/browser/elements.js";
import { createModels } from "../../../pictures/browser/live/models.js";
import { createReminder } from "../../../pictures/browser/selection.js";
import { overwritten } from "./touch_align.js";
import { cutAt, cutKeys, paintedWith, pulledTo, withChanges } from "./touch_ask.js";
import {
  differenceFrom,
  isAble,
  MOST_OFF,
  rowWeights,
  sentFrame,
  twinFrame,
} from "./touch_frames.js";
import { createPairs } from "./touch_pair.js";

/** @typedef {ReturnType<typeof createHand>} Hand */

const MOST_FRAMES = 8;
const LEAST_PULL = 0.02;
const GRABBED = 0.05;

/** Make the hand of an explorer.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {() => void} changed draws again
 * @param {() => void} telling called before Python is told of a change
 */
export function createHand(loupe, changed, telling) {
  const state = {
    facts: /** @type {import("./wire").WireHand | null} */ (null),
    tool: /** @type {import("./types").Tool} */ ("pull"),
    scope: /** @type {import("./types").Scope} */ ("all"),
    trial: [],
    pending: [],
    pulled: /** @type {import("./types").Pulled | null} */ (null),
    at: /** @type {{x: number, y: number} | null} */ (null),
    values: /** @type {number[] | null} */ (null),
    number: 0,
    trigger: (_event, _value) => {},
  };
  const pairs = createPairs(loupe);
  const pair = () => pairs(state.facts);
  const frames = createFrames(loupe, pair);
  const scene = () => sceneOf(loupe, pair(), state, frames);
  const letGo = () => {
    Object.assign(state, { trial: [], pulled: null, at: null, values: null });
    changed();
  };
  const add = () => {
    const { pending: interventions, number } = state;
    state.trigger("change", { do: "add", interventions, number });
  };
  const reminder = createReminder(() => state.pending.length === 0, add);
  const tell = (interventions) => {
    telling();
    state.pending = interventions;
    state.number++;
    add();
    reminder.begin();
    letGo();
  };
  const undo = () => {
    telling();
    state.number++;
    state.trigger("change", { do: "undo", interventions: [], number: state.number });
  };
  return {
    state,
    pair,
    scene,
    frames,
    tell,
    undo,
    tool: () => state.tool,
    cancel: letGo,
    forget: () => (state.pending = []),
    /** @param {import("./wire").WireHand} facts */
    take(facts, trigger) {
      state.facts = facts;
      state.trigger = trigger;
      if (facts.number >= state.number) state.pending = [];
      state.number = Math.max(state.number, facts.number);
      changed();
    },
    choose(row) {
      if (scene()?.place.row !== row) loupe.select({ query: row });
    },
    strongest: (key) => strongestLine(scene().weights, key),
    ...movesOf(state, scene, changed, tell, letGo),
  };
}

// A hand that takes a word takes its line; where that has hardly any weight, the strongest one.
function strongestLine(weights, key) {
  return weights[key] >= GRABBED ? key : weights.indexOf(Math.max(...weights));
}

function movesOf(state, scene, changed, tell, letGo) {
  return {
    pull(pulled, at) {
      const { place } = scene();
      Object.assign(state, { pulled, at, trial: [pulledTo(place, pulled.to, pulled.amount)] });
      changed();
    },
    // By the keyboard: a tenth more or less of the way.
    strengthen(key, by) {
      const { place, weights } = scene();
      const amount = Math.max(
        0,
        Math.min(1, (state.pulled?.to === key ? state.pulled.amount : 0) + by),
      );
      const held = state.pulled?.held ?? weights.indexOf(Math.max(...weights));
      Object.assign(state, { pulled: { held, to: key, amount }, at: null });
      state.trial = [pulledTo(place, key, amount)];
      changed();
    },
    paint(key, value) {
      const { place, weights } = scene();
      state.values ??= weights.map((weight) => Math.round(weight * 1000) / 1000);
      state.values[key] = value;
      const isAny = state.values.some((each) => each > 0);
      state.trial = isAny ? [paintedWith(place, state.values)] : [];
      changed();
    },
    release() {
      const { trial, pulled } = state;
      if (!trial.length || (pulled && pulled.amount < LEAST_PULL)) letGo();
      else tell(trial);
    },
    press(key) {
      const { place } = scene();
      tell([state.tool === "cut" ? cutAt(place, key) : pulledTo(place, key)]);
    },
    cut: (key) => tell([cutAt(scene().place, key)]),
  };
}

// What the model writes: as it was, with the changes in force, with those that are tried.
/**
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {() => import("./types").Pair} pair
 */
function createFrames(loupe, pair) {
  const kept = new Map();
  const arrived = new WeakMap(); // run that Python sent -> what is drawn of it
  const model = () => loupe.part(createModels).at(pair().ran?.model.key);
  // The run with the changes in force: what is tried leaves its first steps as they are.
  const knownFrame = (tried) => {
    const { interventions } = pair();
    if (tried === interventions) return null;
    const frame = twin(interventions);
    return frame && { frame, interventions };
  };
  let isBroken = false; // then PyTorch's runs are shown, as where there are no weights
  const twin = (interventions) => {
    if (isBroken || !isAble(model(), interventions)) return null;
    const name = JSON.stringify([pair().before, interventions]);
    const frame = kept.get(name) ?? attempt(interventions);
    if (!frame) return null;
    kept.delete(name); // the latest stands last
    kept.set(name, frame);
    if (kept.size > MOST_FRAMES) kept.delete(kept.keys().next().value);
    return frame;
  };
  const attempt = (interventions) => {
    try {
      return run(interventions);
    } catch (error) {
      isBroken = true;
      console.error("loupe: the browser cannot run this model", error);
      return null;
    }
  };
  const run = (interventions) => {
    const before = interventions.length ? twin([]) : null;
    const known = before && knownFrame(interventions);
    return twinFrame(model(), pair(), interventions, { name, before, known });
  };
  let named = { ran: null, of: /** @type {(id: number) => string} */ (String) };
  // A word that is carried over has its own name.
  const name = (id) => {
    const { ran } = pair();
    if (named.ran !== ran) named = { ran, of: namesIn(model().tokenizers, ran.text) };
    return named.of(id);
  };
  const sent = (key, written) => {
    const run = loupe.runs.get(key);
    if (!arrived.has(run)) arrived.set(run, sentFrame(run, written));
    return arrived.get(run);
  };
  const difference = () => {
    const { run, interventions, now } = pair();
    const isOurs = loupe.traces.get(run)?.answer; // no PyTorch has run it
    const frame = isOurs ? null : twin(interventions);
    return frame ? differenceFrom(frame, now) : null;
  };
  return {
    model,
    twin,
    difference,
    /** What an id is called beside the source in view. */
    name,
    before() {
      const { before, was } = pair();
      return twin([]) ?? sent(before, was);
    },
    inForce() {
      const { run, interventions, now } = pair();
      const frame = twin(interventions);
      const isRight = frame && differenceFrom(frame, now) <= MOST_OFF;
      return isRight ? frame : (sent(run, now) ?? frame);
    },
  };
}

/** @param {import("../../../pictures/browser/twin/text/types").Tokenizers} tokenizers */
const namesIn = (tokenizers, text) => tokenizers.naming(tokenizers.encodeSource(text)).target.token;

/** What is in view now; null while something of it is on its way.
 * @returns {import("./types").Scene | null}
 */
function sceneOf(loupe, data, state, frames) {
  const { pending, trial } = state;
  if (!data || !loupe.selection) return null;
  const isBefore = data.run !== data.before && loupe.selection.run === data.before;
  const tried = [...pending, ...trial];
  const interventions = isBefore ? [] : withChanges(data.interventions, tried);
  const before = frames.before();
  const now = tried.length ? (frames.twin(interventions) ?? frames.inForce()) : frames.inForce();
  const shown = isBefore ? before : now;
  if (!before || !shown) return null;
  const { kind, layer, head, query, key } = loupe.selection;
  const isEncoder = kind === "encoder self-attention";
  const count = isEncoder ? data.sourceTokens.length : shown.ids.length;
  const place = { kind, scope: state.scope, layer, head, key, row: clamp(query, count) };
  const keys = keysOf(place, shown, data);
  const found = rowWeights(shown, place).slice(0, keys.length);
  return {
    data: { ...data, interventions },
    place,
    reader: (isEncoder ? data.sourceTokens : frames.inForce().tokens)[place.row] ?? "",
    tool: state.tool,
    shown,
    before,
    keys,
    weights: frames.model() ? found : foretold(found, tried),
    cut: cutKeys(interventions, place),
    cells: overwritten(before.tokens, shown.tokens),
    pulled: state.pulled,
    isBefore,
  };
}

function keysOf({ kind, row }, { tokens }, { sourceTokens, begin }) {
  return kind === "decoder self-attention" ? [begin, ...tokens].slice(0, row + 1) : sourceTokens;
}

// Where only PyTorch runs the model, a pull shows what it does to its own row.
function foretold(weights, tried) {
  const last = tried.at(-1);
  if (last?.kind === "paint") {
    const sum = last.values.reduce((total, value) => total + value, 0);
    return last.values.map((value) => value / sum);
  }
  if (last?.kind !== "point") return weights;
  return weights.map(
    (weight, key) => weight * (1 - last.amount) + (key === last.columns[0] ? last.amount : 0),
  );
}
