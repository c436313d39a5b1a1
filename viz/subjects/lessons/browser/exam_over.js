// After the last row of the exam: how many were right, and every row with what is so.

import { element } from "../../../pictures/browser/elements.js";
import { readResults } from "../../../pictures/browser/results.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { createStrip } from "../../../pictures/browser/strip.js";

/** What is said at the guess and at the truth. */
export const tagsOf = () => ({ you: say("exam.you"), truth: say("exam.truth") });

/** What was written before the asked word; nothing may be.
 * @param {import("./wire").WireExamRow} row
 */
export function writtenLine({ written, following }) {
  return element(
    "p",
    { class: "lesson-given" },
    `${written ? say("exam.written") : say("exam.first_word")} `,
    written ? element("b", { dir: "auto" }, written) : null,
    element("span", { class: "lesson-gap", "aria-hidden": following === "…" }, following),
  );
}

/** What an exam comes to, in a name: an answer after a hint does not help to pass.
 * @param {Pick<import("./wire").WireExam, "guesses" | "helped" | "rows" | "enough">} data
 * @param {boolean} isAfter whether any question of a lesson was answered before
 */
export function outcomeOf({ guesses, helped, rows, enough }, isAfter) {
  const alone = rows.filter(({ truth }, i) => guesses[i] === truth && !helped.includes(i));
  return `${alone.length >= enough ? "passed" : "failed"}_${isAfter ? "after" : "before"}`;
}

export function overParts({ data, act }) {
  const { rows, scores, helped } = data;
  const [you, simple, model] = scores;
  const { answers, exams } = readResults();
  const outcome = outcomeOf(data, Object.keys(answers).length > 0);
  const of = (right) => ({ right, rows: rows.length });
  const onward = element(
    "button",
    { type: "button", class: "lesson-onward", onclick: () => act("leave") },
    say("exam.to_list"),
  );
  const again = element(
    "button",
    { type: "button", class: "lesson-quiet", onclick: () => act("again") },
    say("exam.once_more"),
  );
  return [
    element("h1", { class: "loupe-question" }, sayOf("exam.over", outcome)),
    element(
      "ul",
      { class: "exam-scores" },
      element("li", { class: "exam-you" }, say("exam.you_line", of(you))),
      element("li", {}, say("exam.simple_line", of(simple))),
      element("li", {}, say("exam.model_line", of(model))),
    ),
    helped.length
      ? element("p", { class: "lesson-how" }, say("exam.helped_line", { count: helped.length }))
      : null,
    element("p", { class: "loupe-answer" }, comparedText(exams, rows.length, outcome)),
    element("div", { class: "lesson-ways" }, onward, again),
    ...rows.map((row, i) => overRow(row, i, data)),
  ];
}

// What was kept last is this exam.
function comparedText(exams, rows, outcome) {
  const [before, now] = exams.slice(-2);
  if (now) return say("exam.compared", { before: before.you, now: now.you, rows });
  return outcome.endsWith("_before") ? say("exam.first_time") : "";
}

// A miss is explained by what the asked word means; a "not" that is read for "ne" likewise.
function whyOf({ following, gloss }) {
  return element("p", { class: "lesson-how" }, say("exam.why", { word: following, gloss }));
}

function overRow(row, i, { guesses, helped }) {
  const number = { row: i + 1 };
  const strip = createStrip(row.options, {
    label: say("exam.row", number),
    hasCells: true,
    choose: () => {},
  });
  strip.mark({ guess: [guesses[i]], truth: [row.truth], words: tagsOf() });
  const link = { href: row.link, target: "_blank", rel: "noopener" };
  const isRight = guesses[i] === row.truth;
  return element(
    "article",
    { class: `exam-row ${isRight ? "lesson-right" : "lesson-wrong"}` },
    writtenLine(row),
    strip.node,
    isRight ? null : whyOf(row),
    helped.includes(i) ? element("p", { class: "lesson-how" }, say("exam.helped")) : null,
    element("a", { ...link, "aria-label": say("exam.look_at", number) }, say("exam.look")),
  );
}
