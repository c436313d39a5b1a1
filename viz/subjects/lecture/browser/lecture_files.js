// The lecture's title, and the ways to give, print, save, open and share it.

import { DeckFault, MOST, readDeck, writeDeck } from "../../../frame/browser/deck.js";
import { LONGEST_LINK, packDeck } from "../../../frame/browser/deck_link.js";
import { drawingOf } from "../../../frame/browser/deck_pictures.js";
import { element, pushButton } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";

const BYTES_A_LETTER = 4; // at most, as UTF-8
const ROOM_OF_A_FIELD = 20; // characters of a field's name and its punctuation

/** @param {any} parts the parts of the page */
export function createFiles(parts) {
  const { store, giving, app, open, tell } = parts;
  const title = element("input", {
    type: "text",
    class: "loupe-lecture-title",
    maxlength: String(MOST.title),
    "aria-label": say("lecture.deck_title"),
    oninput: (event) => store.change((deck) => ({ ...deck, title: event.target.value })),
  });
  const file = element("input", {
    type: "file",
    accept: ".json,application/json",
    hidden: true,
    tabindex: "-1",
    "aria-label": say("lecture.open"),
    onchange: async () => {
      const [chosen] = file.files;
      file.value = "";
      if (chosen)
        await openFile(chosen, app, open, (why) => tell(say("lecture.not_opened", { why })));
    },
  });
  const button = (name, act, kind = "") => pushButton({ class: kind, onclick: act }, name);
  const needs = [
    button(say("lecture.give"), () => giving.begin(0), "loupe-lecture-give"),
    button(say("lecture.save"), () => save(store.read())),
    button(say("lecture.link"), () => copyLink(parts)),
  ];
  return {
    tools: (sheets) =>
      element(
        "div",
        { class: "loupe-lecture-tools", role: "group", "aria-label": say("lecture.tools") },
        title,
        ...needs,
        ...sheets.tools,
        button(say("lecture.open"), () => file.click()),
        file,
      ),
    draw() {
      const deck = store.read();
      if (document.activeElement !== title) title.value = deck.title;
      for (const one of needs) one.disabled = !deck.slides.length;
    },
  };
}

async function openFile(file, app, open, refuse) {
  if (file.size > MOST.saved * BYTES_A_LETTER) return refuse(tooLarge(file.size));
  let text;
  try {
    text = await file.text();
  } catch {
    return refuse(say("lecture.unreadable"));
  }
  openText(text, app, open, refuse);
}

const tooLarge = (size) =>
  say("lecture.file_too_large", { size, most: MOST.saved * BYTES_A_LETTER });

function save(deck) {
  const text = textToSave(deck);
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", { href: address, download: fileName(deck.title) }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// Write a deck with the pictures that this browser has of its slides, as far as the size limit of a file allows.
function textToSave(deck) {
  let room = MOST.saved - writeDeck(deck).length;
  return writeDeck(deck, (slide) => {
    const picture = drawingOf(slide);
    const length = JSON.stringify(picture).length + ROOM_OF_A_FIELD;
    if (picture.length > MOST.picture || length > room) return "";
    room -= length;
    return picture;
  });
}

/** Return a file name of letters and digits only.
 * @param {string} title
 */
export const fileName = (title) =>
  `${title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "lecture"}.json`;

async function copyLink({ store, app, tell }) {
  const hash = await packDeck(store.read());
  if (hash.length > LONGEST_LINK)
    return tell(say("lecture.link_too_long", { length: hash.length }));
  const link = `${location.origin}${app.data.base}/lecture${hash}`;
  try {
    await navigator.clipboard.writeText(link); // works only if the page came by https or from this machine
    tell(say("lecture.link_copied"));
  } catch {
    tell(say("lecture.link_by_hand"));
    const field = element("input", {
      type: "text",
      readonly: true,
      "aria-label": say("lecture.link_field"),
    });
    field.value = link;
    document.querySelector(".loupe-lecture-said")?.append(field);
    field.select();
  }
}

/** Open a deck from a text, or report what is wrong with it.
 * @param {string} text
 * @param {{data: import("../../../pictures/browser/wire").WireDeck}} app
 * @param {(deck: import("../../../frame/browser/deck.js").Deck) => void} open
 * @param {(why: string) => void} refuse
 */
export function openText(text, app, open, refuse) {
  try {
    open(readDeck(text, pageUrls(app), MOST.saved));
  } catch (error) {
    if (!(error instanceof DeckFault)) throw error;
    refuse(error.message);
  }
}

const pageUrls = ({ data }) => data.pages.map(([url]) => url);
