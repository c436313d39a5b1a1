// The pages of the site, drawn by the pictures of the app.

import { replaceWord, sourceField } from "../../frame/browser/field.js";
import { element } from "../../pictures/browser/elements.js";
import { answerTo } from "../../pictures/browser/live/answer.js";
import { components as opening } from "../../pictures/browser/live/opened.js";
import { takeAnswer } from "../../pictures/browser/live/taken.js";
import { say } from "../../pictures/browser/say.js";
import { hasEncoder } from "../../pictures/browser/twin/config.js";
import { components as steps } from "../../subjects/attention/browser/cell.js";
import { components as story } from "../../subjects/attention/browser/cell_words.js";
import { components as oneHead } from "../../subjects/attention/browser/head.js";
import { components as allHeads } from "../../subjects/attention/browser/heads.js";
import { putFormulas } from "../../subjects/attention/browser/offline.js";
import { components as words } from "../../subjects/attention/browser/reading.js";
import { begin as beginDecoding } from "../../subjects/decoding/browser/decoding_own.js";
import { components as start } from "../../subjects/start/browser/start.js";
import { SCENES } from "../../subjects/start/browser/start_motion.js";
import { begin as beginTouch } from "../../subjects/touch/browser/touch_own.js";
import { embeddingsPage } from "./embeddings_page.js";
import { mapPage } from "./map_page.js";
import { masksPage } from "./masks_page.js";
import { positionsPage } from "./positions_page.js";

/** @typedef {import("../../pictures/browser/types").Loupe} Loupe */
/** @typedef {import("../../pictures/browser/types").Setup} Setup */

/** The parts from which a page is drawn.
 * @typedef {object} Site
 * @property {Loupe} loupe
 * @property {ReturnType<typeof import("./address.js").createAddress>} address
 * @property {import("../../pictures/browser/wire").WireSiteModel} model
 * @property {import("../../pictures/browser/live/models").Kept} kept
 */

/** A page: draws itself into a place, and returns the function to call when another sentence has been run.
 * @typedef {(place: HTMLElement, site: Site) => (answer: import("../../pictures/browser/live/types").Answer) => void} Page
 */

const UNCHANGED = { off: [], damage: {}, fixed: true };

/** Mount a picture in an element of its own, and return the function that removes it.
 * @param {Loupe} loupe
 * @param {HTMLElement} parentElement
 * @param {string} name
 * @param {Setup} setup
 */
export function put(loupe, parentElement, name, setup, data, setTriggerValue = (_e, _v) => {}) {
  return loupe.mount(name, setup, { data, parentElement, setTriggerValue });
}

/** @type {Page} */
function startPage(place, { loupe, address, model, kept }) {
  const node = element("div", { class: "st-key-start_sentence" });
  place.classList.add("st-key-start_page");
  place.append(element("h1", { class: "loupe-start-title" }, say("start.what_it_is")), node);
  const linked = /** @type {any} */ (address.get("scene"));
  const question = /** @type {import("../../subjects/start/browser/wire").WireStart} */ (
    model.question
  );
  const sources = question.readings.map(({ source }) => source);
  const run = once(() => {
    for (const { run, source } of question.readings)
      takeAnswer(loupe, run, answerTo(kept, source), kept);
  });
  const show = (moved) =>
    put(loupe, node, "start", start.start, { ...question, ...moved }, (_event, told) => {
      const { source, ...move } = told;
      address.put({ scene: move.scene });
      const at = sources.indexOf(source);
      if (at < 0 || source === sourceField().value) return;
      replaceWord(sourceField(), 0, sourceField().value.length, source);
      show({ ...move, current: at }); // as Python does in the app
    });
  const begin = once(() => {
    const scene = SCENES.includes(linked) ? linked : question.scene;
    show({ scene, current: Math.max(0, sources.indexOf(sourceField().value)) });
  });
  return ({ text }) => {
    if (sources.includes(text)) run();
    begin();
  };
}

/** @type {Page} */
function attentionPage(place, { loupe, model: { model } }) {
  const part = (className) => element("div", { class: className });
  const [reading, head, heads, told, numbers] = [
    "site-reading",
    "site-card st-key-card_head",
    "site-card st-key-card_heads",
    "site-card st-key-card_cell",
    "site-card",
  ].map(part);
  const ahead = element("span", { hidden: true }); // receives news before the pictures that depend on it
  const more = element(
    "details",
    { class: "site-numbers" },
    element("summary", {}, say("attention.numbers")),
    numbers,
  );
  const explorer = element(
    "div",
    { hidden: true }, // until it has content
    ahead,
    reading,
    element("div", { class: "site-explorer" }, head, element("div", {}, told), heads, more),
  );
  place.append(element("h1", {}, say("attention.question")), explorer);
  return once(() => {
    explorer.hidden = false;
    if (model.in_parts) put(loupe, ahead, "opened", opening.opened, { model });
    put(loupe, reading, "reading", words.reading, UNCHANGED);
    put(loupe, head, "head", oneHead.head, {});
    put(loupe, heads, "heads", allHeads.heads, UNCHANGED);
    put(loupe, told, "cell_words", story.cell_words, {});
    put(loupe, numbers, "cell", steps.cell, {});
    putFormulas(numbers);
  });
}

/** Show only the picture that a question is about, or a curtain if every picture would give the answer away.
 * @param {Loupe} loupe
 * @param {HTMLElement} place
 * @param {string | null} surface
 */
export function showAsked(loupe, place, surface) {
  const node = element("div", { class: "st-key-asked" });
  place.append(node);
  if (surface === "head") return put(loupe, node, "heads", allHeads.heads, UNCHANGED);
  if (surface !== "chip") return put(loupe, node, "head", oneHead.head, {});
  const said = element("p", {}, say("lesson.covered"));
  node.append(element("div", { class: "lesson-curtain" }, said));
  return () => {};
}

/** @type {Page} */
function touchPage(place, { loupe, address, kept, model: { words } }) {
  const noun = words.names.indexOf("noun");
  const nouns = words.words.filter((_, at) => words.parts[at] === noun);
  const board = element("div", {});
  place.append(element("h1", {}, say("touch.question")), board);
  return beginTouch(loupe, board, kept, nouns, address.get("kind") !== null);
}

/** @type {Page} */
function decodingPage(place, { loupe, kept, model }) {
  const player = element("div", { class: "site-card st-key-card_decoding_player" });
  const isTranslated = hasEncoder(kept.model.config);
  const question = isTranslated ? say("decoding.question") : say("decoding.question_prompt");
  place.append(element("h1", {}, question), player);
  return beginDecoding(loupe, player, kept, model.model);
}

// Return a function that draws a page once; its pictures then follow changes themselves.
function once(draw) {
  let isDrawn = false;
  return () => {
    if (!isDrawn) draw();
    isDrawn = true;
  };
}

/** The pages by their paths.
 * @type {Record<string, Page>}
 */
export const PAGES = {
  "": startPage,
  attention: attentionPage,
  map: (place, site) => mapPage(place, site, put),
  touch: touchPage,
  masks: (place, site) => masksPage(place, site, put),
  decoding: decodingPage,
  positions: (place, site) => positionsPage(place, site, put),
  embeddings: (place, site) => embeddingsPage(place, site, put),
};
