// The words that a model knows, by part of speech, in a dialog that is made when it is opened.

import { element, pushButton } from "../../pictures/browser/elements.js";
import { say, sayOf } from "../../pictures/browser/say.js";
import { createBar, replaceWord, sourceField } from "./field.js";

const FIRST_SHOWN = 60;
const LONGEST_SOUGHT = 40;

/** Return the words of each part of speech that contain a text, those that begin with it first.
 * @param {import("../../pictures/browser/wire").WireVocabulary} sent
 * @param {string} sought
 * @returns {{name: string, words: string[]}[]}
 */
export function byPart({ words, parts, names }, sought) {
  const text = sought.slice(0, LONGEST_SOUGHT).trim().toLowerCase();
  const found = names.map((name) => ({ name, words: /** @type {string[]} */ ([]) }));
  words.forEach((word, i) => {
    if (word.includes(text)) found[parts[i]].words.push(word);
  });
  const order = (a, b) =>
    Number(b.startsWith(text)) - Number(a.startsWith(text)) || (a < b ? -1 : 1);
  for (const part of found) part.words.sort(order);
  return found.filter((part) => part.words.length);
}

function section({ name, words }, take) {
  const chip = (word) => element("li", {}, pushButton({ onclick: () => take(word) }, word));
  const list = element("ul", {}, ...words.slice(0, FIRST_SHOWN).map(chip));
  const rest = words.length - FIRST_SHOWN;
  const more = pushButton(
    {
      class: "loupe-words-more",
      onclick: () => {
        list.append(...words.slice(FIRST_SHOWN).map(chip));
        more.remove();
      },
    },
    say("typing.more", { count: rest }),
  );
  const count = element("small", {}, say("typing.count", { count: words.length }));
  return element(
    "section",
    {},
    element("h3", {}, `${sayOf("frame.part", name)} `, count),
    list,
    rest > 0 ? more : null,
  );
}

function open(sent, opener, host) {
  const results = element("div", { class: "loupe-words-found" });
  const take = (word) => {
    const input = sourceField();
    dialog.close();
    if (!input) return;
    input.focus();
    const text = input.value;
    const gap = text && !/\s$/.test(text) ? " " : "";
    replaceWord(input, text.length, text.length, gap + word);
  };
  const show = (sought) => {
    const found = byPart(sent, sought);
    const none = element("p", { class: "loupe-note" }, say("typing.none"));
    results.replaceChildren(...(found.length ? found.map((part) => section(part, take)) : [none]));
  };
  const search = element("input", {
    type: "search",
    placeholder: say("typing.search_short"),
    "aria-label": say("typing.search"),
    oninput: (event) => show(event.target.value),
  });
  const title = say("typing.title", { count: sent.words.length });
  const close = pushButton(
    { "aria-label": say("typing.close"), onclick: () => dialog.close() },
    "×",
  );
  const dialog = element(
    "dialog",
    {
      class: "loupe-words-dialog",
      role: "dialog",
      "aria-label": title,
      onclose: () => dialog.remove(),
    },
    element("header", {}, element("h2", {}, title), search, close),
    results,
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener(
    "close",
    () => opener.isConnected && !sourceField()?.matches(":focus") && opener.focus(),
  );
  show("");
  host.append(dialog); // inside the element that has the page's colours
  dialog.showModal();
  search.focus();
}

/** @type {import("../../pictures/browser/types").Setup} */
function words(loupe, { host }) {
  const bar = loupe.part(createBar);
  return (sent) => {
    bar.learn(sent);
    const button = pushButton(
      {
        class: "loupe-words-open",
        "aria-haspopup": "dialog",
        onclick: () => open(sent, button, host),
      },
      say("typing.open"),
    );
    host.replaceChildren(button);
  };
}

export const components = { words };
