// Start: a sentence whose words can be clicked, one question about it, and the answer in stages.

import { element, followWidth, pageMark } from "../../../pictures/browser/elements.js";
import { standsOut } from "../../../pictures/browser/even_rows.js";
import { jobsSaid } from "../../../pictures/browser/jobs.js";
import { keyboardInUse } from "../../../pictures/browser/keyboard.js";
import { isWord } from "../../../pictures/browser/run.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { isSameRow } from "./question.js";
import { createAsking } from "./start_asking.js";
import {
  arrangeBoard,
  drawArcs,
  drawFrame,
  nameWords,
  paintStrips,
  writeFigures,
} from "./start_board.js";
import { createClock } from "./start_clock.js";
import { createControls } from "./start_controls.js";
import { fitAs, fitWords } from "./start_fit.js";
import { linksOf } from "./start_links.js";
import { SCENES, sceneAfter } from "./start_motion.js";
import { hasSameNumbers } from "./start_numbers.js";
import { createBoard, moveInSentence } from "./start_parts.js";
import { KIND } from "./subject.js";

/** @typedef {ReturnType<typeof createEvents>} Events */

const NEWS = ["run", "trace", "whole_head", "selection"]; // events after which the question may have changed
const stillWanted = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @type {import("../../../pictures/browser/types").Setup} */
function drawStart(loupe, { host, listen, signal, save }) {
  const state = {
    asked: /** @type {any} */ (null),
    sent: /** @type {import("./wire").WireStart | null} */ (null), // by Python
    chosen: { word: -1, tokens: [] }, // by the reader, in the sentence that was in view at that time
    pointed: /** @type {number | null} */ (null),
    playing: false,
    number: 0,
    trigger: (_event, _value) => {},
  };
  const stage = createStage(host, state, createMark(host, signal));
  const events = createEvents(loupe, state, stage);
  const asking = createAsking(loupe, state, {
    show: (asked) => show(asked, state, stage),
    tell: events.tell,
  });
  const controls = createControls(events);
  stage.show = () => {
    state.asked = { ...state.asked, jobs: jobsOf(loupe, state.asked) };
    controls.show({ ...state.asked, playing: state.playing });
  };
  stage.events = events;
  stage.follow = asking.follow;
  host.append(stage.place, controls.node);
  listen((what) => {
    if (NEWS.includes(what) && asking.follow()) return;
    if (["run", "measures"].includes(what)) stage.repaint();
  });
  save({ name: say("start.saved"), table: () => rowTable(state.asked) });
  followWidth(host, stage.arrange, signal);
  const early = { signal, capture: true };
  loupe.root.addEventListener("keydown", (event) => moveByKey(event, host, events), early);
  signal.addEventListener("abort", () => {
    stage.stop();
    asking.stop();
  });
  /** @param {import("./wire").WireStart} data */
  return (data, trigger) => {
    state.trigger = trigger;
    asking.take(data);
  };
}

// Return what the head in question usually does, if that has been measured.
function jobsOf(loupe, { layer, head, query, reading: { shares } }) {
  const most = Math.max(...shares);
  const read = standsOut(most, shares.length) ? shares.indexOf(most) : undefined;
  const at = { row: query, read };
  return loupe.run() ? jobsSaid(loupe.run(), { kind: KIND, layer, head }, at) : "";
}

// Show a question. The stage begins again only if the question or its numbers changed, without motion while one types.
function show(asked, state, stage) {
  const before = state.asked;
  state.asked = asked;
  const isSame =
    before &&
    isSameRow(before, asked) &&
    before.reading.source === asked.reading.source &&
    hasSameNumbers(before.reading, asked.reading);
  if (!isSame) stage.build();
  if (!isSame || before.scene !== asked.scene) return stage.begin(before?.typed || asked.typed);
  stage.repaint();
  stage.arrange(); // the text below may have become longer, or the style sheet may have arrived
}

// Tell the style sheets which stage is in view, because each part gets its room by the stage.
function createMark(host, signal) {
  const told = pageMark("loupe-start-told", signal);
  const begun = pageMark("loupe-start-begun", signal);
  return (scene) => {
    host.dataset.scene = scene;
    told(true);
    begun(scene !== "guess");
  };
}

