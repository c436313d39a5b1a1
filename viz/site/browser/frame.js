// The frame around the pages of the site: navigation, the sentence, and how to get the app.

import { replaceWord } from "../../frame/browser/field.js";
import { element, pushButton } from "../../pictures/browser/elements.js";
import { language, say, sayOf } from "../../pictures/browser/say.js";
import { LESSONS } from "./lesson.js";
import { PAGES } from "./pages.js";

/** @typedef {import("../../pictures/browser/wire").WireSite} WireSite */
/** @typedef {import("../../pictures/browser/wire").WireSiteModel} WireSiteModel */
/** @typedef {ReturnType<typeof import("./address.js").createAddress>} Address */

/** The maximum length of a sentence, because a longer one takes more than a few frames. */
export const LONGEST = 300;
const EXAMPLES = 3;

/** Draw the frame and return its parts that are filled later.
 * @param {HTMLElement} body
 * @param {WireSite} sent
 * @param {WireSiteModel} model
 * @param {Address} address
 */
export function drawFrame(body, sent, model, address) {
  const main = element("main", {});
  const bar = barOf(model);
  const footer = element(
    "footer",
    {},
    element("p", {}, say("site.more")),
    element("code", {}, "python3 start.py"),
    sent.home ? element("a", { class: "site-home", href: sent.home }, say("site.home")) : null,
  );
  body.append(headerOf(sent, model, address), main, footer);
  if (address.page in PAGES) main.before(bar.node);
  return { main, footer, help: bar.help, note: bar.note };
}

function headerOf(sent, model, address) {
  const isShown = (path) => model.pages.includes(path);
  const link = (path) =>
    element(
      "a",
      {
        href: address.link(path),
        "data-page": path,
        "aria-current": path === address.page ? "page" : null,
      },
      sayOf("page", path || "start"),
    );
  const choice = (name, label, options, value) =>
    options.length < 2
      ? null
      : choiceOf(label, options, value, (to) => address.reload({ [name]: to }));
  const models = sent.models.map(({ name, titles }) => [name, titles[language()]]);
  const languages = sent.languages.map((each) => [each, sayOf("site.in", each)]);
  return element(
    "header",
    {},
    element("a", { class: "site-name", href: address.link(""), "data-page": "" }, "Loupe"),
    element(
      "nav",
      {},
      sent.lecture
        ? element("a", { href: address.link("", { slide: 1 }) }, sayOf("page", "lecture"))
        : null,
      ...[
        ...Object.keys(PAGES).filter(isShown),
        ...(sent.lessons[language()].length ? [LESSONS] : []),
      ].map(link),
    ),
    choice("checkpoint", say("site.model"), models, model.name),
    choice("lang", say("site.language"), languages, language()),
  );
}

function choiceOf(label, options, value, choose) {
  return element(
    "select",
    { "aria-label": label, onchange: ({ target }) => choose(target.value) },
    ...options.map(([key, words]) =>
      element("option", { value: key, selected: key === value }, words),
    ),
  );
}

// Make the bar with the sentence, the place for what is written, and some examples.
function barOf(model) {
  const help = element("div", { class: "st-key-field_help" });
  const note = element("p", { class: "site-note", role: "status" });
  const label = say("site.sentence");
  const input = element("input", {
    type: "text",
    "aria-label": label,
    maxlength: LONGEST,
    spellcheck: "false",
  });
  const example = (text) =>
    pushButton(
      { class: "site-example", onclick: () => replaceWord(input, 0, input.value.length, text) },
      text,
    );
  const node = element(
    "section",
    { class: "st-key-sentence_bar site-bar", "aria-label": label },
    element("div", { class: "st-key-bar_in st-key-source" }, input, help),
    element("div", { class: "st-key-bar_out" }),
    note,
    element("div", { class: "site-examples" }, ...model.examples.slice(0, EXAMPLES).map(example)),
  );
  return { node, help, note };
}
