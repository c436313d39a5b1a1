// The exchange of the selection with Python, and the keys that move it. Draws nothing.

import { isAsking } from "./asked.js";
import { createDeparture } from "./departure.js";
import { keyboardInUse } from "./keyboard.js";
import { createFreshness } from "./made.js";
import { isAdrift } from "./place.js";
import { createBeneath, TYPED } from "./run.js";

const COMMIT_EVERY_MS = 120; // one commit at a time, because a held key repeats faster than Python answers
const REST_MS = 300; // wait after the last of several choices that the page draws without Python
const ASK_AGAIN_MS = 1500; // until an unanswered choice is sent again; doubled each time
const MOST_ASKED = 6;
const HEAD_NAMES = ["kind", "layer", "head"];
const DRAWN_HERE = "attention"; // path of the page that draws each cell of an opened head, except in its folds

/** Keep what was sent to Python and what it answered; return the function that takes its answers.
 * @param {import("./types").Loupe} loupe
 */
export function createEcho(loupe) {
  const freshness = loupe.part(createFreshness);
  const known = createKnown(loupe, freshness);
  const departure = loupe.part(createDeparture);
  const { isTyped } = known;
  const telling = createTelling(loupe, known, departure);
  const beneath = loupe.part(createBeneath);
  freshness.ask = telling.goOn;
  beneath.left = telling.goOn; // a choice from before the typing may not have been sent

  return (data, trigger) => {
    const isOlder = telling.hear(data.number, trigger);
    const isOfRunBefore = isTyped() && data.selection.run === known.run();
    const unheard = isOlder ? known.unheard() : {};
    const typed = known.typed();
    known.learn(data.selection);
    telling.wait();
    const isArrival = departure.arrive(data.page, true);
    if (isArrival && isOlder && !isTyped()) telling.commitNow(); // a choice made during the change of page
    if (isOlder && loupe.selection?.run === data.selection.run) return;
    loupe.page = data.page;
    if (isOfRunBefore && !isOlder) beneath.selection = data.selection;
    if (isOfRunBefore) return;
    known.forgetTyped();
    loupe.selection = data.selection;
    loupe.adrift = false;
    loupe.tell("selection");
    loupe.select({ ...unheard, ...typed });
  };
}

// Send choices to Python, one at a time, and again until they are answered.
function createTelling(loupe, known, departure) {
  let sent = 0; // number of the last choice, so that an older echo does not undo a newer choice
  let timer = null;
  let last = -COMMIT_EVERY_MS;
  let trigger = (_event, _value) => {};
  const choice = (changes) => choiceOf(loupe, sent, changes);
  const reminder = createReminder(known.isAll, () => {
    sent++;
    trigger("commit", choice());
  });
  const commitNow = () => {
    timer = null;
    if (known.isTyped()) return;
    last = performance.now();
    trigger("commit", choice());
    reminder.begin();
  };
  loupe.commit = () => {
    if (known.choose()) return;
    sent++;
    clearTimeout(timer);
    const wait = known.isDrawnHere() ? REST_MS : COMMIT_EVERY_MS - (performance.now() - last);
    if (wait <= 0) commitNow();
    else timer = setTimeout(commitNow, wait);
  };
  loupe.go = (page, changes = {}) => {
    clearTimeout(timer);
    departure.go(page, () => {
      sent++;
      trigger("go", { ...choice(changes), page });
    });
  };
  return {
    commitNow,
    wait: reminder.wait,
    goOn: reminder.goOn,
    /** Note an echo by its number, and return whether a newer choice was sent since. */
    hear(number, setTriggerValue) {
      trigger = setTriggerValue;
      sent = Math.max(sent, number);
      return number < sent;
    },
  };
}

function choiceOf(loupe, number, changes = {}) {
  const isAway = loupe.adrift || isAdrift(loupe.selection, changes);
  return { ...loupe.selection, ...changes, ...(isAway ? { adrift: true } : {}), number };
}

