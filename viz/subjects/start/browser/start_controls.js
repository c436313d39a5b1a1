// The part below the sentence of Start: the question and its answers, the text of a stage, and the buttons.

import { choice, element, pushButton } from "../../../pictures/browser/elements.js";
import { term } from "../../../pictures/browser/glossary.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { SCENES } from "./start_motion.js";
import { nextWords, plain, questionOf, stageOf, summaryOf } from "./start_words.js";

/** Return the parts of a text as nodes, words of the sentence in their colour.
 * @param {import("./start_words.js").Part[]} parts
 */
function rich(parts) {
  return parts.map((part) => {
    if (typeof part === "string") return document.createTextNode(part);
    if (part.lesson) return element("a", { href: lessonLink(part.lesson) }, part.token);
    if (!part.role) return term(part.term, part.token);
    const shown = part.term ? term(part.term, part.token) : element("bdi", {}, part.token);
    return element("em", { class: `loupe-start-${part.role}` }, shown);
  });
}

function lessonLink(name) {
  const language = new URLSearchParams(location.search).get("lang");
  const query = new URLSearchParams({
    lesson: name,
    part: "1",
    ...(language && { lang: language }),
  });
  return `${location.pathname.replace(/\/$/, "")}/learn?${query}`;
}

/** @param {import("./start.js").Events} events */
export function createControls(events) {
  const said = element("div", { class: "loupe-start-said", "aria-live": "polite" });
  const more = element("div", { class: "loupe-start-more" });
  const ways = element("div", { class: "loupe-start-ways", "data-unsaved": "" });
  const stages = element("nav", {
    class: "loupe-start-stages",
    "data-unsaved": "",
    "aria-label": say("start.stages"),
  });
  const node = element("div", { class: "loupe-start-controls" }, said, more, ways, stages);
  let spoken = "";
  let shown = ""; // what is shown now: unchanged buttons are not rebuilt, because a click may be under way

  /** @param {import("./start_words.js").Asked & {playing: boolean, typed: boolean}} asked */
  const show = (asked) => {
    const { scene, guess, playing, reading } = asked;
    said.ariaLive = asked.typed ? "off" : "polite"; // not for each key typed
    const text = textOf(asked);
    const words = text.map((one) => one.textContent).join(" ");
    if (words !== spoken) said.replaceChildren(...text);
    spoken = words;
    const now = JSON.stringify([words, scene, guess, playing, reading.source, asked.current]);
    if (now === shown) return;
    shown = now;
    keepFocus(more, () => more.replaceChildren(...moreOf(asked, events)));
    keepFocus(ways, () => ways.replaceChildren(...waysOf(asked, events)));
    stages.replaceChildren(stageList(scene, events));
  };
  return { node, show };
}

// Keep the focus on the button that was pressed, even if it is rebuilt.
function keepFocus(host, draw) {
  const before = /** @type {HTMLElement | null} */ (host.querySelector(":focus"));
  const name = before?.dataset.name ?? before?.textContent;
  draw();
  if (!before) return;
  const buttons = /** @type {HTMLElement[]} */ ([...host.querySelectorAll("button, a")]);
  const same = buttons.find((one) => (one.dataset.name ?? one.textContent) === name);
  (same ?? buttons[0])?.focus({ preventScroll: true });
}

function textOf(asked) {
  const { text, formula } = stageOf(asked, asked.scene);
  const isFirst = asked.scene === "guess";
  const behind = asked.scene === "answer" ? "loupe-start-effect" : "loupe-start-formula";
  return [
    isFirst ? element("h2", { class: "loupe-start-question" }, ...rich(questionOf(asked))) : null,
    element("p", { class: isFirst ? "loupe-start-hint" : "loupe-start-text" }, ...rich(text)),
    formula.length ? element("p", { class: behind }, ...rich(formula)) : null,
    asked.scene === "answer" && asked.jobs
      ? element("p", { class: "loupe-start-jobs" }, asked.jobs)
      : null,
    element("p", { class: "loupe-start-unseen" }, summaryOf(asked, asked.scene)),
  ].filter(Boolean);
}

