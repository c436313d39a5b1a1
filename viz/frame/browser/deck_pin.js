// The button that adds the current view to the lecture as a slide.

import { element, pushButton } from "../../pictures/browser/elements.js";
import { keyboardInUse } from "../../pictures/browser/keyboard.js";
import { say } from "../../pictures/browser/say.js";
import { inserted, MOST, makeSlide } from "./deck.js";
import { keepPicture } from "./deck_pictures.js";
import { deckApp, deckStore } from "./deck_store.js";
import { linkNow, panelInSight, partsOfLink, saidNow } from "./deck_view.js";

const KEY = "a";
const SAID_MS = 8_000;

/** @type {import("../../pictures/browser/types").Setup} */
function pin(loupe, { host, signal }) {
  const store = loupe.part(deckStore);
  const known = loupe.part(deckApp);
  let timer = null;
  const said = element("p", { class: "loupe-note loupe-pin-said", role: "status" });
  const tell = (...parts) => {
    clearTimeout(timer);
    said.replaceChildren(...parts.filter((part) => part !== null));
    timer = setTimeout(() => said.replaceChildren(), SAID_MS);
  };
  const takeBack = (id) => {
    store.change((deck) => ({ ...deck, slides: deck.slides.filter((one) => one.id !== id) }));
    said.replaceChildren();
  };
  const button = (name, act) => pushButton({ onclick: act }, name);
  const keep = () => {
    const { id, text } = keepView(loupe, known.data);
    const acts = [
      " ",
      button(say("deck.undo"), () => takeBack(id)),
      " ",
      button(say("deck.open_lecture"), () => loupe.go("lecture")),
    ];
    tell(text, ...(id ? acts : []), store.isKept() ? null : ` ${say("deck.not_kept")}`);
    return text;
  };
  known.keep = keep;
  host.append(pushButton({ title: say("deck.pin_help"), onclick: keep }, say("deck.pin_view")));
  document.body.append(said); // so that it is visible while the menu with the button is closed
  signal.addEventListener("abort", () => said.remove());
  loupe.root.addEventListener(
    "keydown",
    (event) => {
      const pressed = /** @type {KeyboardEvent} */ (event);
      if (pressed.key !== KEY || pressed.repeat || keyboardInUse(pressed)) return;
      event.preventDefault();
      keep();
    },
    { signal },
  );
  signal.addEventListener("abort", () => clearTimeout(timer));
  return (data) => {
    known.data = data;
    for (const tell of known.told) tell();
  };
}

// Add the view to the end of the deck. Return the slide's id, and a message.
function keepView(loupe, app) {
  const store = loupe.part(deckStore);
  const { slides } = store.read();
  if (slides.length >= MOST.slides)
    return { id: "", text: say("deck.full", { most: MOST.slides }) };
  const slide = slideNow(loupe, app);
  if (slide.link.length > MOST.link) return { id: "", text: say("deck.long_view") };
  store.change((deck) => ({ ...deck, slides: inserted(deck.slides, deck.slides.length, slide) }));
  keepPicture(loupe, slide);
  return { id: slide.id, text: say("deck.pinned", { place: slides.length + 1 }) };
}

// Return the current view as a slide.
function slideNow(loupe, app) {
  const link = linkNow(loupe, app);
  const { page } = partsOfLink(link, app);
  const question = document.querySelector("h1.loupe-question")?.textContent.trim();
  return makeSlide({
    link,
    title: (question || page).slice(0, MOST.title),
    panel: panelInSight(),
    shows: saidNow(loupe).slice(0, MOST.shows),
  });
}

export const components = { pin };