// Track what Python knows of the current selection.
function createKnown(loupe, freshness) {
  let known = {}; // the latest selection from Python
  let isChosenTyped = false; // whether chosen in the run of the typed text, which Python learns of later
  const isKnown = (names) => names.every((name) => known[name] === loupe.selection[name]);
  const isTyped = () => loupe.selection?.run === TYPED; // Python does not have this run yet
  return {
    isTyped,
    run: () => known.run,
    learn: (selection) => (known = { ...selection }),
    isAll: () => isTyped() || (isKnown(Object.keys(known)) && freshness.isFresh()),
    /** Return whether the page already shows the current cell, so that Python only notes it in the address. */
    isDrawnHere: () => loupe.page === DRAWN_HERE && isKnown(HEAD_NAMES) && freshness.isFresh(),
    /** Note a choice, and return whether it was made in the run of the typed text. */
    choose: () => (isChosenTyped = isTyped()),
    /** Return the place that was chosen in the run of the typed text. */
    typed: () => (isTyped() && isChosenTyped ? placeOf(loupe) : {}),
    forgetTyped: () => (isChosenTyped = false),
    /** Return the parts of the head chosen since Python's latest selection, which also apply to the next run. */
    unheard() {
      const names = HEAD_NAMES.filter((name) => loupe.selection?.[name] !== known[name]);
      return Object.fromEntries(names.map((name) => [name, loupe.selection?.[name]]));
    },
  };
}

/** Send a choice again until it is answered. While Streamlit runs for another part of the page it may drop a request,
 * or draw the result of an earlier request last.
 * @param {() => boolean} isAnswered
 * @param {() => void} tellAgain
 */
export function createReminder(isAnswered, tellAgain) {
  let timer = null;
  let asked = 0;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(remind, ASK_AGAIN_MS * 2 ** asked);
  };
  const remind = () => {
    timer = null;
    if (isAnswered()) asked = 0;
    else if (++asked <= MOST_ASKED) {
      tellAgain();
      wait();
    }
  };
  return {
    begin() {
      asked = 0;
      wait();
    },
    wait,
    goOn: () => timer ?? wait(),
  };
}

// Return the chosen cell. After a change of the kind of attention without a cell, return the head only.
function placeOf({ selection: { kind, layer, head, query, key }, adrift }) {
  return adrift ? { kind, layer, head } : { kind, layer, head, query, key };
}

const KEYS = {
  ArrowUp: ({ query }) => ({ query: query - 1 }),
  ArrowDown: ({ query }) => ({ query: query + 1 }),
  ArrowLeft: ({ key }) => ({ key: key - 1 }),
  ArrowRight: ({ key }) => ({ key: key + 1 }),
  "[": ({ layer }) => ({ layer: layer - 1 }),
  "]": ({ layer }) => ({ layer: layer + 1 }),
  ",": ({ head }) => ({ head: head - 1 }),
  ".": ({ head }) => ({ head: head + 1 }),
};

const BUTTONS = { "?": ".st-key-keys button", p: ".st-key-pin_run button" }; // pressed by these keys
const COMPARISON = "compare"; // path of the page that compares the current run with another

function moveByKey(loupe, event) {
  if (!loupe.selection || keyboardInUse(event)) return;
  if (BUTTONS[event.key]) {
    /** @type {HTMLElement | null} */ (document.querySelector(BUTTONS[event.key]))?.click();
  } else if (event.key === "c") {
    if (loupe.page !== COMPARISON) loupe.go(COMPARISON);
  } else if (KEYS[event.key] && loupe.run()) {
    const moved = KEYS[event.key]({ ...loupe.selection, ...loupe.asked?.guess });
    if (isAsking(loupe)) loupe.asked.take(moved, true);
    else loupe.select(moved);
  } else {
    return;
  }
  event.preventDefault();
}

/** @type {import("./types").Setup} */
function selection(loupe, { signal }) {
  loupe.root.addEventListener("keydown", (event) => moveByKey(loupe, event), { signal });
  return loupe.part(createEcho);
}

export const components = { selection };
