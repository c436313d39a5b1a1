// What a hand does to a run: tried in the browser in every frame, sent to Python when the hand lets go.

import { clamp } from "../../../pictures/browser/elements.js";
import { createReminder } from "../../../pictures/browser/selection.js";
import { overwritten } from "./touch_align.js";
import { cutAt, cutKeys, paintedWith, pulledTo, withChanges } from "./touch_ask.js";
import { createFrames, rowWeights } from "./touch_frames.js";
import { createPairs } from "./touch_pair.js";

/** @typedef {ReturnType<typeof createHand>} Hand */

const LEAST_PULL = 0.02;
const GRABBED = 0.05;

/** Create the hand of an explorer.
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
  const { tell, undo } = createTelling(state, telling, letGo);
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

// Create the functions that send changes to Python, again until Python has made them, and that undo the last one.
function createTelling(state, telling, letGo) {
  const add = () => {
    const { pending: interventions, number } = state;
    state.trigger("change", { do: "add", interventions, number });
  };
  const reminder = createReminder(() => state.pending.length === 0, add);
  return {
    tell(interventions) {
      telling();
      state.pending = interventions;
      state.number++;
      add();
      reminder.begin();
      letGo();
    },
    undo() {
      telling();
      state.number++;
      state.trigger("change", { do: "undo", interventions: [], number: state.number });
    },
  };
}

// Return the line that comes with a word: its own line or, if that has hardly any weight, the strongest one.
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
    // Pull with the keyboard, by a part of the way.
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

/** Return what is in view now; null until all of it has arrived.
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

// If only PyTorch can run the model, show what a pull does to its own row.
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
