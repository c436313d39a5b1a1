// The panel of a lesson: a question and its options and, after an answer, the guess, the true answer and the reason.

import { cellOf, createAsked } from "../../pictures/browser/asked.js";
import { element, pushButton } from "../../pictures/browser/elements.js";
import { keepAnswer } from "../../pictures/browser/results.js";
import { say, sayOf } from "../../pictures/browser/say.js";
import { createStrip } from "../../pictures/browser/strip.js";
import { askingParts, send } from "./lesson_asking.js";
import { verdictParts } from "./lesson_verdict.js";

const OWN = "own-"; // prefix of the names of lessons that are kept for one session only

/** @type {import("../../pictures/browser/types").Setup} */
function lesson(loupe, { host, signal }) {
  /** @type {import("./lesson_types").Panel} */
  const panel = { data: null, guess: [], hands: {}, isSent: false, act: () => {} };
  let drawn = null; // the strip and the parts that depend on the guess
  const mark = () => {
    drawn?.follow();
    loupe.asked = askedOf(panel, choose);
    loupe.tell("asked");
  };
  // One click answers. An arrow key only moves the guess, and with an audience the hands are counted first.
  const choose = (name, isMove = false) => {
    if (!isOpen(panel.data) || panel.isSent || panel.data.out.includes(name)) return;
    panel.guess = chosenAfter(panel, name);
    mark();
    if (!isMove && !panel.data.presenting) send(panel);
  };
  const covered = () => (panel.data?.hides ? say("lesson.unsaved") : null);
  signal.addEventListener("abort", () => {
    // Only if no other panel has replaced this one.
    if (loupe.saving.covered === covered) loupe.saving.covered = () => null;
    loupe.asked = null;
    document.documentElement.classList.remove("loupe-lesson-asks", "loupe-lesson-told");
    delete document.documentElement.dataset.lessonOpens;
    loupe.tell("asked");
  });
  /** @param {import("../../pictures/browser/wire").WireLesson} data */
  return (data, trigger) => {
    if (!panel.data || !isSameStep(panel.data, data))
      Object.assign(panel, { guess: [], hands: {} });
    panel.data = data;
    panel.isSent = false;
    loupe.saving.covered = covered;
    panel.act = (what, more = {}) =>
      trigger("act", { do: what, lesson: data.lesson, part: data.part, ...more });
    if (data.verdict) panel.guess = guessesOf(data, data.verdict.guess);
    const root = document.documentElement;
    root.classList.toggle("loupe-lesson-asks", data.hides);
    root.classList.toggle("loupe-lesson-told", data.told);
    if (data.opens) root.dataset.lessonOpens = data.opens;
    else delete root.dataset.lessonOpens;
    drawn = draw(host, panel, choose, mark);
    remember(data);
    mark();
  };
}

const isAlone = ({ hides, small }) => hides || small; // the page below it has no question of its own
const isOpen = (data) => Boolean(data?.surface) && !data.verdict;
const isSameStep = (one, other) => one.lesson === other.lesson && one.part === other.part;
const guessesOf = ({ surface }, name) => (surface === "order" ? name.split(" ") : [name]);

// In an order, a click adds an option or removes it; otherwise it selects the one answer.
function chosenAfter({ data, guess }, name) {
  if (data.surface !== "order") return [name];
  return guess.includes(name) ? guess.filter((other) => other !== name) : [...guess, name];
}

function askedOf({ data, guess }, choose) {
  // A person who looks around sees other names for the rows, so a question about rows has no place there.
  if (!data.surface || (data.surface === "row" && !data.small)) return null;
  const truth = data.verdict ? cellOf(data.surface, data.verdict.truth) : null;
  const names = new Set(data.options.map(({ name }) => name));
  return createAsked(data, { guess, truth, isOpen: isOpen(data) && data.there }, (name, isMove) => {
    if (names.has(name)) choose(name, isMove);
  });
}

