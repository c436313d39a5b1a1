// Gives the lecture: one slide per screen, its question before its picture, and one part of the page shown large.

import { element, pushButton } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";
import { createCode } from "./deck_code.js";
import { createGiving } from "./deck_giving.js";
import { steer } from "./deck_keys.js";
import { createNotes } from "./deck_notes.js";
import { keepPicture, pictureOf } from "./deck_pictures.js";
import { createStage, uncovered } from "./deck_stage.js";
import { deckApp } from "./deck_store.js";
import { addressOf, panelNode } from "./deck_view.js";

const HOVERS = ["over", "enter", "move"].flatMap((name) => [`pointer${name}`, `mouse${name}`]);
const STILL_MS = 700; // after which moving pictures have come to rest
const COMING = "[data-testid=stSkeleton], .stPlotlyChart:not(:has(.main-svg))";
const MOST_LOOKS = 20; // looks at a slide that is not complete yet, before it is drawn as it is

/** @type {import("../../pictures/browser/types").Setup} */
function slides(loupe, { host, signal }) {
  const giving = loupe.part(createGiving);
  const known = loupe.part(deckApp);
  const code = createCode(host, signal);
  const stage = createStage(loupe, signal);
  const notes = loupe.part(createNotes);
  let app = null;
  let send = (_event, _value) => {};
  const keepWhenStill = createKeeper(loupe, giving, notes);
  let ahead = ""; // the link that Python was asked to read ahead
  const readAhead = () => {
    const place = giving.place();
    const next = place && giving.slides()[place.at + 1]?.link;
    if (!next || next === ahead) return;
    ahead = next;
    send("ahead", next);
  };
  const notesHere = { open: () => notes.open(() => draw()), isHere: notes.isHere };
  const draw = () => {
    const slide = giving.slide();
    const acts = { code: () => code.open(app, slide.link, send), notes: notesHere };
    stage.show(slide && { slide, giving, app, ...acts });
    notes.tell();
    if (slide) stage.whenThere(slide, addressOf(slide.link, app, true), () => there(slide));
  };
  const there = (slide) => {
    readAhead();
    keepWhenStill(slide);
  };
  const said = element("span", { role: "status" });
  const button = (name, act, title) => pushButton({ title, onclick: act }, name);
  host.append(
    said,
    button(say("deck.pin_view"), () => said.replaceChildren(known.keep()), say("deck.pin_help")),
    button(say("deck.show.code"), () => code.open(app, null, send), say("deck.code.title")),
  );
  giving.listen(draw, signal);
  giving.store.listen(draw, signal);
  loupe.part(createKeys);
  return (data, trigger) => {
    app = data;
    send = trigger;
    known.data ??= data;
    code.answer(data);
    draw();
  };
}

// Draw a slide once it is complete and still. If it was shown only for that, go to the next one.
function createKeeper(loupe, giving, notes) {
  let timer = null;
  const keep = (slide, looks, wasComing) => {
    const place = giving.place();
    if (giving.slide()?.id !== slide.id) return;
    const comes = isComing(slide);
    if (looks && (comes || wasComing)) {
      timer = setTimeout(keep, STILL_MS, slide, looks - 1, comes);
      return;
    }
    if (!pictureOf(slide)) uncovered(() => keepPicture(loupe, slide));
    notes.tell();
    if (place.draws) giving.drawFrom(place.at + 1);
  };
  return (slide) => {
    clearTimeout(timer);
    timer = setTimeout(keep, STILL_MS, slide, MOST_LOOKS, false);
  };
}

// Return whether Streamlit still shows a placeholder in the slide's part, or on the page if the slide names no part.
const isComing = ({ panel }) => (panelNode(panel) ?? document).querySelector(COMING) !== null;

// Follow the keys of a lecture even between two views, while the lecture's component is gone for a moment.
function createKeys(loupe) {
  const giving = loupe.part(createGiving);
  window.addEventListener("keydown", (event) => steer(event, giving), { capture: true });
  const rest = createRest(giving);
  for (const name of HOVERS) window.addEventListener(name, rest, { capture: true });
  return giving;
}

// Ignore a resting pointer on a new slide until it moves.
function createRest(giving) {
  let [at, hasMoved] = [null, false];
  return (event) => {
    const now = giving.place()?.at ?? null;
    if (now !== at) [at, hasMoved] = [now, false];
    hasMoved ||= event.movementX !== 0 || event.movementY !== 0;
    if (at !== null && !hasMoved) event.stopImmediatePropagation();
  };
}

export const components = { slides };
