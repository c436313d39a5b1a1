// The changes of the current run in one line: what they are, what they did, and how to undo them. A list opens below.

import { clamp, element, pushButton } from "../../pictures/browser/elements.js";
import { isTypedInto, keyboardInUse } from "../../pictures/browser/keyboard.js";
import { createTyped } from "../../pictures/browser/live/typed.js";
import { say } from "../../pictures/browser/say.js";

const BEFORE_KEY = "b";
const BEFORE = "loupe-is-before";
const ROOM = 8; // pixels below the bar
const MOST_WORDS = 3; // maximum number of changes of the text in the line

/** Return the action of a key: "undo", "redo", or null.
 * @param {KeyboardEvent} event
 */
export function actOf(event) {
  const held = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (held && key === "z") return event.shiftKey ? "redo" : "undo";
  if (held && key === "y") return "redo";
  if (event.altKey || held) return null;
  return key === "u" ? (event.shiftKey ? "redo" : "undo") : null;
}

/** Return the selection for the same run without changes, limited to its rows and columns.
 * @param {import("../../pictures/browser/types").Loupe} loupe
 * @param {string} before
 */
export function selectionBefore(loupe, before) {
  const { selection } = loupe;
  const stack = loupe.runs.get(before)?.kinds[selection.kind];
  if (!stack) return selection;
  const query = clamp(selection.query, stack.rows);
  return { ...selection, run: before, query, key: clamp(selection.key, stack.columns) };
}

// Show the run without its changes while a key or button is held.
function createBefore(loupe) {
  let kept = null;
  return {
    begin(data) {
      if (kept || !loupe.runs.has(data.before) || loupe.selection?.run !== data.run) return false;
      kept = loupe.selection;
      loupe.selection = selectionBefore(loupe, data.before);
      loupe.tell("selection");
      return true;
    },
    end() {
      if (!kept) return;
      loupe.selection = kept;
      kept = null;
      loupe.tell("selection");
    },
  };
}

function chip({ text, on, applies }, index, ask) {
  const does = on ? say("change.switch_off") : say("change.switch_on");
  const state = applies ? "" : element("small", {}, ` ${say("change.elsewhere")}`);
  return element(
    "li",
    { class: on && applies ? "" : "loupe-change-off" },
    pushButton(
      {
        role: "switch",
        "aria-checked": String(on),
        "aria-label": text,
        title: does,
        onclick: () => ask("switch", index),
      },
      text,
      state,
    ),
    pushButton(
      {
        class: "loupe-change-remove",
        "aria-label": say("change.remove_one", { change: text }),
        title: say("change.remove"),
        onclick: () => ask("remove", index),
      },
      "×",
    ),
  );
}

const MARKS = { same: "span", gone: "del", new: "ins" };

const marked = (stretches) =>
  stretches.flatMap(({ fate, text }) => [element(MARKS[fate], {}, text), " "]);

function texts({ stretches }) {
  return element(
    "p",
    { class: "loupe-change-texts", dir: "auto", tabindex: "0" },
    ...marked(stretches),
  );
}

// Make the line with the changes and their effect.
function line(data) {
  const changed = data.stretches.filter(({ fate }) => fate !== "same");
  const did = changed.length && changed.length <= MOST_WORDS ? marked(changed) : [data.said];
  return element(
    "p",
    { class: "loupe-change-head", role: "status" },
    element("strong", {}, isChanged(data) ? say("change.changed") : say("change.unchanged")),
    element("span", { class: "loupe-change-what" }, ` ${named(data)} `),
    element("span", { class: "loupe-change-did" }, ...did),
  );
}

const isChanged = ({ run, before }) => run !== before;

function numbers({ numbers: rows }) {
  const one = ([name, before, after]) =>
    element(
      "span",
      {},
      `${name} `,
      element("b", {}, before === after ? after : say("change.from_to", { before, after })),
    );
  return element("p", { class: "loupe-change-numbers" }, ...rows.map(one));
}

function tools(data, ask, hold, opener) {
  const button = (name, title, isOn, act) =>
    pushButton({ title, disabled: !isOn, onclick: act }, name);
  const before = button(say("change.before"), say("change.before_help"), isChanged(data), () => {});
  before.addEventListener("pointerdown", () => hold(true));
  for (const end of ["pointerup", "pointerleave", "pointercancel"])
    before.addEventListener(end, () => hold(false));
  return element(
    "div",
    { class: "loupe-change-tools" },
    button(say("change.undo"), say("change.undo_help"), data.undo !== null, () => ask("undo")),
    before,
    opener,
  );
}

