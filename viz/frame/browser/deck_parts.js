// The parts around the picture of a slide: the title, the question that covers it with its hands, and the buttons.

import { element, pushButton } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";
import { changed, choicesOf, MOST } from "./deck.js";
import { GIVING } from "./deck_fit.js";
import { isCovered } from "./deck_giving.js";
import { panelsNow, partsOfLink } from "./deck_view.js";
import { handsSaid } from "./deck_words.js";

export const COVERED = "loupe-covered";

/** @typedef {{chosen: string, choose(answer: string): void}} Reader a person reading alone, and their answer */

// Draw the title, the question over the picture, and the buttons.
export function drawParts(state, { top, veil, bar }) {
  const { slide, giving } = state;
  const { seen, draws } = giving.place();
  const covered = !draws && isCovered(slide, seen);
  const page = document.documentElement;
  page.classList.add(GIVING);
  page.classList.toggle(COVERED, covered);
  top.replaceChildren(...topOf(state, covered));
  page.style.setProperty("--slide-top", `${top.offsetHeight}px`);
  const inVeil = focusedIn(veil);
  veil.hidden = !covered && !draws;
  veil.replaceChildren(...(draws ? drawingOf(state) : covered ? veilOf(state) : []));
  refocus(veil, inVeil);
  const inBar = focusedIn(bar);
  bar.replaceChildren(...barOf(state, covered));
  refocus(bar, inBar);
}

// Buttons are made again after each change, so the one that was pressed gets the focus back.
export const focusedIn = (place) =>
  place.contains(document.activeElement)
    ? document.activeElement.getAttribute("aria-label") || document.activeElement.textContent
    : null;
export function refocus(place, name) {
  if (name === null) return;
  const all = [...place.querySelectorAll("button, input, select")];
  const same = all.find((one) => (one.getAttribute("aria-label") || one.textContent) === name);
  /** @type {HTMLElement | undefined} */ (same)?.focus();
}

function topOf({ slide, reader }, covered) {
  const counted = reader
    ? reader.chosen && say("deck.show.chosen", { answer: reader.chosen })
    : handsSaid(choicesOf(slide, say("deck.show.hands")), slide.hands);
  const said = slide.caption || slide.question; // the cover has already shown the question
  return [
    element("h2", {}, slide.title),
    said && !covered ? element("p", { class: "loupe-slide-asked" }, said) : null,
    counted && !covered ? element("p", { class: "loupe-slide-hands" }, counted) : null,
  ].filter(Boolean);
}

function veilOf({ slide, giving, app, reader }) {
  const { source } = partsOfLink(slide.link, app);
  const answers = reader
    ? slide.answers.map((answer) => choiceOf(answer, reader))
    : choicesOf(slide, say("deck.show.hands")).map((answer, i) =>
        counter(slide, answer, i, giving),
      );
  return [
    element("h3", {}, slide.question),
    source ? element("p", { class: "loupe-slide-source", dir: "auto" }, source) : null,
    answers.length ? element("ul", {}, ...answers) : null,
    pushButton(
      { class: "loupe-slide-reveal", onclick: () => giving.cover(false) },
      say("deck.show.reveal"),
    ),
  ].filter(Boolean);
}

// Make the message for a slide that is shown only to be drawn.
function drawingOf({ giving }) {
  const said = say("deck.show.drawing", {
    place: giving.place().at + 1,
    of: giving.slides().length,
  });
  return [
    element("h3", { role: "status" }, said),
    pushButton({ onclick: giving.stopDrawing }, say("deck.show.stop")),
  ];
}

// Make an answer that a person who reads the lecture alone can choose.
const choiceOf = (answer, { choose }) =>
  element(
    "li",
    {},
    pushButton({ class: "loupe-slide-choice", dir: "auto", onclick: () => choose(answer) }, answer),
  );

// Make an answer with the number of hands for it.
export function counter(slide, answer, index, giving) {
  const count = slide.hands[index] ?? 0;
  const set = (hands) => {
    const whole = Math.round(Number(hands));
    giving.count(slide, index, Math.max(0, Math.min(MOST.hands, whole || 0)));
  };
  const step = (by, name) =>
    pushButton({ "aria-label": name, onclick: () => set(count + by) }, by < 0 ? "−" : "+");
  const field = element("input", {
    type: "number",
    min: "0",
    max: String(MOST.hands),
    "aria-label": say("deck.show.hands_for", { answer }),
    value: String(count),
    onchange: (event) => set(event.target.value),
  });
  return element(
    "li",
    {},
    element("span", { dir: "auto" }, answer),
    step(-1, say("deck.show.less", { answer })),
    field,
    step(1, say("deck.show.more", { answer })),
  );
}

function barOf({ slide, giving, code, notes }, covered) {
  const [{ at }, { length }] = [giving.place(), giving.slides()];
  const button = (name, act, isOff = false, sign = "") =>
    pushButton(
      { disabled: isOff, onclick: act, ...(sign ? { "aria-label": name, title: name } : {}) },
      sign || name,
    );
  const choose = element("select", {
    "aria-label": say("deck.show.panel"),
    onfocus: () => fillPanels(choose, slide.panel),
    onchange: (event) => {
      const panel = event.target.value;
      giving.store.change((deck) => ({
        ...deck,
        slides: changed(deck.slides, slide.id, { panel }),
      }));
    },
  });
  return [
    button(say("deck.show.before"), () => giving.turn(-1), at === 0, "‹"),
    element(
      "span",
      { class: "loupe-slide-place" },
      say("deck.show.place", { place: at + 1, of: length }),
    ),
    button(say("deck.show.after"), () => giving.turn(1), at === length - 1 && !covered, "›"),
    slide.question && !covered ? button(say("deck.show.cover"), () => giving.cover(true)) : null,
    ...(covered || !code ? [] : [choose, button(say("deck.show.code"), code)]), // both would reveal what is covered
    notes ? notesButton(notes) : null,
    notes?.isHere() && slide.notes ? notesOf(slide) : null,
    button(say("deck.show.end"), giving.end),
  ].filter(Boolean);
}

const notesButton = ({ open }) =>
  pushButton({ title: say("deck.notes.window"), onclick: open }, say("deck.show.notes"));

// Make the slide's notes above the bar, for a person who requested them on this screen.
const notesOf = ({ notes }) =>
  element(
    "details",
    { class: "loupe-slide-notes" },
    element("summary", {}, say("deck.notes.on_screen")),
    element("p", { dir: "auto" }, notes),
  );

// List the parts of the current view, to choose the one that is shown large.
export function fillPanels(choose, panel) {
  const options = [{ key: "", name: say("deck.show.whole") }, ...panelsNow()];
  choose.replaceChildren(
    ...options.map(({ key, name }) =>
      element("option", { value: key, selected: key === panel }, name),
    ),
  );
}