function moreOf(asked, events) {
  const parts = [];
  if (asked.scene === "guess" && asked.candidates.length) parts.push(answers(asked, events));
  const how = asked.scene === "answer" && events.howLink();
  if (how)
    parts.push(
      element(
        "p",
        { class: "loupe-start-how" },
        element("a", { href: how, "data-name": "how" }, say("start.how")),
      ),
    );
  if (asked.readings.length > 1 && ["guess", "answer"].includes(asked.scene))
    parts.push(readingSwitch(asked, events));
  if (asked.scene === "answer")
    parts.push(
      element(
        "p",
        { class: "loupe-start-honest" },
        `${say("start.honest")} `,
        element(
          "a",
          { href: events.checkLink(), onclick: events.check, "data-name": "check" },
          say("start.check"),
        ),
      ),
      element("p", { class: "loupe-start-honest" }, say("start.follow")),
    );
  return parts;
}

function answers({ candidates, reading, guess, readings }, { guessed }) {
  const buttons = candidates.map((at) =>
    pushButton(
      {
        class: "loupe-start-choice",
        "aria-pressed": String(at === guess),
        onclick: () => guessed(at),
      },
      element("bdi", {}, reading.tokens[at]),
    ),
  );
  const { label: says } = reading;
  const label =
    readings.length > 1 ? say("start.answers_of", { label: says }) : say("start.answers");
  return element(
    "div",
    { class: "loupe-start-answers", role: "group", "aria-label": label },
    ...buttons,
  );
}

function readingSwitch({ readings, reading, scene }, { read }) {
  const options = /** @type {[string, string][]} */ (
    readings.map((one) => [one.source, one.label])
  );
  const isAnswer = scene === "answer";
  const label = isAnswer ? say("start.switch") : say("start.switch_label");
  return element(
    "div",
    { class: "loupe-start-switch", "data-unsaved": "" },
    element("span", {}, isAnswer ? say("start.switch") : say("start.switch_says")),
    choice(label, options, reading.source, read),
  );
}

function waysOf({ scene, guess, playing, candidates }, { step, play, still, drag, ownSentence }) {
  const isFirst = scene === "guess";
  const back = pushButton(
    { class: "loupe-start-back", "data-name": "back", onclick: () => step(-1) },
    element("span", {}, say("start.back")),
  );
  const next = pushButton(
    {
      class: isFirst && guess < 0 && candidates.length ? "loupe-start-quiet" : "loupe-start-next",
      "data-name": "next",
      onclick: () => (scene === "answer" ? drag() : step(1)),
    },
    nextWords(scene, guess >= 0),
  );
  const player = pushButton(
    {
      class: playing ? "loupe-start-play loupe-start-playing" : "loupe-start-play",
      "data-name": "play",
      onclick: play,
    },
    element("span", {}, playing ? say("start.pause") : say("start.play")),
  );
  const isPlayed = !isFirst && scene !== "answer" && !still();
  const own = pushButton({ "data-name": "own", onclick: ownSentence }, say("start.own"));
  const isLast = scene === "answer";
  return [isFirst ? null : back, next, isPlayed ? player : null, isLast ? own : null].filter(
    Boolean,
  );
}

function stageList(scene, { go, sceneLink }) {
  const at = SCENES.indexOf(scene);
  const items = SCENES.map((name, place) =>
    element(
      "li",
      { class: place < at ? "loupe-start-past" : "" },
      element(
        "a",
        {
          href: sceneLink(name),
          "aria-current": name === scene ? "step" : null,
          onclick: (event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            go(name);
          },
        },
        sayOf("start.stage", name),
      ),
    ),
  );
  return element("ol", {}, ...items);
}

/** Return the text of a stage without its marks.
 * @param {import("./start_words.js").Asked} asked
 */
export function spokenOf(asked) {
  const { text, formula } = stageOf(asked, asked.scene);
  return `${plain(text)} ${plain(formula)}`;
}
