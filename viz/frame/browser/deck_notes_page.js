// The window of a lecture's notes: the notes of the current slide, the next slide, the time, and the hands.

import { element, pushButton } from "../../pictures/browser/elements.js";
import { learn, say, speak } from "../../pictures/browser/say.js";
import { steer } from "./deck_keys.js";
import { counter, focusedIn, refocus } from "./deck_parts.js";

const CHANNEL = "loupe.lecture.notes";
const SECOND_MS = 1_000;

/** @typedef {import("./deck_notes.js").Told} Told */
/** @typedef {import("./deck_notes.js").Asked} Asked */

/** Write the time since a lecture began, in minutes and seconds, with hours if there are any.
 * @param {number} milliseconds
 */
export function clockText(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  const start = hours ? `${hours}:${two(minutes)}` : String(minutes);
  return `${start}:${two(seconds % 60)}`;
}

/** Fill the window.
 * @param {Document} page
 */
export async function begin(page) {
  const { TEXTS } = await import(new URL("../../texts.js", import.meta.url).href);
  learn(TEXTS);
  speak(page.documentElement.lang);
  const channel = new BroadcastChannel(`${CHANNEL}.${location.hash.slice(1)}`);
  const ask = (/** @type {Asked} */ asked) => channel.postMessage(asked);
  const clock = element("span", { class: "notes-clock", role: "timer" });
  const status = element("p", { class: "notes-status", role: "status" }, say("deck.notes.waiting"));
  const [head, main] = [element("header", {}), element("main", {})];
  page.title = `${say("deck.show.notes")} · Loupe`;
  page.body.append(status, head, main);
  let told = null;
  const tick = () => {
    clock.textContent = told ? clockText(Date.now() - told.began) : "";
  };
  const draw = () => {
    status.replaceChildren(told ? "" : say("deck.notes.over"));
    drawOnce(head, told ? headOf(told, clock, ask) : []);
    drawOnce(main, told ? partsOf(told, ask) : []);
    tick();
  };
  channel.addEventListener("message", ({ data }) => {
    if (data.gone) status.replaceChildren(say("deck.notes.gone"));
    else if ("told" in data) {
      told = data.told;
      draw();
    }
  });
  window.addEventListener(
    "keydown",
    (event) =>
      steer(
        event,
        remote(() => told, ask),
      ),
    true,
  );
  setInterval(tick, SECOND_MS);
  ask({ do: "hello" });
}

// Stand in for the lecture of another window, for the keys of a clicker.
const remote = (told, ask) => ({
  place: () => told(),
  slides: () => ({ length: told()?.of ?? 0 }),
  isOnTheWay: () => true,
  turn: (by) => ask({ do: "turn", by }),
  jump: (at) => ask({ do: "jump", at }),
});

// Make the buttons again, but keep the focus on the one that was pressed.
function drawOnce(place, parts) {
  const focused = focusedIn(place);
  place.replaceChildren(...parts);
  refocus(place, focused);
}

function headOf({ at, of, covered }, clock, ask) {
  const button = (name, sign, act, isOff) =>
    pushButton({ "aria-label": name, title: name, disabled: isOff, onclick: act }, sign);
  const turn = (by) => () => ask({ do: "turn", by });
  return [
    button(say("deck.show.before"), "‹", turn(-1), at === 0),
    element("span", { class: "notes-place" }, say("deck.show.place", { place: at + 1, of })),
    button(say("deck.show.after"), "›", turn(1), at === of - 1 && !covered),
    clock,
    pushButton({ onclick: () => ask({ do: "restart" }) }, say("deck.notes.restart")),
  ];
}

/** @param {Told} told @param {(asked: Asked) => void} ask */
function partsOf({ slide, choices, covered, next }, ask) {
  const giving = {
    count: (_slide, index, hands) =>
      ask({ do: "count", index, by: hands - (slide.hands[index] ?? 0) }),
  };
  const cover = () => ask({ do: "cover", covered: !covered });
  const asked = [
    element("h2", {}, slide.question),
    element("ul", {}, ...choices.map((answer, i) => counter(slide, answer, i, giving))),
    pushButton({ onclick: cover }, covered ? say("deck.show.reveal") : say("deck.show.cover")),
  ];
  const shown = next ? next.title : say("deck.notes.last");
  const said = slide.notes || say("deck.notes.none");
  return [
    element(
      "section",
      { "aria-label": say("deck.notes.now") },
      element("h1", {}, slide.title),
      element("p", { class: slide.notes ? "notes-text" : "notes-none", dir: "auto" }, said),
    ),
    element(
      "aside",
      {},
      ...(choices.length ? [element("section", { class: "notes-asked" }, ...asked)] : []),
      element("h2", {}, say("deck.notes.next")),
      element("p", { class: "notes-next" }, shown),
      next?.picture ? element("img", { src: next.picture, alt: "" }) : null,
    ),
  ];
}

if (typeof document !== "undefined" && document.body?.classList.contains("notes-window"))
  begin(document);
