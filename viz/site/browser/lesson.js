// A lesson on the site: a step beside its page, with question and answer as in the app. Hidden values are removed from
// the run and its tensors before any picture draws them.

import { replaceWord, sourceField } from "../../frame/browser/field.js";
import { components as panel } from "../../lessons/browser/lesson.js";
import { cellOf } from "../../pictures/browser/asked.js";
import { clamp, element } from "../../pictures/browser/elements.js";
import { TYPED } from "../../pictures/browser/run.js";
import { language, say } from "../../pictures/browser/say.js";
import { components as list } from "../../subjects/lessons/browser/learn.js";
import { coverRun, coverTensors } from "./cover.js";
import { put, showAsked } from "./pages.js";

/** @typedef {import("../../pictures/browser/wire").WireStep} Step */
/** @typedef {import("../../pictures/browser/wire").WireSite} WireSite */
/** @typedef {ReturnType<typeof import("./address.js").createAddress>} Address */
/** @typedef {(answer: import("../../pictures/browser/live/types").Answer) => void} Follow called with each run */

export const LESSONS = "learn";
const MOST = "attention"; // the page where a lesson begins; a lesson that begins elsewhere is redirected

/** Return the step of a lesson that the address names, or the list of lessons if the site lacks that lesson.
 * @param {WireSite} sent
 * @param {Address} address
 */
export async function stepOf({ lessons }, address) {
  const name = address.get("lesson");
  const all = lessons[language()];
  const lesson = all.find(({ id }) => id === name);
  if (name === null || !lesson) return name === null ? null : { page: LESSONS, query: {} };
  const steps = lesson.steps ?? (await fetchSteps(lesson.id));
  const part = clamp(Number(address.get("part")) - 1 || 0, steps.length) + 1;
  const path = all.filter((one) => one.path);
  const next = part === steps.length && lesson.path ? path[path.indexOf(lesson) + 1] : undefined;
  const step = steps[part - 1];
  return { page: step.page, query: { ...step.query, lesson: name, part }, step, next };
}

/** @returns {Promise<Step[]>} */
async function fetchSteps(name) {
  const file = await fetch(new URL(`lessons/${name}.${language()}.json`, import.meta.url));
  return file.json();
}

/** List the lessons.
 * @param {import("../../pictures/browser/types").Loupe} loupe
 * @param {HTMLElement} main
 * @param {WireSite} sent
 * @param {Address} address
 */
export function listLessons(loupe, main, { lessons }, address) {
  const place = element("div", {});
  main.append(
    element("h1", {}, say("learn.question")),
    element("p", {}, say("learn.answer")),
    place,
  );
  const open = (_event, { lesson, part }) => address.open(MOST, { lesson, part });
  const data = { language: language(), lessons: lessons[language()], current: null };
  put(loupe, place, "lesson_list", list.lesson_list, data, open);
}

/** Show the question of a step, and return the function to call with each run.
 * @param {HTMLElement} main
 * @param {import("./pages.js").Site} site
 * @param {{step: Step, next?: {id: string, title: string}}} stop
 * @param {{show(): Follow, settle(changes: object): void}} page draws the page's pictures, and selects a cell
 * @returns {Follow}
 */
export function beginLesson(main, { loupe, address }, { step, next }, { show, settle }) {
  const card = element("div", { class: "st-key-lesson_place" });
  const state = { guess: null, hints: 0, looks: false };
  let [whole, traced, answer, shown, follow] = [null, null, null, "", null];
  let end = () => {};
  main.before(card);
  const draw = () => {
    const data = dataOf(step, state, next);
    const hidden = data.verdict ? step.uncovered : step.cover;
    loupe.runs.set(TYPED, data.small ? coverRun(whole, hidden) : whole);
    loupe.traces.set(TYPED, data.small ? coverTensors(traced, hidden) : traced);
    const wanted = data.small ? "asked" : "page";
    if (shown !== wanted) {
      end();
      main.replaceChildren();
      if (data.small) end = showAsked(loupe, main, data.surface);
      else follow = show();
      shown = wanted;
    }
    follow?.(answer);
    put(loupe, card, "lesson", panel.lesson, data, (_event, asked) => acts[asked.do](asked));
  };
  const redraw = (change) => (asked) => {
    change(asked);
    draw();
    loupe.tell("run");
  };
  const { asked, query } = step;
  const { verdict } = /** @type {any} */ (step.after);
  const isLast = asked.part === asked.parts;
  const acts = {
    hint: redraw(() => state.hints++),
    look: redraw(() => {
      state.looks = true;
    }),
    answer: redraw(({ guess }) => {
      state.guess = guess;
      loupe.runs.set(TYPED, whole);
      settle({ key: -1, ...cellOf(asked.surface, verdict.truth) });
    }),
    back: () => replaceWord(sourceField(), 0, sourceField().value.length, query.source),
    again: () => address.reload({}),
    leave: () => address.open(address.page, { lesson: null, part: null }),
    onward() {
      if (!isLast) address.open(address.page, { part: asked.part + 1 });
      else if (next) address.open(address.page, { lesson: next.id, part: 1 });
      else address.open(LESSONS);
    },
  };
  return (latest) => {
    [answer, whole, traced] = [latest, loupe.runs.get(TYPED), loupe.traces.get(TYPED)];
    draw();
  };
}

// Return the data of the panel: a step with the requested hints, or with what follows an answer.
function dataOf({ asked, after, answers, query }, { guess, hints, looks }, next) {
  const shown = { hints: asked.hints.slice(0, hints), out: hints ? asked.out : [] };
  const told =
    guess === null
      ? { ...shown, more: hints < asked.hints.length }
      : { ...after, verdict: { ...after.verdict, ...answers[guess], helped: hints > 0 } };
  const there = sourceField().value === query.source;
  const data = { ...asked, ...told, there, next: next?.title ?? "" };
  return looks ? { ...data, small: false, told: false, opens: "", hides: false } : data;
}
