// The parts around the options of an open question: how to answer, hints, and a button if a click is not yet an answer.

import { element, pushButton } from "../../pictures/browser/elements.js";
import { say, sayOf } from "../../pictures/browser/say.js";

/** Make the parts, and the function that adapts them to the guess.
 * @param {import("./lesson_types").Panel} panel
 * @param {() => void} changed
 */
export function askingParts(panel, changed) {
  const { data } = panel;
  const number = data.surface === "number" ? numberField(panel, changed) : null;
  const said = element("p", { class: "lesson-said", role: "status" });
  const commit = pushButton(
    { class: "lesson-sure", onclick: () => send(panel) },
    say("lesson.reveal"),
  );
  const bar = element("div", { class: "lesson-commit" }, said, commit);
  return {
    how: element("p", { class: "lesson-how" }, sayOf("lesson.how", data.surface)),
    below: [number, bar, hintParts(panel)].filter(Boolean),
    follow() {
      const isReady = isComplete(panel);
      said.textContent = isReady ? readyText(panel) : "";
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

/** Send the answer, if it is complete.
 * @param {import("./lesson_types").Panel} panel
 */
export function send(panel) {
  if (panel.isSent || !isComplete(panel)) return;
  panel.isSent = true;
  panel.act("answer", { guess: panel.guess.join(" ") });
}

function numberField(panel, changed) {
  const field = element("input", {
    type: "number",
    step: "any",
    class: "lesson-number",
    "aria-label": say("lesson.number"),
    value: panel.guess[0] ?? "",
    onkeydown: ({ key }) => key === "Enter" && send(panel),
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
