// The second window: notes and the next slide, for the speaker alone. It follows the window that shows the lecture.

import { choicesOf } from "../../../frame/browser/deck.js";
import { createFollower } from "../../../frame/browser/deck_giving.js";
import { deckStore } from "../../../frame/browser/deck_store.js";
import { handsSaid } from "../../../frame/browser/deck_words.js";
import { element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";

const TURNS = { PageUp: -1, ArrowLeft: -1, PageDown: 1, ArrowRight: 1, " ": 1 };

/** @param {import("../../../pictures/browser/types").Loupe} loupe @param {any} place @param {any} app */
export function createSpeaker(loupe, { host, signal }, app) {
  const store = loupe.part(deckStore);
  let state = null;
  const draw = () => host.replaceChildren(...partsOf(store.read().slides, state, follower));
  const follower = createFollower((now) => {
    state = now;
    draw();
  }, signal);
  document.documentElement.classList.add("loupe-speaks");
  signal.addEventListener("abort", () => document.documentElement.classList.remove("loupe-speaks"));
  store.listen(draw, signal);
  app.told.add(draw);
  signal.addEventListener("abort", () => app.told.delete(draw));
  window.addEventListener(
    "keydown",
    (event) => {
      const by = TURNS[event.key];
      const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
      const isPressed = event.key === " " && event.target instanceof HTMLButtonElement;
      if (!by || isHeld || isPressed) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      follower.turn(by);
    },
    { signal, capture: true },
  );
  return draw;
}

function partsOf(slides, state, follower) {
  const leave = element(
    "button",
    {
      type: "button",
      onclick: () => {
        window.name = "";
        location.reload();
      },
    },
    say("lecture.speaker.leave"),
  );
  const at = state ? slides.findIndex(({ id }) => id === state.id) : -1;
  const slide = slides[at];
  if (!slide) return [element("p", {}, say("lecture.speaker.waiting")), leave];
  const next = slides[at + 1];
  const turn = (name, by, isOff) =>
    element("button", { type: "button", disabled: isOff, onclick: () => follower.turn(by) }, name);
  return [
    element(
      "p",
      { class: "loupe-speaker-place" },
      say("lecture.speaker.place", { place: at + 1, of: slides.length }),
    ),
    element("h2", {}, slide.title),
    slide.question ? element("p", { class: "loupe-speaker-asked" }, slide.question) : null,
    counted(slide),
    state.covered ? element("p", { role: "status" }, say("lecture.speaker.covered")) : null,
    element("p", { class: "loupe-speaker-notes" }, slide.notes || say("lecture.speaker.no_notes")),
    element(
      "p",
      { class: "loupe-speaker-next" },
      next ? say("lecture.speaker.next", { title: next.title }) : say("lecture.speaker.last"),
    ),
    element(
      "div",
      {},
      turn(say("lecture.speaker.before"), -1, at === 0),
      turn(
        state.covered ? say("lecture.speaker.reveal") : say("lecture.speaker.after"),
        1,
        !next && !state.covered,
      ),
      leave,
    ),
  ].filter(Boolean);
}

function counted(slide) {
  const said = handsSaid(choicesOf(slide, say("deck.show.hands")), slide.hands);
  return said ? element("p", {}, said) : null;
}
