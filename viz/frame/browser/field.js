// Help with typing a sentence: known words that complete the one at the caret, a line under words that the model does
// not know, and the result of the browser's own model. Python is told only after Enter or a pause.

import { createTyped } from "../../pictures/browser/live/typed.js";
import { createList, LIST_ID, leftOf } from "./completions.js";
import { createMarks, marksOf } from "./field_marks.js";
import { createTypedSentence } from "./typed_sentence.js";
import { createVocabulary, wordAt } from "./vocabulary.js";

const FIELD = ".st-key-source input";
const MOST_OFFERED = 7;
const SHORTEST_BEGUN = 2;
/** The vocabulary of a model that reads parts of words. */
const NO_WORDS = { words: [], parts: [], names: [], whole: false, carries: false };

/** Keep the data that the parts of the bar share: the words of the current model, and what Python found in the text.
 * @param {import("../../pictures/browser/types").Loupe} loupe
 */
export function createBar(loupe) {
  const bar = { vocabulary: null, judged: null, changed: () => {} };
  return Object.assign(bar, {
    /** @param {import("../../pictures/browser/wire").WireVocabulary} sent */
    learn(sent) {
      bar.vocabulary = createVocabulary(sent);
      loupe.part(createTyped).partOf = bar.vocabulary.partOf;
      bar.changed();
    },
  });
}

/** Return the field of the source, which Streamlit draws.
 * @returns {HTMLInputElement | null}
 */
export const sourceField = () => document.querySelector(FIELD);

/** Replace a part of the field's text by a word, as if it were typed.
 * @param {HTMLInputElement} input
 * @param {number} start
 * @param {number} end
 * @param {string} word
 */
export function replaceWord(input, start, end, word) {
  const text = input.value.slice(0, start) + word + input.value.slice(end);
  // React overrides the value of the field, and only notices a value that is set with the original setter.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, text);
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  input.setSelectionRange(start + word.length, start + word.length);
}

/** Adapt the case of a word to its typed beginning: "Th" is completed to "The". */
export function inCaseOf(begun, word) {
  const first = begun[0];
  return first !== first.toLowerCase() ? word[0].toUpperCase() + word.slice(1) : word;
}

/** @type {import("../../pictures/browser/types").Setup} */
function typing(loupe, { host, signal, listen: hear }) {
  const bar = loupe.part(createBar);
  const list = createList(host);
  const mark = createMarks(host);
  let isTyping = false;
  const value = new MutationObserver(() => follow()); // because Streamlit sets another text without an event

  const draw = () => {
    const input = sourceField();
    if (!input) return;
    value.observe(input, { attributeFilter: ["value"] });
    describe(input, Boolean(bar.vocabulary?.words.length));
    const isJudged = bar.judged?.text === input.value;
    const caret = isTyping ? input.selectionStart : -1;
    const words = isJudged
      ? marksOf(bar.judged)
      : (bar.vocabulary?.unknownIn(input.value, caret) ?? []);
    mark(input, words, bar.vocabulary?.carries ? "new" : "unknown");
  };
  const follow = () => {
    draw();
    const input = sourceField();
    if (input) loupe.part(createTyped).hold(input.value);
  };
  const { offer, take } = createOffers(bar, list, host, draw);
  const type = (input) => {
    const begun = wordAt(input.value, input.selectionStart);
    const { vocabulary } = bar;
    const isRead = vocabulary?.words.length === 0 || vocabulary?.isKnown(begun?.text ?? ""); // without a list, all are
    const isWord = !begun || begun.end < input.value.length || isRead;
    loupe.part(createTyped).type(input.value, isWord ? "" : begun.text, () => {
      if (!list.chosen()) enter(input);
    });
    drawSentence();
  };
  const drawSentence = createTypedSentence(loupe, signal);
  hear((what) => what !== "hover" && drawSentence());
  const { prepare } = loupe.part(createTyped);
  const note = (is) => (isTyping = is);
  listen(loupe.root, signal, { draw, offer, take, list, type, note, prepare });
  const size = new ResizeObserver(draw);
  size.observe(host);
  signal.addEventListener("abort", () => {
    size.disconnect();
    value.disconnect();
  });
  bar.changed = draw;
  return (data) => {
    if (data.pieces && bar.vocabulary?.words.length !== 0) bar.learn(NO_WORDS);
    bar.judged = data;
    follow();
  };
}

// Make the offers: the list of words that complete the one at the caret, and the function that takes one.
function createOffers(bar, list, host, draw) {
  const take = (word) => {
    const input = sourceField();
    const begun = wordAt(input.value, input.selectionStart);
    if (begun) replaceWord(input, begun.start, begun.end, inCaseOf(begun.text, word));
    list.close(input);
    draw();
  };
  const offer = (input) => {
    const begun = wordAt(input.value, input.selectionStart);
    const found =
      begun && begun.text.length >= SHORTEST_BEGUN
        ? (bar.vocabulary?.completions(begun.text, MOST_OFFERED) ?? [])
        : [];
    if (!found.length) return list.close(input);
    list.open(input, found, begun.text, take);
    const box = [input, host].map((node) => node.getBoundingClientRect());
    const left = box[0].left - box[1].left + leftOf(input, begun.start);
    list.list.style.left = `${Math.min(left, box[0].right - box[1].left - 140)}px`;
    list.list.style.top = `${box[0].bottom - box[1].top}px`;
  };
  return { offer, take };
}

// Tell screen readers that the field offers words.
function describe(input, completes) {
  if (!completes || input.getAttribute("role") === "combobox") return;
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": LIST_ID,
    autocapitalize: "off",
    spellcheck: "false",
  }))
    input.setAttribute(name, value);
}

// Make Streamlit take the text in the field, as Enter does.
function enter(input) {
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}

function listen(root, signal, { draw, offer, take, list, type, note, prepare }) {
  const on = (name, act) =>
    root.addEventListener(
      name,
      (event) => {
        if (event.target instanceof HTMLInputElement && event.target.matches(FIELD)) act(event);
      },
      { signal, capture: true },
    );
  on("input", ({ target, isTrusted }) => {
    note(true);
    type(target); // first, so that the model runs while the page is laid out
    if (isTrusted) offer(target);
    draw();
  });
  on("focusin", prepare);
  on("scroll", draw);
  on("focusout", ({ target }) => {
    note(false);
    list.close(target);
    draw();
  });
  on("pointerup", ({ target }) => list.close(target));
  on("keydown", (event) => {
    if (pressed(event, list, take)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === "Enter") {
      note(false);
      list.close(event.target);
      draw();
    } else if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") {
      list.close(event.target);
    }
  });
}

// Apply a key to the open list; return false if the key is for the field.
function pressed(event, list, take) {
  if (!list.isOpen() || event.isComposing) return false;
  const { key, target } = event;
  if (key === "ArrowDown" || key === "ArrowUp") list.move(target, key === "ArrowDown" ? 1 : -1);
  else if (key === "Escape") list.close(target);
  else if (key === "Tab" && !event.shiftKey) take(list.chosen() ?? list.first());
  else if (key === "Enter" && list.chosen()) take(list.chosen());
  else return false;
  return true;
}

export const components = { typing };
