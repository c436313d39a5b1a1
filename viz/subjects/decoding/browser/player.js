// The player of a decoding: its controls, what the model reads and weighs at the step in view, and its keys.

import { clamp, element, followWidth } from "../../../pictures/browser/elements.js";
import { keyboardInUse } from "../../../pictures/browser/keyboard.js";
import { TYPED } from "../../../pictures/browser/run.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { playerCandidates } from "./player_candidates.js";
import { playerControls } from "./player_controls.js";
import { playerFacts } from "./player_facts.js";
import { playerRows } from "./player_rows.js";
import { playerShaper } from "./player_shaper.js";
import { createStudio } from "./studio.js";

const IGNORED = ["hover", "measures"];
const PACE_MS = 1000; // per step, while it plays

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingPlayer(loupe, { host, listen, signal, save }) {
  const studio = loupe.part(createStudio);
  const player = {
    trigger: (_event, _value) => {},
    told: "", // how the path is shown, as far as Python knows
    selected: null, // step of the selection that was received last
  };
  const playback = createPlayback(studio, () => parts.controls.state(studio.path()), signal);
  const parts = createParts(loupe, studio, player, playback);
  host.append(parts.node);

  const shown = () => studio.typed ?? studio.told;
  const draw = () => studio.path() && parts.draw(studio.path(), shown());
  const start = () => {
    if (!studio.paths.has(shown()?.path)) return;
    playback.pause();
    takeUp(loupe, studio, player, shown());
    studio.tell("taken");
  };
  const look = () => {
    studio.look();
    draw();
  };

  studio.follow(signal, (what) => {
    if (what !== "path" && what !== "typed") draw();
    else if (studio.key !== shown()?.path) start();
  });
  listen((what) => {
    const path = studio.path();
    if (!path || IGNORED.includes(what)) return;
    const moves = isInView(loupe, path) && loupe.selection.step !== player.selected;
    if (moves) followSelection(loupe, studio, player);
    else look();
  });
  followWidth(host, look, signal);
  save({
    name: say("decoding.saved_step"),
    table: () => candidatesTable(studio),
    said: () => drawnSaid(studio.path(), shown()),
  });
  const press = (event) => loupe.page === "decoding" && pressKey(event, studio, playback);
  loupe.root.addEventListener("keydown", press, { capture: true, signal });

  /**
   * @param {import("./wire").WirePlayer} data
   * @param {import("../../../pictures/browser/types").Trigger} setTriggerValue
   */
  return (data, setTriggerValue) => {
    studio.told = data;
    player.trigger = (event, value) => studio.typed || setTriggerValue(event, value); // Python has no such path
    studio.commit = () => host.isConnected && commit(loupe, studio, player);
    studio.look();
    if (studio.key === shown().path && parts.isBuilt()) draw();
    else start();
  };
}

// Return whether the run in view wrote a path. While a sentence is typed, Python's path is of the previous one.
function isInView(loupe, { isRun, source, target }) {
  if (!isRun || !loupe.selection) return false;
  if (loupe.selection.run !== TYPED) return true;
  const { tokens } = loupe.run();
  return (
    source.join(" ") === tokens.source.join(" ") && target.join(" ") === tokens.target.join(" ")
  );
}

function followSelection(loupe, studio, player) {
  player.selected = loupe.selection.step;
  studio.step = clamp(player.selected, studio.path().steps);
  studio.tell("step");
}

// Play a path, shown as Python wants it.
function takeUp(loupe, studio, player, { path: key, at, shaping }) {
  const [temperature, topK, topP] = shaping;
  const path = studio.paths.get(key);
  player.selected = path.isRun && loupe.selection ? loupe.selection.step : at;
  const step = clamp(player.selected, path.steps);
  Object.assign(studio, { key, step, shaping: { temperature, topK, topP } });
  player.told = stateOf(studio);
  clearTimeout(studio.timer);
}

