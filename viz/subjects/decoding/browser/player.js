// The player of a decoding: its controls, what is read and weighed at the step in view, and the keys that move it.

import { clamp, element, followWidth } from "../../../pictures/browser/elements.js";
import { keyboardInUse } from "../../../pictures/browser/keyboard.js";
import { playerControls, playerRows, playerShaper } from "./player_parts.js";
import { playerCache, playerCandidates, playerFacts } from "./player_step.js";
import { createStudio } from "./studio.js";

function decodingPlayer(loupe, { host, listen, signal }) {
  const studio = loupe.part(createStudio);
  let data = null;
  let trigger = (_event, _value) => {};
  let shown = null; // key of the path that was built
  let timer = null;
  let speed = 1;
  let selected = null; // step of the selection that was last heard of

  const controls = playerControls(studio, {
    go: (step) => moveTo(step),
    toggle: () => (studio.playing ? pause() : play()),
    pace(value) {
      speed = value;
      if (studio.playing) play();
    },
  });
  const rows = playerRows(loupe, studio);
  const shaper = playerShaper(studio, {
    reshape: (changes) => studio.change("shaping", { shaping: { ...studio.shaping, ...changes } }),
    draw: (seed) => trigger("draw", { step: studio.step, shaping: shapingText(), seed }),
  });
  const candidates = playerCandidates(studio, (token) => {
    pause();
    clearTimeout(studio.timer);
    trigger("take", { step: studio.step, token });
  });
  const facts = playerFacts(studio);
  const cache = playerCache(studio);
  const body = element(
    "div",
    { class: "studio-columns" },
    element("div", {}, candidates.node, shaper.node),
    element("div", { class: "studio-side" }, facts.node, cache.node),
  );
  host.append(controls.node, rows.node, body);

  const shapingText = () => {
    const { temperature, topK, topP } = studio.shaping;
    return `${temperature}:${topK}:${topP}`;
  };

  const play = () => {
    const path = studio.path();
    if (!path) return;
    if (studio.step === path.steps - 1) studio.go(0);
    studio.playing = true;
    clearInterval(timer);
    timer = setInterval(() => {
      if (!host.isConnected) return pause();
      studio.go(studio.step + 1);
      if (studio.step >= studio.path().steps - 1) pause();
    }, 1000 / speed);
    controls.state(path);
  };
  const pause = () => {
    clearInterval(timer);
    if (!studio.playing) return;
    studio.playing = false;
    controls.state(studio.path());
    studio.restSoon();
  };

  const moveTo = (step) => {
    pause();
    studio.go(step);
  };

  let committed = "";
  const state = () => `${studio.key} ${shapingText()} ${studio.mean}`;
  const commit = () => {
    const path = studio.path();
    if (!path || !host.isConnected || loupe.page !== "decoding") return;
    const others = state() !== committed;
    committed = state();
    selected = studio.step;
    if (path.isRun && !others) loupe.select({ step: studio.step });
    else trigger("rest", { step: studio.step, shaping: shapingText(), mean: studio.mean });
  };

  const draw = () => {
    const path = studio.path();
    if (!path) return;
    if (shown !== studio.key) {
      shown = studio.key;
      rows.build(path);
      controls.build(path);
      cache.build(path);
      shaper.build(path, data);
    }
    controls.state(path);
    rows.paint(path);
    candidates.paint(path);
    facts.paint(path);
    cache.paint(path);
    shaper.paint(path, data);
  };

  studio.follow(signal, (what) => {
    if (what === "path") return start();
    draw();
  });
  listen((what) => {
    const path = studio.path();
    if (!path || what === "hover" || what === "measures" || what === "exact") return;
    if (path.isRun && what === "selection" && loupe.selection.step !== selected) {
      selected = loupe.selection.step;
      studio.step = clamp(selected, path.steps);
      studio.tell("step");
    } else {
      studio.look();
      draw();
    }
  });
  followWidth(
    host,
    () => {
      cache.measure();
      studio.look();
      draw();
    },
    signal,
  );

  // Take up a path once both its numbers and its place are here.
  const start = () => {
    if (!data || studio.key === data.path || !studio.paths.has(data.path)) return;
    pause();
    studio.key = data.path;
    const path = studio.path();
    const at = path.isRun && loupe.selection ? loupe.selection.step : data.at;
    selected = at;
    studio.step = clamp(at, path.steps);
    const [temperature, topK, topP] = data.shaping;
    Object.assign(studio, {
      shaping: { temperature, topK, topP },
      mean: data.mean,
      node: data.node,
    });
    committed = state();
    clearTimeout(studio.timer);
    studio.tell("taken");
  };

  const keys = {
    ArrowLeft: () => moveTo(studio.step - 1),
    ArrowRight: () => moveTo(studio.step + 1),
    Home: () => moveTo(0),
    End: () => moveTo(Infinity),
    " ": () => (studio.playing ? pause() : play()),
  };
  loupe.root.addEventListener("keydown", (event) => pressKey(loupe, keys, event), {
    capture: true,
    signal,
  });
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    studio.playing = false;
  });
  return (given, setTriggerValue) => {
    trigger = setTriggerValue;
    studio.commit = commit;
    data = given;
    studio.look();
    if (studio.key === data.path && studio.paths.has(data.path)) {
      if (shown === null) {
        studio.key = null;
        start();
      } else draw();
    } else start();
  };
}

// The keys of the player come before those of the selection, which would move the cell.
function pressKey(loupe, keys, event) {
  if (loupe.page !== "decoding" || !keys[event.key]) return;
  if (keyboardInUse(event)) return;
  const onButton = event
    .composedPath()
    .some(
      (node) =>
        node instanceof HTMLElement && node.matches("button, summary, a, input:not([type=range])"),
    );
  if (event.key === " " && onButton) return;
  keys[event.key]();
  event.preventDefault();
  event.stopImmediatePropagation();
}

export const components = { decoding_player: decodingPlayer };