function remember({ lesson: name, part, verdict, presenting }) {
  if (!verdict || presenting || name.startsWith(OWN)) return;
  const { guess, right, helped } = verdict;
  keepAnswer(name, part, { guess, right, helped });
}

function draw(host, panel, choose, changed) {
  const { data } = panel;
  const { verdict } = data;
  const strip = stripOf(panel, choose, changed);
  const asking = isOpen(data) ? askingParts(panel, changed) : null;
  const truth = verdict ? guessesOf(data, verdict.truth) : null;
  host.replaceChildren(
    element(
      "section",
      {
        class: verdict ? "lesson-card lesson-answered" : "lesson-card",
        "aria-label": say("lesson.card", { title: data.title }),
        lang: data.language,
      },
      topOf(panel),
      element(
        "div",
        { class: "lesson-asked" },
        givenOf(data),
        element(isAlone(data) ? "h1" : "h2", { class: "lesson-prompt", dir: "auto" }, data.prompt),
        asking?.how ?? null,
        strip?.node ?? null,
      ),
      element("div", { class: "lesson-told" }, ...(asking ? asking.below : verdictParts(panel))),
    ),
  );
  return {
    follow() {
      const words = { you: say("lesson.you"), truth: say("lesson.truth") };
      strip?.mark({ guess: panel.guess, out: data.out, truth, words });
      asking?.follow();
    },
  };
}

// If the page's small pictures are the options, or a number is typed, there is no strip.
function stripOf(panel, choose, changed) {
  const { data } = panel;
  if (!data.surface || data.surface === "number") return null;
  if (data.surface === "head" && data.there && !data.presenting) return null;
  return createStrip(data.options, {
    label: sayOf("lesson.how", data.surface),
    hasCells: data.surface === "key",
    choose,
    beside: data.presenting ? (option) => handsField(panel, option, changed) : undefined,
  });
}

// Make the field for the number of people with an answer. The most frequent answer becomes the guess.
function handsField(panel, option, changed) {
  const { data, hands } = panel;
  const field = element("input", {
    type: "number",
    class: "lesson-hands",
    min: 0,
    max: 999,
    inputmode: "numeric",
    value: hands[option.name] ?? "",
    placeholder: "0",
    "aria-label": say("lesson.count", { option: option.text }),
    oninput: () => {
      hands[option.name] = Math.max(0, Math.min(999, Number(field.value) || 0));
      const most = Math.max(...Object.values(hands));
      const [first] = Object.keys(hands).filter((name) => hands[name] === most);
      if (!data.verdict && data.surface !== "order") panel.guess = most ? [first] : [];
      changed();
    },
  });
  return field;
}

function topOf({ data, act }) {
  const place = say("lesson.place", { part: data.part, parts: data.parts });
  const away = pushButton(
    { class: "lesson-quiet", onclick: () => act("back") },
    say("lesson.back"),
  );
  return element(
    "header",
    { class: "lesson-top" },
    element("p", { class: "lesson-title" }, element("strong", {}, data.title), ` · ${place}`),
    data.there ? null : away,
    pushButton({ class: "lesson-quiet", onclick: () => act("leave") }, say("lesson.leave")),
  );
}

// Return the sentence, if it is not an option itself, and the text written before the word in question.
function givenOf({ source, written, following }) {
  if (!source.length && !written) return null;
  /** @type {HTMLElement[]} */
  const parts = source.length
    ? [element("q", { dir: "auto" }, source.join(" ").replace(/ (?=[.,?!])/g, ""))]
    : [];
  if (written)
    parts.push(
      element(
        "span",
        { dir: "auto" },
        `${say("lesson.written")} `,
        element("b", {}, written),
        " ",
        following ? element("span", { class: "lesson-gap" }, following) : null,
      ),
    );
  return element("p", { class: "lesson-given" }, ...parts);
}

export const components = { lesson };