const shapingText = ({ shaping: { temperature, topK, topP } }) => `${temperature}:${topK}:${topP}`;
const stateOf = (studio) => `${studio.key} ${shapingText(studio)}`;

// Tell Python the step and, if it changed, how the path is shown.
function commit(loupe, studio, player) {
  const path = studio.path();
  if (!path || loupe.page !== "decoding") return;
  const isOther = stateOf(studio) !== player.told;
  player.told = stateOf(studio);
  player.selected = studio.step;
  const { step } = studio;
  if (path.isRun && !isOther) loupe.select({ step });
  else player.trigger("rest", { step, shaping: shapingText(studio) });
}

// Create everything that the player shows about the step in view.
function createParts(loupe, studio, player, playback) {
  const controls = playerControls(studio, playback);
  const rows = playerRows(loupe, studio);
  const shaper = playerShaper(studio, (seed) =>
    player.trigger("draw", { step: studio.step, shaping: shapingText(studio), seed }),
  );
  const candidates = playerCandidates(studio, (token) => {
    playback.pause();
    clearTimeout(studio.timer);
    player.trigger("take", { step: studio.step, token });
  });
  const facts = playerFacts(studio);
  const shown = [controls.node, rows.node, candidates.node, shaper.node, rows.heads, facts.node];
  let built = null; // key of the path for which they were built
  return {
    node: element("div", {}, ...shown),
    controls,
    isBuilt: () => built !== null,
    /**
     * @param {import("./studio").Path} path
     * @param {import("./wire").WirePlayer} data
     */
    draw(path, data) {
      if (built !== studio.key) for (const part of [rows, controls, shaper]) part.build(path, data);
      built = studio.key;
      controls.state(path);
      for (const part of [rows, candidates, facts, shaper]) part.paint(path, data);
    },
  };
}

// Create the clock of the player; `show` is called when it starts and stops.
function createPlayback(studio, show, signal) {
  let timer = null;
  const pause = () => {
    clearInterval(timer);
    if (!studio.playing) return;
    studio.playing = false;
    show();
    studio.restSoon();
  };
  const play = () => {
    if (!studio.path()) return;
    if (studio.isLast()) studio.go(0);
    studio.playing = true;
    clearInterval(timer);
    timer = setInterval(() => {
      studio.go(studio.step + 1);
      if (studio.isLast()) pause();
    }, PACE_MS);
    show();
  };
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    studio.playing = false;
  });
  return {
    pause,
    toggle: () => (studio.playing ? pause() : play()),
    go(step) {
      pause();
      studio.go(step);
    },
  };
}

// Handle the keys of the player before those of the selection, which would move the cell.
function pressKey(event, studio, { go, toggle }) {
  const keys = {
    ArrowLeft: () => go(studio.step - 1),
    ArrowRight: () => go(studio.step + 1),
    Home: () => go(0),
    End: () => go(Infinity),
    " ": toggle,
  };
  if (!keys[event.key] || keyboardInUse(event)) return;
  if (event.key === " " && event.composedPath().some(isPressedBySpace)) return;
  keys[event.key]();
  event.preventDefault();
  event.stopImmediatePropagation();
}

function isPressedBySpace(node) {
  const pressed = "button, summary, a, input:not([type=range])";
  return node instanceof HTMLElement && node.matches(pressed);
}

// Describe how the path was written; for a sample, with its settings and its seed.
function drawnSaid({ mode }, { drawn }) {
  const [temperature, topK, topP, seed] = drawn;
  return { decoding: mode === "Sampling" ? { mode, temperature, topK, topP, seed } : mode };
}

// Return a table of the most probable tokens of the step in view.
function candidatesTable(studio) {
  const path = studio.path();
  const { ids, logits, logs } = path.facts(studio.step);
  const rows = Array.from(ids, (id, i) => [i + 1, id, path.vocabulary[id], logits[i], logs[i]]);
  const token = { rank: "whole", id: "whole", token: "text" };
  return tableOf({ ...token, logit: "single", "log probability": "double" }, rows);
}

export const components = { decoding_player: decodingPlayer };
