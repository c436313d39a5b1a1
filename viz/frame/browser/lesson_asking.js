// What stands around the choices while they wait: how to answer, the hints, and how sure one is.

import { element, pushButton } from "../../pictures/browser/elements.js";
import { say, sayOf } from "../../pictures/browser/say.js";

const LEVELS = ["guess", "think", "know"]; // how sure one is

/** The parts, and what brings them in line with the guess.
 * @param {import("./lesson_types").Panel} panel
 * @param {() => void} changed
 */
export function askingParts(panel, changed) {
  const { data } = panel;
  const number = data.surface === "number" ? numberField(panel, changed) : null;
  const said = element("p", { class: "lesson-said", role: "status" });
  const undo = quiet(say("lesson.undo"), () => {
    panel.guess = [];
    if (number) number.value = "";
    changed();
  });
  const commit = data.presenting ? revealButton(panel) : sureButtons(panel);
  const bar = element("div", { class: "lesson-commit" }, said, undo, commit);
  return {
    how: element("p", { class: "lesson-how" }, sayOf("lesson.how", data.surface)),
    below: [number, bar, hintParts(panel)].filter(Boolean),
    follow() {
      const isReady = isComplete(panel);
      said.textContent = isReady ? readyText(panel) : "";
      undo.hidden = !panel.guess.length;
      commit.hidden = !isReady;
      bar.classList.toggle("lesson-ready", isReady);
    },
  };
}

function isComplete({ data, guess }) {
  if (data.surface === "order") return guess.length === data.options.length;
  return guess.length > 0;
}

function readyText({ data, hands, guess: names }) {
  const text = (name) => data.options.find((option) => option.name === name)?.text ?? name;
  const guess = names.map(text).join(", ");
  return Object.keys(hands).length
    ? say("lesson.most", { guess })
    : say("lesson.guessed", { guess });
}

const quiet = (text, onclick) => pushButton({ class: "lesson-quiet", onclick }, text);

function send(panel, sure) {
  if (panel.isSent || !isComplete(panel)) return;
  panel.isSent = true;
  panel.act("answer", { guess: panel.guess.join(" "), sure });
}

function sureButtons(panel) {
  const sure = say("lesson.sure");
  const button = (level) =>
    pushButton(
      { class: "lesson-sure", onclick: () => send(panel, level) },
      sayOf("lesson.sure", level),
    );
  return element(
    "div",
    { class: "lesson-levels", role: "group", "aria-label": sure },
    element("span", { "aria-hidden": "true" }, sure),
    ...LEVELS.map(button),
  );
}

function revealButton(panel) {
  return pushButton({ class: "lesson-sure", onclick: () => send(panel, "") }, say("lesson.reveal"));
}

function numberField(panel, changed) {
  const field = element("input", {
    type: "number",
    step: "any",
    class: "lesson-number",
    "aria-label": say("lesson.number"),
    value: panel.guess[0] ?? "",
    oninput: () => {
      panel.guess = field.value.trim() ? [field.value.trim()] : [];
      changed();
    },
  });
  return field;
}

function hintParts({ data, act }) {
  const { hints, more, out } = data;
  const ask = quiet(hints.length ? say("lesson.another") : say("lesson.hint"), () => act("hint"));
  if (!hints.length && !more) return null;
  return element(
    "div",
    { class: "lesson-hints", role: "status" },
    ...hints.map((hint) => element("p", { dir: "auto" }, hint)),
    out.length ? element("p", { class: "lesson-how" }, say("lesson.halved")) : null,
    more ? ask : null,
  );
}