// Make the details, which open below the line and over the page, so that nothing moves.
function details(data, ask, isOpen) {
  const act = (name, title, isOn, does) =>
    pushButton({ title, disabled: !isOn, onclick: () => ask(does) }, name);
  return element(
    "div",
    { class: "loupe-change-details", hidden: !isOpen },
    data.stretches.some(({ fate }) => fate !== "same") ? texts(data) : null,
    isChanged(data) ? numbers(data) : null,
    element("ul", {}, ...data.changes.map((one, i) => chip(one, i, ask))),
    element(
      "div",
      { class: "loupe-change-tools" },
      act(say("change.redo"), say("change.redo_help"), data.redo !== null, "redo"),
      act(say("change.clear"), "", data.changes.length > 0, "clear"),
    ),
  );
}

// Follow the keys of the line: undo, redo, and one that shows the unchanged run while it is held.
function followKeys(root, signal, ask, hold) {
  const onKey = (event) => {
    const act = actOf(event);
    if (act && !isTypedInto(event)) {
      event.preventDefault();
      ask(act);
    } else if (event.key === BEFORE_KEY && !event.repeat && !keyboardInUse(event)) hold(true);
  };
  root.addEventListener("keydown", onKey, { signal });
  root.addEventListener("keyup", ({ key }) => key === BEFORE_KEY && hold(false), { signal });
  window.addEventListener("blur", () => hold(false), { signal });
}

// Scroll so that the bar does not cover the focused element.
function uncoverFocused(card) {
  const at = document.activeElement;
  const main = card?.closest("[data-testid=stMain]");
  if (!at || !main?.contains(at) || card.contains(at)) return;
  const [low, high] = [card.getBoundingClientRect().bottom + ROOM, at.getBoundingClientRect().top];
  if (high < low && at.getBoundingClientRect().bottom > 0) main.scrollBy(0, high - low);
}

/** @type {import("../../pictures/browser/types").Setup} */
function changes(loupe, { host, signal }) {
  const shown = createBefore(loupe);
  let data = null;
  let isOpen = false;
  let ask = (_act, _index) => {};
  const hold = (isHeld) => {
    const isBefore = isHeld ? shown.begin(data) || host.classList.contains(BEFORE) : shown.end();
    host.classList.toggle(BEFORE, Boolean(isBefore));
    document.documentElement.classList.toggle("loupe-before", Boolean(isBefore));
  };
  followKeys(loupe.root, signal, (act) => ask(act), hold);
  signal.addEventListener("abort", () => shown.end());
  host.addEventListener("pointerenter", () => loupe.part(createTyped).prepareChange());
  const draw = () => {
    const opener = pushButton(
      {
        "aria-expanded": String(isOpen),
        onclick: () => {
          isOpen = !isOpen;
          draw();
          /** @type {HTMLElement} */ (host.querySelector("[aria-expanded]")).focus();
        },
      },
      say("change.details"),
    );
    host.replaceChildren(
      element(
        "section",
        {
          class: `loupe-change-card${isChanged(data) ? " loupe-changed" : ""}`,
          "aria-label": say("change.bar"),
        },
        line(data),
        tools(data, ask, hold, opener),
        details(data, ask, isOpen),
      ),
    );
  };
  return (given, trigger) => {
    shown.end();
    const isFirst = data === null;
    data = given;
    ask = (act, index) => {
      trigger("act", { do: act, index });
      const after = madeBy(act, index, data);
      if (after) loupe.part(createTyped).change(after);
    };
    draw();
    loupe.part(createTyped).hasMade(given.changes.flatMap(({ on, made }) => (on ? made : [])));
    if (isFirst) uncoverFocused(host.firstElementChild);
  };
}

// Return the changes in force after an action, or null if there is nothing to undo.
function madeBy(act, index, { changes, undo, redo }) {
  const isOn = ({ on }, place) => (place === index ? act === "switch" && !on : on);
  const listed = () => changes.flatMap((one, place) => (isOn(one, place) ? one.made : []));
  return { undo, redo, clear: [] }[act] ?? (index === undefined ? null : listed());
}

const named = ({ changes }) =>
  changes.flatMap(({ text, on, applies }) => (on && applies ? [text] : [])).join(" · ");

export const components = { changes };
