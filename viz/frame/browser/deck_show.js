// Gives the lecture: one slide a screen, its question before its picture, one part of the page shown large.

import { ground } from "../../pictures/browser/colours.js";
import { element, pushButton } from "../../pictures/browser/elements.js";
import { keyboardInUse } from "../../pictures/browser/keyboard.js";
import { say } from "../../pictures/browser/say.js";
import { changed, choicesOf, MOST } from "./deck.js";
import { createCode } from "./deck_code.js";
import { aloneRules, fit, GIVING } from "./deck_fit.js";
import { createGiving, isCovered } from "./deck_giving.js";
import { keepPicture, pictureOf } from "./deck_pictures.js";
import { deckApp } from "./deck_store.js";
import { createWatch } from "./deck_there.js";
import { addressOf, panelNode, panelsNow, partsOfLink } from "./deck_view.js";
import { handsSaid } from "./deck_words.js";

const TURNS = { PageUp: -1, PageDown: 1 };
const ARROWS = { ArrowLeft: -1, ArrowRight: 1 }; // with Shift they move the cell
const COVERED = "loupe-covered";
const AROUND = 40; // pixels above and below a part
const WIDE_MS = 300; // pictures have taken the width that the others left
const STILL_MS = 700; // pictures that move in have come to rest

/** @type {import("../../pictures/browser/types").Setup} */
function slides(loupe, { host, signal }) {
  const giving = loupe.part(createGiving);
  const known = loupe.part(deckApp);
  const code = createCode(host, signal);
  const stage = createStage(loupe, signal);
  let app = null;
  let send = (_event, _value) => {};
  let drawing = null;
  let ahead = ""; // the link that Python was told to read ahead
  const readAhead = () => {
    const place = giving.place();
    const next = place && giving.slides()[place.at + 1]?.link;
    if (!next || next === ahead) return;
    ahead = next;
    send("ahead", next);
  };
  const draw = () => {
    const slide = giving.slide();
    stage.show(slide && { slide, giving, app, code: () => code.open(app, slide.link, send) });
    if (slide) stage.whenThere(slide, addressOf(slide.link, app, true), there);
  };
  // A slide is drawn once it stands still; where it is shown for that alone, the next one comes.
  const there = (slide) => {
    readAhead();
    clearTimeout(drawing);
    drawing = setTimeout(() => {
      const place = giving.place();
      if (giving.slide()?.id !== slide.id) return;
      if (!pictureOf(slide)) uncovered(() => keepPicture(loupe, slide));
      if (place.draws) giving.drawFrom(place.at + 1);
    }, STILL_MS);
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

// The keys of a lecture, which outlive its picture: between two views that is gone for a moment, and a press then counts.
function createKeys(loupe) {
  const giving = loupe.part(createGiving);
  window.addEventListener("keydown", (event) => steer(event, giving), { capture: true });
  return giving;
}

// They come before those of the page.
function steer(event, giving) {
  const isOn = document.documentElement.classList.contains(GIVING) || giving.isOnTheWay();
  if (!giving.place() || !isOn) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (document.querySelector("[role=dialog], dialog[open]")) return;
  const isTyped =
    event.target instanceof Element && event.target.matches("input, textarea, select");
  if (TURNS[event.key]) giving.turn(TURNS[event.key]);
  else if (ARROWS[event.key] && isOutside(event)) giving.turn(ARROWS[event.key]);
  else if (event.key === "Home" && !isTyped) giving.jump(0);
  else if (event.key === "End" && !isTyped) giving.jump(giving.slides().length - 1);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

// Nothing of the picture has the focus, and nothing is typed into.
const isOutside = (event) =>
  !keyboardInUse(event) && !event.target.closest?.("[data-testid=stMain]");

// Does something while the picture of a slide is not covered, before anybody sees it.
function uncovered(act) {
  const { classList } = document.documentElement;
  const was = classList.contains(COVERED);
  classList.remove(COVERED);
  try {
    act();
  } finally {
    classList.toggle(COVERED, was);
  }
}

// What stands around the picture of a slide, and the rules that leave that picture alone on the page.
function createStage(loupe, signal) {
  const top = element("header", { class: "loupe-slide-top" });
  const veil = element("section", { class: "loupe-slide-veil", tabindex: "-1" });
  const bar = element("nav", { class: "loupe-slide-bar", "aria-label": say("deck.show.bar") });
  const rules = element("style");
  const parts = [top, veil, bar, rules];
  let shown = ""; // the slide in view: a note of what was pressed in it is kept
  let arrived = ""; // the slide whose view has come
  let alone = ""; // the part that is left of it
  let refit = null;
  let missing = null; // what says that the part is not there
  const watch = createWatch();
  const leave = () => {
    watch.stop();
    clearTimeout(refit);
    for (const part of parts) part.remove();
    document.documentElement.classList.remove(GIVING, COVERED);
    shown = arrived = "";
  };
  signal.addEventListener("abort", leave);
  return {
    show(state) {
      if (!state) return leave();
      const { slide } = state;
      if (!top.isConnected) ground().append(...parts);
      drawParts(state, top, veil, bar);
      if (shown !== slide.id) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
      shown = slide.id;
    },
    // Once the view is there, only a part of it is left; a part that it lacks is said to be missing.
    whenThere(slide, address, act) {
      const { id, panel } = slide;
      clearTimeout(refit);
      const isNew = arrived !== id;
      const fitted = () => {
        const part = shown === id && panelNode(panel);
        const room = innerHeight - top.offsetHeight - bar.offsetHeight - AROUND;
        if (part) fit(rules, aloneRules(panel), part, room, () => loupe.tell("run"));
      };
      const arrive = () => {
        if (shown !== id) return;
        arrived = id;
        alone = panel;
        missing?.remove();
        if (panel && !panelNode(panel)) {
          rules.textContent = "";
          missing = element("p", { class: "loupe-note", role: "status" }, say("deck.show.missing"));
          top.append(missing);
          watch.follow(panel, arrive);
        }
        fitted();
        refit = setTimeout(fitted, WIDE_MS);
        const choose = bar.querySelector("select");
        if (choose) fillPanels(choose, panel);
        act(slide);
      };
      if (!isNew && alone === panel) return arrive();
      rules.textContent = panel ? aloneRules(panel) : "";
      rules.dataset.share = "";
      watch.wait({ address, panel, isNew }, arrive);
    },
  };
}

// The title, the question over the picture, the buttons.
function drawParts(state, top, veil, bar) {
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

// Buttons are made anew when something has changed; the one that was pressed keeps the focus.
const focusedIn = (place) =>
  place.contains(document.activeElement)
    ? document.activeElement.getAttribute("aria-label") || document.activeElement.textContent
    : null;
function refocus(place, name) {
  if (name === null) return;
  const all = [...place.querySelectorAll("button, input, select")];
  const same = all.find((one) => (one.getAttribute("aria-label") || one.textContent) === name);
  /** @type {HTMLElement | undefined} */ (same)?.focus();
}

function topOf({ slide }, covered) {
  const counted = handsSaid(choicesOf(slide, say("deck.show.hands")), slide.hands);
  return [
    element("h2", {}, slide.title),
    slide.question && !covered
      ? element("p", { class: "loupe-slide-asked" }, slide.question)
      : null,
    counted && !covered ? element("p", { class: "loupe-slide-hands" }, counted) : null,
  ].filter(Boolean);
}

function veilOf({ slide, giving, app }) {
  const { source } = partsOfLink(slide.link, app);
  return [
    element("h3", {}, slide.question),
    source ? element("p", { class: "loupe-slide-source", dir: "auto" }, source) : null,
    element(
      "ul",
      {},
      ...choicesOf(slide, say("deck.show.hands")).map((answer, i) =>
        counter(slide, answer, i, giving),
      ),
    ),
    pushButton(
      { class: "loupe-slide-reveal", onclick: () => giving.cover(false) },
      say("deck.show.reveal"),
    ),
  ].filter(Boolean);
}

// A slide that is shown just to be drawn.
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

// An answer, and how many hands are up for it.
function counter(slide, answer, index, giving) {
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

function barOf({ slide, giving, code }, covered) {
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
    ...(covered ? [] : [choose, button(say("deck.show.code"), code)]), // both would tell what is covered
    slide.notes ? notesOf(slide) : null,
    button(say("deck.show.end"), giving.end),
  ].filter(Boolean);
}

// What the slide's notes say, above the bar until it is drawn anew: whoever gives the lecture looks them up.
const notesOf = ({ notes }) =>
  element(
    "details",
    { class: "loupe-slide-notes" },
    element("summary", {}, say("deck.show.notes")),
    element("p", { dir: "auto" }, notes),
  );

// The parts of the view that is there now, to choose the one that is shown large.
function fillPanels(choose, panel) {
  const options = [{ key: "", name: say("deck.show.whole") }, ...panelsNow()];
  choose.replaceChildren(
    ...options.map(({ key, name }) =>
      element("option", { value: key, selected: key === panel }, name),
    ),
  );
}

export const components = { slides };
