// The list of lessons with the results that this browser knows, the questions to review, and the results as text.

import { element } from "../../../pictures/browser/elements.js";
import { forgetResults, readResults, wronglyAnswered } from "../../../pictures/browser/results.js";
import { say, sayOf } from "../../../pictures/browser/say.js";

const OWN = "own-"; // prefix of the names of lessons that are kept for one session only

/** @type {import("../../../pictures/browser/types").Setup} */
function lessonList(_loupe, { host }) {
  /** @type {import("./wire").WireLessons} */
  let data;
  let open = (_place) => {};
  const draw = () => {
    const results = readResults();
    const { lessons } = data;
    const own = lessons.filter(({ id }) => id.startsWith(OWN));
    const more = lessons.filter((one) => !one.path && !own.includes(one));
    host.replaceChildren(
      element(
        "div",
        { class: "learn", lang: data.language },
        pathPart(data, results, open),
        listPart(say("learn.all"), more, data, results, open),
        listPart(say("learn.own"), own, data, results, open),
        againPart(data, results, open),
        resultsPart(data, results, draw),
      ),
    );
  };
  return (given, trigger) => {
    data = given;
    open = (place) => trigger("open", place);
    draw();
  };
}

const heading = (text) => element("h2", { class: "learn-heading" }, text);
const note = (text) => element("p", { class: "loupe-note" }, text);

function pathPart(data, results, open) {
  const { lessons } = data;
  return element(
    "section",
    { class: "learn-path" },
    heading(say("learn.path")),
    element(
      "ol",
      { class: "learn-list" },
      ...lessons.filter(({ path }) => path).map((one) => row(one, data, results, open)),
    ),
  );
}

function listPart(title, lessons, data, results, open) {
  if (!lessons.length) return null;
  const rows = lessons.map((one) => row(one, data, results, open));
  return element("section", {}, heading(title), element("ol", { class: "learn-list" }, ...rows));
}

// Return the progress in a lesson: how many of its questions are answered, and how many of these correctly.
function standOf({ id, asked }, { answers }) {
  const known = Object.hasOwn(answers, id) ? answers[id] : {};
  const given = asked.map((part) => known[part]).filter(Boolean);
  return {
    given: given.length,
    right: given.filter(({ right }) => right).length,
    helped: given.filter(({ helped }) => helped).length,
  };
}

function row(lesson, { current }, results, open) {
  const { given, right } = standOf(lesson, results);
  const isCurrent = current?.[0] === lesson.id;
  const isDone = given > 0 && given === lesson.asked.length;
  const minutes = say("learn.minutes", { minutes: lesson.minutes });
  const done = say("learn.done", { count: right, asked: lesson.asked.length });
  const how = isCurrent ? "go_on" : isDone ? "repeat" : "begin";
  const go = sayOf("learn.go", how);
  const part = isCurrent ? current[1] : 1;
  const begin = () => open({ lesson: lesson.id, part, whole: how === "repeat" });
  return element(
    "li",
    { class: isDone ? "learn-done" : "" },
    marksOf(lesson, results),
    element(
      "div",
      { class: "learn-said" },
      element("h3", { dir: "auto" }, lesson.title),
      element("p", { dir: "auto" }, lesson.goal),
      element("small", {}, given ? `${minutes} · ${done}` : minutes),
    ),
    element(
      "button",
      {
        type: "button",
        "aria-label": say("learn.go_to", { go, title: lesson.title }),
        onclick: begin,
      },
      go,
    ),
  );
}

// Create a dot for each question: open, correct at the first try, or not.
function marksOf({ id, asked }, { answers }) {
  const known = Object.hasOwn(answers, id) ? answers[id] : {};
  const dot = (part) => {
    const answer = known[part];
    const state = answer ? (answer.right && !answer.helped ? "learn-right" : "learn-tried") : "";
    return element("i", { class: state });
  };
  return element("span", { class: "learn-dots", "aria-hidden": "true" }, ...asked.map(dot));
}

function againPart({ lessons }, results, open) {
  const found = wronglyAnswered(results).flatMap(([id, part]) => {
    const lesson = lessons.find((one) => one.id === id);
    return lesson ? [{ lesson, part }] : [];
  });
  if (!found.length) return null;
  const link = ({ lesson, part }) =>
    element(
      "li",
      {},
      element(
        "button",
        {
          type: "button",
          class: "lesson-quiet",
          onclick: () => open({ lesson: lesson.id, part, again: true }),
        },
        say("learn.again_one", { title: lesson.title, part }),
      ),
    );
  return element(
    "section",
    {},
    heading(say("learn.again")),
    element("ul", { class: "learn-again" }, ...found.map(link)),
  );
}

/** Return what was answered as text: a line for each lesson that was begun.
 * @param {import("./wire").WireLessons} data
 * @param {import("../../../pictures/browser/results.js").Results} results
 */
export function resultLines({ lessons }, results) {
  return lessons.flatMap((lesson) => {
    const { given, right, helped } = standOf(lesson, results);
    const values = { title: lesson.title, right, helped, asked: lesson.asked.length };
    if (!given) return [];
    return [helped ? say("learn.line_helped", values) : say("learn.line", values)];
  });
}

function resultsPart(data, results, draw) {
  const lines = resultLines(data, results);
  const said = element("span", { role: "status" });
  const copy = async () => {
    await navigator.clipboard?.writeText(lines.join("\n"));
    said.textContent = say("learn.copied");
  };
  const forget = () => {
    forgetResults();
    draw();
  };
  const button = (text, onclick) =>
    element("button", { type: "button", class: "lesson-quiet", onclick }, text);
  if (!lines.length) return null;
  return element(
    "section",
    {},
    heading(say("learn.results")),
    element("ul", { class: "learn-results" }, ...lines.map((line) => element("li", {}, line))),
    note(say("learn.kept")),
    element(
      "div",
      { class: "learn-tools" },
      button(say("learn.copy"), copy),
      button(say("learn.forget"), forget),
      said,
    ),
  );
}

export const components = { lesson_list: lessonList };
