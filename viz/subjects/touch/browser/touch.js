// Touch: the lines of one row, which a hand pulls to other words, and the translation that follows in every frame.

import { element, followWidth, pageMark, pushButton } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { createBoard, drawBoard, drawOdds, keySpots } from "./touch_board.js";
import { followPointer } from "./touch_drag.js";
import { followUp } from "./touch_follow.js";
import { rivals } from "./touch_frames.js";
import { createHand } from "./touch_hand.js";
import { followKeys } from "./touch_keys.js";
import { createTools } from "./touch_tools.js";
import { checkWords, isPulledKind, movingWords, outcome } from "./touch_words.js";

const STILL = "(prefers-reduced-motion: reduce)";
const GUIDE_MS = 1900;
const KEEP_MS = 2000;
const ENCODER = "encoder self-attention";

/** @type {import("../../../pictures/browser/types").Setup} */
function touch(loupe, { host, listen, signal, save }) {
  const board = createBoard();
  const told = createTold({
    tell: (changes) => hand.tell(changes),
    undo: () => hand.undo(),
  });
  let waiting = 0;
  const draw = () => {
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      drawAll(loupe, hand, { board, tools, told, guide });
    });
  };
  const hand = createHand(loupe, draw, () => keepInPlace(board.node, signal));
  const tools = createTools(choicesOf(loupe, hand, draw), told.check);
  const guide = createGuide(board, signal);
  pageMark("loupe-touching", signal)(true);
  host.append(told.node, board.node, board.odds, tools.node);
  followPointer(board, hand, signal);
  followKeys(loupe, host, hand, signal);
  listen((what) => ["run", "trace", "selection"].includes(what) && draw());
  save({ name: say("touch.saved"), table: () => writtenTable(hand.pair()) });
  followWidth(host, draw, signal);
  window.addEventListener("resize", draw, { signal }); // the gap is as high as the window allows
  signal.addEventListener("abort", () => {
    cancelAnimationFrame(waiting);
    hand.forget();
  });
  return (data, trigger) => hand.take(data, trigger);
}

// Keep the board in place under the hand while a change adds text above it.
function keepInPlace(node, signal) {
  const scroller = node.closest("[data-testid=stMain]");
  const top = node.getBoundingClientRect().top;
  const end = performance.now() + KEEP_MS;
  const given = new AbortController();
  for (const name of ["wheel", "pointerdown", "keydown"])
    addEventListener(name, () => given.abort(), { signal: given.signal, passive: true });
  const follow = () => {
    if (given.signal.aborted || signal.aborted) return;
    const moved = node.getBoundingClientRect().top - top;
    if (Math.abs(moved) > 1) scroller?.scrollBy(0, moved);
    if (performance.now() < end) requestAnimationFrame(follow);
    else given.abort();
  };
  requestAnimationFrame(follow);
}

function drawAll(loupe, hand, { board, tools, told, guide }) {
  const scene = hand.scene();
  const run = loupe.runs.get(scene?.data.run) ?? loupe.run();
  if (!scene || !run) return;
  drawBoard(board, scene, handOn(board, hand.state), run.languages);
  drawOdds(board, rivals(scene.shown, scene.before, stepIn(scene), hand.frames.name));
  tools.show(scene, run.kinds[scene.place.kind], Object.keys(run.kinds));
  const isMoving = hand.state.trial.length > 0;
  if (isMoving) {
    guide.stop();
    told.move(movingWords(scene));
  } else told.rest(scene, hand);
  if (!scene.data.interventions.length && !isMoving) guide.begin(scene);
  else guide.stop();
}

// Return where the line is held: under the pointer, or as far as the keyboard has pulled it.
function handOn(board, { at, pulled }) {
  if (at || !pulled) return at;
  const spots = keySpots(board);
  const [from, to] = [spots[pulled.held], spots[pulled.to]];
  const between = (axis) => from[axis] + (to[axis] - from[axis]) * pulled.amount;
  return { x: between("x"), y: between("y") + from.height / 2 };
}

// Return the step whose two likeliest words are shown: that of the row or, for the encoder, the one that changed most.
function stepIn({ place, shown, before }) {
  if (place.kind !== ENCODER) return place.row;
  const change = (step) => Math.abs(shown.probabilities[step] - before.probabilities[step]);
  let most = 0;
  for (let step = 0; step < Math.min(shown.ids.length, before.ids.length); step++) {
    if (shown.ids[step] !== before.ids[step]) return step;
    if (change(step) > change(most)) most = step;
  }
  return change(most) > 0.001 ? most : shown.ids.length;
}

