// The selection's way to Python and back, and the keys that move it. Draws nothing.

import { isAsking } from "./asked.js";
import { createDeparture } from "./departure.js";
import { keyboardInUse } from "./keyboard.js";
import { createFreshness } from "./made.js";
import { isAdrift } from "./place.js";
import { createBeneath, TYPED } from "./run.js";

const COMMIT_EVERY_MS = 120; // one commit at a time: keys held down repeat faster than Python answers
const REST_MS = 300; // after the last of several choices that the page draws without Python
const ASK_AGAIN_MS = 1500; // until a choice that Python did not answer is told again; doubled each time
const MOST_ASKED = 6;
const HEAD_NAMES = ["kind", "layer", "head"];
const DRAWN_HERE = "attention"; // path of the page that draws each cell of an opened head itself, but for its folds

/** What Python was told, and what it told us.
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
  beneath.left = telling.goOn; // what was chosen before a sentence was typed may not have been told

  return (data, trigger) => {
    const isOlder = telling.hear(data.number, trigger);
    const isOfRunBefore = isTyped() && data.selection.run === known.run();
    const unheard = isOlder ? known.unheard() : {};
    const typed = known.typed();
    known.learn(data.selection);
    telling.wait();
    const isArrival = departure.arrive(data.page, true);
    if (isArrival && isOlder && !isTyped()) telling.commitNow(); // what was chosen on the way
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

// Tells Python what is chosen: one choice at a time, and again until it is answered.
function createTelling(loupe, known, departure) {
  let sent = 0; // number of the last choice: an older echo must not undo a newer choice
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
    /** Take note of an echo by its number; return whether a newer choice was told since. */
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

// What Python knows of the selection in view.
function createKnown(loupe, freshness) {
  let known = {}; // the selection that Python showed last
  let isChosenTyped = false; // in the run of what is typed: Python hears of it once it has that run
  const isKnown = (names) => names.every((name) => known[name] === loupe.selection[name]);
  const isTyped = () => loupe.selection?.run === TYPED; // Python has no such run yet
  return {
    isTyped,
    run: () => known.run,
    learn: (selection) => (known = { ...selection }),
    isAll: () => isTyped() || (isKnown(Object.keys(known)) && freshness.isFresh()),
    /** Whether the page shows the cell in view already, and Python only has to note it in the address. */
    isDrawnHere: () => loupe.page === DRAWN_HERE && isKnown(HEAD_NAMES) && freshness.isFresh(),
    /** Take note of a choice; return whether it was made in the run of what is typed. */
    choose: () => (isChosenTyped = isTyped()),
    /** The place that was chosen in the run of what is typed. */
    typed: () => (isTyped() && isChosenTyped ? placeOf(loupe) : {}),
    forgetTyped: () => (isChosenTyped = false),
    /** The head that was chosen since Python last showed one: it holds for the run that comes then, too. */
    unheard() {
      const names = HEAD_NAMES.filter((name) => loupe.selection?.[name] !== known[name]);
      return Object.fromEntries(names.map((name) => [name, loupe.selection?.[name]]));
    },
  };
}

/** Tells a choice again until it is answered: Streamlit may drop what was asked for while it runs for another part of
 * the page, or draw one last that was asked for before.
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

// The cell that is chosen; of another kind, of which none was, the head alone.
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

const BUTTONS = { "?": ".st-key-keys button", p: ".st-key-pin_run button" }; // that a key presses
const COMPARISON = "compare"; // path of the page that sets the run in view beside another

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
