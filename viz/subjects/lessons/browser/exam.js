// The exam: ten rows, one after the other, a click each.

import { element } from "../../../pictures/browser/elements.js";
import { keepExam } from "../../../pictures/browser/results.js";
import { say } from "../../../pictures/browser/say.js";
import { createStrip } from "../../../pictures/browser/strip.js";
import { overParts, tagsOf, writtenLine } from "./exam_over.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function exam(_loupe, { host }) {
  const state = {
    data: null,
    at: 0,
    guesses: [],
    glosses: new Set(), // rows whose hint was asked for
    helped: new Set(), // rows that were answered after it
    act: (_what, _more) => {},
  };
  const draw = () => {
    const { data } = state;
    host.replaceChildren(
      element(
        "section",
        { class: "exam", lang: data.language },
        ...(data.scores ? overParts(state) : rowParts(state, draw)),
      ),
    );
  };
  /** @param {import("./wire").WireExam} data */
  return (data, trigger) => {
    const isOther = state.data?.seed !== data.seed;
    if (isOther)
      Object.assign(state, { at: 0, guesses: [], glosses: new Set(), helped: new Set() });
    if (data.scores && !state.data?.scores && state.guesses.length) remember(data);
    state.data = data;
    state.act = (what, more = {}) => trigger("act", { do: what, seed: data.seed, ...more });
    draw();
  };
}

function remember({ scores: [you, simple, model], rows, helped }) {
  keepExam({ you, simple, model, rows: rows.length, helped: helped.length });
}

const quiet = (text, onclick) =>
  element("button", { type: "button", class: "lesson-quiet", onclick }, text);

function rowParts(state, draw) {
  const { data, at, guesses, glosses, helped, act } = state;
  const { rows } = data;
  const row = rows[at];
  const how = say("exam.how");
  const strip = createStrip(row.options, {
    label: how,
    hasCells: true,
    choose(name) {
      guesses[at] = name;
      if (glosses.has(at)) helped.add(at);
      state.at = Math.min(at + 1, rows.length - 1);
      draw();
    },
  });
  strip.mark({ guess: guesses[at] === undefined ? [] : [guesses[at]], words: tagsOf() });
  const isWhole = rows.every((_, i) => guesses[i] !== undefined);
  const back = quiet(say("exam.back"), () => {
    state.at -= 1;
    draw();
  });
  const gloss = quiet(say("exam.ask_gloss"), () => {
    glosses.add(at);
    draw();
  });
  const done = () => act("done", { guesses, helped: [...helped] });
  const finish = element(
    "button",
    { type: "button", class: "lesson-onward", onclick: done },
    say("exam.finish"),
  );
  return [
    element("h1", { class: "loupe-question" }, say("exam.title")),
    element("p", { class: "lesson-how" }, how),
    dots(rows, guesses, at),
    element(
      "p",
      { class: "lesson-title", role: "status" },
      say("exam.place", { row: at + 1, rows: rows.length }),
    ),
    writtenLine(row),
    strip.node,
    glosses.has(at) ? element("p", { class: "lesson-how" }, say("exam.gloss", row)) : null,
    element(
      "div",
      { class: "lesson-ways" },
      isWhole ? finish : null,
      at ? back : null,
      row.gloss && !glosses.has(at) ? gloss : null,
      quiet(say("exam.leave"), () => act("leave")),
    ),
  ];
}

function dots(rows, guesses, at) {
  const style = (i) => (i === at ? "exam-here" : guesses[i] === undefined ? "" : "exam-given");
  const marks = rows.map((_, i) => element("i", { class: style(i) }));
  return element("p", { class: "exam-dots", "aria-hidden": "true" }, ...marks);
}

export const components = { exam };
