// A deck: slides in order, each with a view of the app and texts about it. Types, reading and checking of decks.

import { say, sayOf } from "../../pictures/browser/say.js";

/** @typedef {{id: string, title: string, notes: string, caption: string, question: string, answers: string[], hands: (number | null)[], panel: string, shows: string, link: string, picture?: string}} Slide in a file, with its picture */
/** @typedef {{title: string, slides: Slide[]}} Deck */

export const VERSION = 1;
/** The maximum numbers of characters, slides, answers and hands. */
export const MOST = {
  file: 400_000,
  saved: 3_000_000, // for a file with pictures
  slides: 100,
  answers: 6,
  hands: 9_999,
  title: 120,
  notes: 4_000,
  caption: 200,
  question: 300,
  answer: 80,
  shows: 300,
  panel: 80,
  link: 8_000,
  picture: 1_000_000,
};
const TEXTS = ["title", "notes", "caption", "question", "panel", "shows", "link"];
const SLIDE_FIELDS = ["id", ...TEXTS, "answers", "hands"];
const IN_A_FILE = [...SLIDE_FIELDS.slice(0, -2), "picture", ...SLIDE_FIELDS.slice(-2)];
const DECK_FIELDS = ["loupe", "version", "title", "slides"];
const SHOWN = 60; // maximum length of a wrong value in a message

export class DeckFault extends Error {}

/** Refuse a deck. @param {string} name the name of the message @param {Record<string, unknown>} [values] its values */
export const refuse = (name, values) => {
  throw new DeckFault(sayOf("deck.fault", name, values));
};
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const shown = (text) =>
  (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text).replace(UNSEEN, "□");

/** @returns {Deck} */
export const emptyDeck = () => ({ title: say("deck.untitled"), slides: [] });

/** Make an id that no other slide has; it is not a secret. */
export const newId = () =>
  Array.from({ length: 12 }, () => Math.floor(Math.random() * 36).toString(36)).join("");

/** Make a slide with the given values, the rest empty.
 * @param {Partial<Slide>} given
 * @returns {Slide}
 */
export const makeSlide = (given) => ({
  title: "",
  notes: "",
  caption: "",
  question: "",
  answers: [],
  hands: [],
  panel: "",
  shows: "",
  link: "",
  ...given,
  id: given.id || newId(),
});

/** Read a deck from a text; throws a DeckFault whose message says what is wrong and where. Checks the length first.
 * `viz/site/deck_file.py` reads files by the same rules.
 * @param {string} text
 * @param {string[] | null} pages the URLs of the existing pages; null to allow any
 * @param {number} [most] the maximum number of characters
 * @returns {Deck}
 */
export function readDeck(text, pages, most = MOST.file) {
  if (text.length > most) refuse("too_long", { most });
  let found;
  try {
    found = JSON.parse(text);
  } catch (error) {
    refuse("not_json", { why: shown(String(error.message)) });
  }
  if (!isObject(found) || !Array.isArray(found.slides)) refuse("not_deck");
  if ((found.version ?? VERSION) !== VERSION)
    refuse("version", { found: shown(JSON.stringify(found.version)) });
  const where = say("deck.deck");
  refuseUnknown(where, found, DECK_FIELDS);
  const title = textOf(where, found, "title") || say("deck.untitled");
  const slides = listOf(where, found, "slides", MOST.slides).map((slide, place) =>
    readSlide(slide, say("deck.slide", { place: place + 1 }), pages),
  );
  const ids = new Set();
  for (const slide of slides) {
    if (ids.has(slide.id)) slide.id = newId();
    ids.add(slide.id);
  }
  return { title, slides };
}

/** Write a deck as a file.
 * @param {Deck} deck
 * @param {(slide: Slide) => string} [pictureOf] returns the picture of a slide for the file
 */
export function writeDeck({ title, slides }, pictureOf = () => "") {
  const plain = slides.map((slide) => {
    const own = { ...slide, picture: pictureOf(slide) };
    return Object.fromEntries(IN_A_FILE.filter((n) => own[n].length).map((n) => [n, own[n]]));
  });
  return `${JSON.stringify({ loupe: "deck", version: VERSION, title, slides: plain }, null, 1)}\n`;
}

