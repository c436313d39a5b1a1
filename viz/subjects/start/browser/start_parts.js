// The elements of the sentence of Start: words, each with room for a bar and a vector, the mix, and what was written.

import { clamp, element, pushButton } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { say } from "../../../pictures/browser/say.js";

/** Create the board with the parts that move; each sentence has its own board.
 * @param {import("./start_words.js").Asked} asked
 * @param {{point(at: number | null): void, press(at: number): void}} events
 */
export function createBoard(asked, events) {
  const { reading, query } = asked;
  const cells = typedWords(reading).map((word, at) => createCell(word, at, asked, events));
  const words = element("ol", { class: "loupe-start-words" }, ...cells.map(({ item }) => item));
  const lines = element("svg:svg", { class: "loupe-start-lines", "aria-hidden": "true" });
  const streams = element("svg:svg", { class: "loupe-start-streams", "aria-hidden": "true" });
  const traveller = element("span", { class: "loupe-start-traveller", "aria-hidden": "true" });
  const mix = createMix(reading.tokens[query]);
  const written = createWritten(asked);
  const node = element(
    "div",
    {
      class: "loupe-start-board",
      role: "group",
      "aria-label": say("start.board"),
    },
    streams,
    lines,
    words,
    traveller,
    mix.node,
    written.node,
  );
  const parts = { node, words, cells, lines, streams, traveller, mix, written };
  const places = /** @type {any} */ (null); // where everything is, once it has been measured
  const shown = /** @type {any} */ (null); // the word whose arcs are drawn, or "question"
  const arcs = /** @type {any[]} */ ([]);
  return { ...parts, asked, places, shown, arcs, link: /** @type {any} */ (null) };
}

// Return the words to draw: an unknown word is drawn as it was typed, not as the token that replaces it.
function typedWords({ tokens, unknown }) {
  const isUnknown = (token) => token === "<unk>";
  if (tokens.filter(isUnknown).length !== unknown.length) return tokens;
  const typed = unknown.values();
  return tokens.map((token) => (isUnknown(token) ? typed.next().value : token));
}

function createCell(word, at, { query, reading }, { point, press }) {
  const bar = element("i", { class: "loupe-start-bar" });
  const figure = element("b", { class: "loupe-start-figure" });
  const strip = element("span", { class: "loupe-start-strip" });
  const isMark = at === reading.tokens.length - 1 && word.startsWith("<");
  const kinds = [
    at === query ? "loupe-start-asked" : "",
    isMark ? "loupe-special" : "",
    word === reading.tokens[at] ? "" : "loupe-start-unknown",
  ];
  const button = pushButton(
    {
      tabindex: at === query ? "0" : "-1", // the sentence is one stop of the Tab key
      class: `loupe-start-word ${kinds.join(" ")}`,
      onpointerenter: (event) => event.pointerType !== "touch" && point(at),
      onpointerleave: (event) => event.pointerType !== "touch" && point(null),
      onfocus: (event) => event.currentTarget.matches(":focus-visible") && point(at),
      onblur: () => point(null),
      onclick: () => press(at),
    },
    element("bdi", {}, word),
  );
  const item = element(
    "li",
    { class: "loupe-start-cell" },
    element("span", { class: "loupe-start-rise", "aria-hidden": "true" }, bar, figure),
    button,
    strip,
  );
  return { item, bar, figure, strip, button };
}

/** Move the keyboard focus from one word of the sentence to another.
 * @param {HTMLElement} from
 * @param {number} by
 */
export function moveInSentence(from, by) {
  const words = [...from.closest("ol").querySelectorAll("button")];
  const to = words[clamp(words.indexOf(/** @type {any} */ (from)) + by, words.length)];
  for (const word of words) word.tabIndex = word === to ? 0 : -1;
  to.focus();
}

function createMix(token) {
  const strip = element("span", { class: "loupe-start-strip loupe-start-mixed" });
  const words = element(
    "span",
    { class: "loupe-start-mix-words" },
    ...filled(say("start.takes_away"), { it: element("em", {}, token) }),
  );
  const node = element("div", { class: "loupe-start-mix", "aria-hidden": "true" }, strip, words);
  return { node, strip, words };
}

function createWritten({ reading, languages }) {
  const pieces = reading.written.map(([before, word], at) => {
    const isAnswer = at === reading.answer?.at;
    return [before, element(isAnswer ? "strong" : "span", {}, word)];
  });
  const target = languages[1];
  const isUnsure = reading.unknown.length > 0;
  const written = isUnsure
    ? say("start.target_unsure", { target })
    : say("start.target_written", { target });
  const label = reading.given ? say("start.target_given", { target }) : written;
  const node = element(
    "p",
    { class: `loupe-start-written ${isUnsure ? "loupe-start-unsure" : ""}`, dir: "auto" },
    element("span", { class: "loupe-start-target" }, ...pieces.flat()),
    element("span", { class: "loupe-start-label" }, label),
  );
  const answer = /** @type {HTMLElement | null} */ (node.querySelector("strong"));
  return { node, answer };
}