// The picture itself: built for a sentence, begun for a stage, drawn for each frame.
function createStage(host, state, mark) {
  const place = element("div", { class: "loupe-start-place" });
  let board = null;
  const clock = createClock(state, () => stage.events.playOn());
  const stage = {
    place,
    stop: clock.stop,
    wait: clock.wait,
    show: () => {},
    follow: () => false,
    events: /** @type {any} */ (null),
    build() {
      state.pointed = null;
      const before = board;
      board = createBoard(state.asked, stage.events);
      if (before) fitAs(board, before);
      place.replaceChildren(board.node);
    },
    // Nothing can be measured without a width, so the board is arranged once it has one.
    arrange() {
      if (!board || !host.clientWidth) return;
      fitWords(board);
      arrangeBoard(board);
      stage.redraw();
    },
    redraw: () => redraw(board, host, state, clock.time()),
    repaint() {
      if (!board) return;
      paintStrips(board, ["mix", "answer"].includes(state.asked.scene));
      nameWords(board, state.asked.scene === "guess");
      stage.show();
      stage.redraw();
    },
    begin(isStill = false) {
      const { scene } = state.asked;
      board.asked = { ...state.asked };
      mark(scene);
      host.classList.toggle("loupe-start-still", isStill);
      clock.set(isStill || stillWanted() ? 1 : 0);
      stage.repaint();
      stage.arrange();
      clock.run((time) => board.places && drawFrame(board, scene, time));
      clock.wait();
    },
  };
  return stage;
}

function redraw(board, host, state, time) {
  const { scene } = state.asked;
  if (!board?.places) return;
  drawArcs(board, { scene, pointed: state.pointed });
  writeFigures(board, scene);
  host.classList.toggle("loupe-start-pointing", board.shown !== null);
  host.classList.toggle("loupe-start-elsewhere", isElsewhere(board, state));
  drawFrame(board, scene, time);
}

// Return whether another word is pointed at, because the mix and the answer would then seem to belong to that word.
function isElsewhere({ asked }, { pointed }) {
  return pointed !== null && pointed !== asked.query;
}

// Create the actions of a reader.
function createEvents(loupe, state, stage) {
  const tell = () => {
    const { scene, guess, word, layer, head, query, reading } = state.asked;
    const { source } = reading;
    state.number++;
    const { number } = state;
    state.trigger("move", { scene, guess, word, source, layer, head, query, number });
  };
  const go = (scene) => {
    if (!SCENES.includes(scene)) return;
    state.asked = { ...state.asked, scene };
    stage.begin();
    tell();
  };
  const events = {
    go,
    tell,
    still: stillWanted,
    point(at) {
      state.pointed = at;
      stage.redraw();
    },
    guessed(guess) {
      state.pointed = null;
      state.asked = { ...state.asked, guess };
      go("query");
    },
    step(by) {
      const { scene } = state.asked;
      if (by < 0) state.playing = false;
      const next = sceneAfter(scene, by) ?? (by > 0 ? "query" : scene);
      if (next !== scene) go(next);
    },
    play() {
      state.playing = !state.playing;
      stage.wait();
      stage.show();
    },
    playOn() {
      const next = sceneAfter(state.asked.scene, 1);
      state.playing = next !== undefined && next !== "answer";
      if (next) go(next);
    },
    read(source) {
      const reading = state.asked.readings.find((one) => one.source === source);
      state.asked = { ...state.asked, reading, guess: -1 }; // the guess was made for the other reading
      stage.build();
      stage.begin();
      tell();
    },
    press(at) {
      pressWord(at, state, events);
      stage.follow();
    },
    ...linksOf(loupe, state),
  };
  return events;
}

// Take a pressed word as a guess, or else ask about that word, with the head that says most about it.
function pressWord(word, state, events) {
  const { scene, candidates, query, reading } = state.asked;
  const isGuess = scene === "guess" && (candidates.includes(word) || !candidates.length);
  if (isGuess && word !== query) return events.guessed(word);
  events.point(word);
  if (word === query || !isWord(reading.tokens[word])) return;
  state.playing = false;
  state.asked = { ...state.asked, scene: scene === "guess" ? "answer" : scene, guess: -1, word };
  state.chosen = { word, tokens: reading.tokens };
  events.tell();
}

const KEYS = { ArrowRight: 1, ArrowLeft: -1 };
const OTHERS = ["ArrowUp", "ArrowDown", "[", "]", ",", "."]; // keys of the selection

// Handle keys before the selection does, because the selected cell is not in view here.
function moveByKey(event, host, events) {
  if (!host.isConnected || event.shiftKey || keyboardInUse(event)) return;
  if (!(event.key in KEYS) && !OTHERS.includes(event.key)) return;
  event.stopPropagation();
  if (!(event.key in KEYS)) return;
  event.preventDefault();
  const word = event.target instanceof Element && event.target.closest(".loupe-start-word");
  if (word instanceof HTMLElement) moveInSentence(word, KEYS[event.key]);
  else events.step(KEYS[event.key]);
}

// Return a table of what the word in question reads from each word.
function rowTable({ reading: { tokens, scores, shares } }) {
  const rows = tokens.map((token, at) => [at, token, scores[at], shares[at]]);
  return tableOf({ key: "whole", "key token": "text", score: "single", weight: "single" }, rows);
}

export const components = { start: drawStart };
