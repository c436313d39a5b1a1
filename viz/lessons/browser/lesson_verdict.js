// The parts after an answer: the guess and the true answer in one sentence, the reason, and the buttons to continue.

import { element, pushButton } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";

/** @param {import("./lesson_types").Panel} panel */
export function verdictParts({ data, act }) {
  const { verdict } = data;
  const said = verdict ? saidOf(verdict) : null;
  const button = (text, name, style) =>
    pushButton({ class: style, onclick: () => act(name) }, text);
  return [
    said,
    element(
      "div",
      { class: "lesson-ways" },
      button(onwardText(data), "onward", "lesson-onward"),
      data.small || data.told ? button(say("lesson.look"), "look", "lesson-quiet") : null,
      verdict ? button(say("lesson.again"), "again", "lesson-quiet") : null,
    ),
  ].filter(Boolean);
}

function onwardText({ last, next }) {
  if (!last) return say("lesson.onward");
  return next ? say("lesson.next", { title: next }) : say("lesson.finish");
}

function saidOf({ right, sentence, wrong, why, helped }) {
  const part = (text, style) => (text ? element("p", { class: style, dir: "auto" }, text) : null);
  const mark = element("b", {}, right ? say("lesson.right") : say("lesson.not_right"));
  return element(
    "div",
    { class: `lesson-verdict ${right ? "lesson-right" : "lesson-wrong"}`, role: "status" },
    element("p", { class: "lesson-sentence", dir: "auto" }, mark, " ", sentence),
    part(right ? "" : wrong, "lesson-misled"),
    part(why, "lesson-why"),
    helped ? part(say("lesson.helped"), "lesson-how") : null,
  );
}