/** @returns {Slide} */
function readSlide(found, where, pages) {
  if (!isObject(found) || !found.link) refuse("no_link", { where });
  refuseUnknown(where, found, IN_A_FILE);
  const slide = makeSlide(Object.fromEntries(TEXTS.map((n) => [n, textOf(where, found, n)])));
  const picture = textOf(where, found, "picture");
  if (found.id !== undefined) {
    if (typeof found.id !== "string" || !/^[a-z0-9]{1,24}$/.test(found.id))
      refuseValue(where, "id", found.id);
    slide.id = found.id;
  }
  slide.answers = listOf(where, found, "answers", MOST.answers).map((answer) =>
    plainText(where, "answers", answer, MOST.answer),
  );
  slide.hands = readHands(where, found, slide.answers);
  if (!/^[A-Za-z0-9_-]*$/.test(slide.panel)) refuseValue(where, "panel", slide.panel);
  if (picture && !picture.startsWith("<svg ")) refuseValue(where, "picture", picture);
  if (picture) slide.picture = picture;
  checkLink(where, slide.link, pages);
  return slide;
}

function readHands(where, found, answers) {
  const hands = listOf(where, found, "hands", MOST.answers);
  const isCount = (n) => n === null || (Number.isInteger(n) && n >= 0 && n <= MOST.hands);
  if (!hands.every(isCount) || hands.length > Math.max(1, answers.length))
    refuseValue(where, "hands", hands);
  return hands;
}

function checkLink(where, link, pages) {
  const page = link.split("?", 1)[0];
  if (!/^[a-z0-9_-]{1,40}$/.test(page) || link.includes("#"))
    refuse("link", { where, link: shown(link) });
  if (pages && !pages.includes(page)) refuse("page", { where, page, pages: pages.join(", ") });
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const refuseValue = (where, name, value) =>
  refuse("value", { where, name, value: shown(JSON.stringify(value)) });

function refuseUnknown(where, found, known) {
  const name = Object.keys(found).find((one) => !known.includes(one));
  if (name !== undefined) refuse("unknown", { where, name: shown(name), known: known.join(", ") });
}

const textOf = (where, found, name) => plainText(where, name, found[name] ?? "", MOST[name]);

function plainText(where, name, value, most) {
  if (typeof value !== "string") refuseValue(where, name, value);
  if (value.length > most) refuse("most", { where, name, most });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused
  if (/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/.test(value))
    refuseValue(where, name, value);
  return value;
}

function listOf(where, found, name, most) {
  const list = found[name] ?? [];
  if (!Array.isArray(list)) refuseValue(where, name, list);
  if (list.length > most) refuse("most", { where, name, most });
  return list;
}

/** Return the slides with one inserted at a place.
 * @param {Slide[]} slides @param {number} place @param {Slide} slide
 */
export const inserted = (slides, place, slide) => slides.toSpliced(place, 0, slide);

/** Return the slides with one moved to another place.
 * @param {Slide[]} slides @param {string} id @param {number} to
 */
export function moved(slides, id, to) {
  const from = slides.findIndex((slide) => slide.id === id);
  if (from < 0) return slides;
  const place = Math.max(0, Math.min(to, slides.length - 1));
  return slides.toSpliced(from, 1).toSpliced(place, 0, slides[from]);
}

/** Return the slides with one changed.
 * @param {Slide[]} slides @param {string} id @param {Partial<Slide>} values
 */
export const changed = (slides, id, values) =>
  slides.map((slide) => (slide.id === id ? { ...slide, ...values } : slide));

/** Return the options for which hands can be counted: the answers, or one for a question without any.
 * @param {Slide} slide
 * @param {string} usual
 */
export const choicesOf = (slide, usual) => (slide.answers.length ? slide.answers : [usual]);

/** @param {string} text */
export const hasText = (text) => text !== "";
