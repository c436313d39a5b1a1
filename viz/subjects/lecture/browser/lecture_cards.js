// One card per slide: what it shows, its texts, and the buttons that move it.

import { changed, hasText, inserted, MOST, moved } from "../../../frame/browser/deck.js";
import { visit } from "../../../frame/browser/deck_giving.js";
import { addressOf, partsOfLink } from "../../../frame/browser/deck_view.js";
import { element, pushButton } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";
import { imageOf } from "./lecture_pictures.js";
import { ofSlide } from "./lecture_words.js";

/** Create the list of slides. It is redrawn after every change from elsewhere, but not while a person types in it.
 * @param {any} parts the parts of the page
 */
export function createCards(parts) {
  const { store, signal } = parts;
  const list = element("ol", { class: "loupe-slide-list", "aria-label": say("lecture.list") });
  const opened = new Set(); // slides whose question and notes are in view
  let waits = false;
  const draw = () => {
    const active = document.activeElement;
    waits = list.contains(active) && active.matches("input, textarea");
    if (waits) return;
    const focused = list.contains(active) ? active.getAttribute("data-act") : null;
    const { slides } = store.read();
    list.replaceChildren(...slides.map((slide, place) => card(slide, place, { ...parts, opened })));
    if (!focused) return;
    /** @type {HTMLElement | null} */ (
      list.querySelector(`[data-act="${CSS.escape(focused)}"]`)
    )?.focus();
  };
  list.addEventListener("focusout", () => waits && setTimeout(draw), { signal });
  return { list, draw };
}

function moveBy(id, by, { store, tell }) {
  store.change((deck) => {
    const at = deck.slides.findIndex((slide) => slide.id === id);
    return { ...deck, slides: moved(deck.slides, id, at + by) };
  });
  const { slides } = store.read();
  const at = slides.findIndex((slide) => slide.id === id);
  if (at >= 0)
    tell(say("lecture.moved_to", { title: slides[at].title, place: at + 1, of: slides.length }));
}

function remove(id, { store, tell, quiet }) {
  const { slides } = store.read();
  const at = slides.findIndex((slide) => slide.id === id);
  if (at < 0) return;
  store.change((deck) => ({ ...deck, slides: deck.slides.filter((slide) => slide.id !== id) }));
  const back = () => {
    store.change((deck) => ({ ...deck, slides: inserted(deck.slides, at, slides[at]) }));
    quiet();
  };
  tell(say("lecture.deleted", { title: slides[at].title }), [say("lecture.undo"), back]);
}

function card(slide, place, parts) {
  const { app, giving, store } = parts;
  const shown = partsOfLink(slide.link, app.data);
  const last = store.read().slides.length - 1;
  const act = (name, sign, does, isOff = false) =>
    pushButton(
      {
        disabled: isOff,
        "data-act": `${name} ${slide.id}`,
        "aria-label": ofSlide(name, place, slide.title),
        title: name,
        onclick: does,
      },
      sign,
    );
  return element(
    "li",
    { class: "loupe-slide", "data-slide": slide.id },
    element("span", { class: "loupe-slide-number", "aria-hidden": "true" }, place + 1),
    thumbnail(slide, place, parts),
    element(
      "div",
      { class: "loupe-slide-words" },
      field(slide, "title", "input", parts, ofSlide(say("lecture.slide.title"), place, "")),
      element("p", { class: "loupe-slide-shows" }, ...showsOf(slide, shown)),
      more(slide, parts),
    ),
    element(
      "div",
      { class: "loupe-slide-acts" },
      act(say("lecture.slide.from"), "▶", () => giving.begin(place)),
      act(say("lecture.slide.up"), "↑", () => moveBy(slide.id, -1, parts), place === 0),
      act(say("lecture.slide.down"), "↓", () => moveBy(slide.id, 1, parts), place === last),
      act(say("lecture.slide.remove"), "×", () => remove(slide.id, parts)),
    ),
  );
}

function thumbnail(slide, place, { app, shipped }) {
  const { page } = partsOfLink(slide.link, app.data);
  return pushButton(
    {
      class: "loupe-slide-thumb",
      "data-act": `open ${slide.id}`,
      "aria-label": ofSlide(say("lecture.open_view", { page }), place, slide.title),
      title: say("lecture.slide.open"),
      onclick: () => visit(addressOf(slide.link, app.data, false)),
    },
    imageOf(slide, shipped(), app.data) ?? element("span", {}, page),
  );
}

function showsOf(slide, { page, model, source, isChanged }) {
  return [
    element("b", {}, page),
    source ? element("q", { dir: "auto" }, source) : null,
    model ? element("span", {}, model) : null,
    slide.shows ? element("span", {}, slide.shows) : null,
    isChanged ? element("em", {}, say("lecture.slide.changed")) : null,
  ].filter(Boolean);
}

function more(slide, parts) {
  const { opened } = parts;
  const answers = element("textarea", { rows: "3", "aria-label": say("lecture.slide.answers") });
  answers.value = slide.answers.join("\n");
  answers.addEventListener("input", () => {
    const lines = answers.value.split("\n").map((line) => line.trim().slice(0, MOST.answer));
    keep(slide.id, { answers: lines.filter(hasText).slice(0, MOST.answers), hands: [] }, parts);
  });
  const label = (text, input) => element("label", {}, element("span", {}, text), input);
  const details = element(
    "details",
    { open: opened.has(slide.id) },
    element(
      "summary",
      { "data-act": `more ${slide.id}` },
      slide.question || say("lecture.slide.more"),
    ),
    label(say("lecture.slide.caption"), field(slide, "caption", "input", parts)),
    label(say("lecture.slide.question"), field(slide, "question", "input", parts)),
    label(say("lecture.slide.answers"), answers),
    label(say("lecture.slide.notes"), field(slide, "notes", "textarea", parts)),
  );
  details.addEventListener("toggle", () =>
    details.open ? opened.add(slide.id) : opened.delete(slide.id),
  );
  return details;
}

function field(slide, name, tag, parts, label = "") {
  const input = element(tag, {
    maxlength: String(MOST[name]),
    ...(tag === "textarea" ? { rows: "5" } : { type: "text" }),
    ...(label ? { "aria-label": label } : {}),
  });
  input.value = slide[name];
  input.addEventListener("input", () => keep(slide.id, { [name]: input.value }, parts));
  return input;
}

const keep = (id, values, { store }) =>
  store.change((deck) => ({ ...deck, slides: changed(deck.slides, id, values) }));
