// The slides of this browser's lecture: their order, titles, questions and notes; and ways to save, share and print.

import { DeckFault } from "../../../frame/browser/deck.js";
import { createGiving } from "../../../frame/browser/deck_giving.js";
import { holdsDeck, unpackDeck } from "../../../frame/browser/deck_link.js";
import { takePictures } from "../../../frame/browser/deck_pictures.js";
import { deckApp, deckStore } from "../../../frame/browser/deck_store.js";
import { element, pushButton } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";
import { createCards } from "./lecture_cards.js";
import { createFiles, openText } from "./lecture_files.js";
import { imageOf } from "./lecture_pictures.js";
import { createSheets } from "./lecture_sheets.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function lecture(loupe, { host, signal }) {
  const app = loupe.part(deckApp);
  const store = loupe.part(deckStore);
  const giving = loupe.part(createGiving);
  const said = element("div", { class: "loupe-lecture-said", role: "status" });
  const tell = (text, ...acts) => {
    const buttons = acts.map(([name, act]) => pushButton({ onclick: act }, name));
    said.replaceChildren(element("p", {}, text), ...buttons);
  };
  const quiet = () => said.replaceChildren();
  const open = (deck) => {
    const before = store.read();
    takePictures(deck.slides);
    store.change(() => deck);
    const back = () => {
      store.change(() => before);
      quiet();
    };
    const said = say("lecture.opened", { title: deck.title });
    if (before.slides.length) tell(said, [say("lecture.undo"), back]);
    else quiet();
  };
  let shipped = [];
  const parts = { loupe, store, giving, app, tell, quiet, open, signal, shipped: () => shipped };
  const files = createFiles(parts);
  const sheets = createSheets(parts);
  const cards = createCards(parts);
  const ways = element("div", { class: "loupe-lecture-ways" });
  host.append(files.tools(sheets), said, cards.list, ways);
  const draw = () => {
    if (!app.data) return;
    host.classList.toggle("loupe-lecture-empty", !store.read().slides.length);
    cards.draw();
    files.draw();
    sheets.draw();
    ways.replaceChildren(...waysOf(parts));
  };
  store.listen(draw, signal);
  app.told.add(draw);
  signal.addEventListener("abort", () => app.told.delete(draw));
  openLinked(parts);
  return (data) => {
    shipped = data.shipped;
    draw();
  };
}

// Create the sources of slides: other pages, and the decks that come with the app.
function waysOf({ shipped, store, app, open, tell }) {
  const { slides } = store.read();
  const ready = shipped().map(({ title, slides: count, text }) =>
    pushButton(
      {
        onclick: () => openText(text, app, open, (why) => tell(say("lecture.not_opened", { why }))),
      },
      say("lecture.ready", { title, count }),
    ),
  );
  return [
    element("p", {}, slides.length ? say("lecture.others") : say("lecture.how")),
    element("div", {}, ...ready),
    ...(slides.length ? [] : shipped().map((deck) => previewOf(deck, shipped(), app.data))),
  ].filter(Boolean);
}

// Show the slides of a ready-made lecture.
const previewOf = ({ text }, shipped, app) =>
  element(
    "ol",
    { class: "loupe-lecture-preview" },
    ...JSON.parse(text).slides.map((slide) =>
      element(
        "li",
        {},
        imageOf(slide, shipped, app),
        element("b", {}, slide.title),
        element("span", {}, slide.question ?? slide.caption),
      ),
    ),
  );

// Open the deck in the address after the reader confirms it; at once if there is no deck that could be lost.
async function openLinked({ store, open, tell, quiet }) {
  const hash = openedWith();
  if (!holdsDeck(hash) || taken.has(hash)) return;
  taken.add(hash);
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    const deck = await unpackDeck(hash, null);
    if (!store.read().slides.length) return open(deck);
    tell(
      say("lecture.link_holds", { title: deck.title }),
      [say("lecture.take_link"), () => open(deck)],
      [say("lecture.leave_link"), quiet],
    );
  } catch (error) {
    if (!(error instanceof DeckFault)) throw error;
    tell(say("lecture.link_not_opened", { why: error.message }));
  }
}

const taken = new Set(); // links that were handled in this tab

// Return the end of the address with which the tab was opened; Streamlit removes it before any picture is created.
function openedWith() {
  const [entry] = performance.getEntriesByType("navigation");
  return location.hash || new URL(entry?.name ?? location.href).hash;
}

export const components = { lecture };