function choicesOf(loupe, hand, draw) {
  const choose = (name) => (value) => {
    hand.state[name] = value;
    hand.cancel();
  };
  return {
    scope: choose("scope"),
    tool: choose("tool"),
    layer: (layer) => loupe.select({ layer }),
    head: (head) => loupe.select({ head }),
    kind(kind) {
      const { place, weights, data } = hand.scene();
      const read = weights.indexOf(Math.max(...weights));
      const rows = { "cross-attention": data.pull?.row ?? 0, [ENCODER]: read };
      const isSame = kind === place.kind;
      if (!isSame) loupe.select({ kind, query: rows[kind] ?? place.row, key: 0 });
      draw();
    },
  };
}

// Create the text about a change: while the hand moves it is only visible, at rest a screen reader hears it too.
function createTold({ tell, undo }) {
  const text = element("p", { class: "loupe-touch-text" });
  const offers = element("div", { class: "loupe-touch-offers" });
  const spoken = element("p", { class: "loupe-unseen", role: "status" });
  const check = element("span", { class: "loupe-touch-check" });
  const showCheck = ({ mark, words }) => {
    check.textContent = mark;
    check.title = words;
    check.ariaLabel = words;
  };
  let followed = { of: "", found: null };
  const undoButton = pushButton(
    { class: "loupe-touch-quiet", onclick: () => undo() },
    say("touch.undo"),
  );
  const offer = ({ words, changes }) => pushButton({ onclick: () => tell(changes) }, words);
  const node = element("div", { class: "loupe-touch-said" }, text, offers, spoken);
  return {
    node,
    check,
    move(words) {
      // The board below must stay under the hand, whatever the text above it says.
      node.style.minHeight ||= `${node.offsetHeight}px`;
      text.textContent = words;
      offers.replaceChildren();
      offers.dataset.of = "";
      showCheck(checkWords(null));
    },
    rest(scene, hand) {
      node.style.minHeight = "";
      const of = JSON.stringify([scene.data.before, scene.data.interventions]);
      const isSettled = hand.state.pending.length === 0 && !scene.isBefore;
      if (isSettled && followed.of !== of)
        followed = { of, found: hand.frames.model() ? followUp(scene, hand.frames.twin) : null };
      const said = outcome(scene);
      const more = isSettled ? followed.found : null;
      const all = [said, more].filter(Boolean);
      const words = all.map((one) => one.text).join(" ");
      text.textContent = words;
      if (spoken.textContent !== words) spoken.textContent = words;
      const offered = all.map((one) => one.offer).filter(Boolean);
      const named = offered.map((one) => one.words).join();
      const quiet = scene.data.interventions.length ? undoButton : null;
      if (offers.dataset.of !== `${of}${named}`)
        offers.replaceChildren(...[...offered.map(offer), quiet].filter(Boolean));
      offers.dataset.of = `${of}${named}`;
      showCheck(checkWords(isSettled ? hand.frames.difference() : null));
    },
  };
}

// Create a ghost hand that shows a few times what can be done.
function createGuide({ ghost, node }, signal) {
  let shown = "";
  let moving = null;
  const stop = () => {
    moving?.cancel();
    moving = null;
    ghost.hidden = true;
  };
  ghost.hidden = true;
  node.addEventListener("pointerdown", stop, { signal });
  const board = { node, keys: node.querySelector(".loupe-touch-keys") };
  return {
    stop,
    begin(scene) {
      const { data, place } = scene;
      const isHere = data.pull && isPulledKind(scene) && place.row === data.pull.row;
      if (!isHere) return stop();
      if (shown === data.run || matchMedia(STILL).matches || !node.clientWidth) return;
      shown = data.run;
      const spots = keySpots(/** @type {any} */ (board));
      const at = (key) => {
        const { x, y, height } = spots[key];
        return `translate(${x - 8}px, ${y + height / 2}px)`;
      };
      const [from, to] = [at(data.pull.held), at(data.pull.to)];
      const steps = [
        { transform: from, opacity: 0 },
        { transform: from, opacity: 1, offset: 0.15 },
        { transform: to, opacity: 1, offset: 0.75 },
        { transform: to, opacity: 0 },
      ];
      ghost.hidden = false;
      moving = ghost.animate(steps, { duration: GUIDE_MS, iterations: 3, easing: "ease-in-out" });
      moving.onfinish = stop;
    },
  };
}

// Return a table of what is written now and what was written before any change.
/** @param {import("./types").Pair} pair */
function writtenTable({ now: { tokens, probabilities }, was }) {
  const rows = Array.from({ length: Math.max(tokens.length, was.tokens.length) }, (_, step) => [
    step,
    tokens[step],
    probabilities[step],
    was.tokens[step],
    was.probabilities[step],
  ]);
  const columns = { step: "whole", token: "text", probability: "double" };
  return tableOf({ ...columns, "token before": "text", "probability before": "double" }, rows);
}

export const components = { touch };
