// The notes of a lecture in a separate window, which only the speaker sees: the messages to and from that window.

import { ground } from "../../pictures/browser/colours.js";
import { element, pushButton } from "../../pictures/browser/elements.js";
import { language, say } from "../../pictures/browser/say.js";
import { choicesOf, MOST, newId } from "./deck.js";
import { createGiving, isCovered } from "./deck_giving.js";
import { pictureOf } from "./deck_pictures.js";
import { deckApp } from "./deck_store.js";

const CHANNEL = "loupe.lecture.notes"; // in the tab's storage, so that the window is found again after a reload
const LOOKS = "popup,width=960,height=700";

/** The data shown in the window; null once the lecture has ended.
 * @typedef {{slide: import("./deck.js").Slide, at: number, of: number, choices: string[], covered: boolean, began: number,
 *   next: {title: string, picture: string} | null}} Told */

/** @typedef {{do: "hello" | "restart"} | {do: "turn", by: number} | {do: "jump", at: number} | {do: "cover", covered: boolean}
 *   | {do: "count", index: number, by: number}} Asked */

/** Collect the data that the window shows of a lecture.
 * @param {import("./deck.js").Slide[]} slides
 * @param {import("./deck_giving.js").Place | null} place
 * @returns {Told | null}
 */
export function toldOf(slides, place) {
  const slide = place && slides[place.at];
  if (!slide || place.draws) return null;
  const next = slides[place.at + 1];
  return {
    slide,
    at: place.at,
    of: slides.length,
    choices: slide.question ? choicesOf(slide, say("deck.show.hands")) : [],
    covered: isCovered(slide, place.seen),
    began: place.began ?? Date.now(),
    next: next ? { title: next.title, picture: pictureOf(next) } : null,
  };
}

/** Make the notes of an explorer's lecture.
 * @param {import("../../pictures/browser/types").Loupe} loupe
 */
export function createNotes(loupe) {
  const giving = loupe.part(createGiving);
  const name = sessionStorage.getItem(CHANNEL) ?? newId();
  sessionStorage.setItem(CHANNEL, name);
  const channel = new BroadcastChannel(`${CHANNEL}.${name}`);
  let shown = null; // the window, if this page has opened it
  let isHere = false; // whether the notes were requested on the screen that the class sees
  let latest = "";
  const tell = () => {
    const told = toldOf(giving.slides(), giving.place());
    const text = JSON.stringify(told);
    if (text === latest) return;
    latest = text;
    channel.postMessage({ told });
  };
  const hear = (/** @type {any} */ asked) => {
    const slide = giving.slide();
    if (asked.do === "hello") latest = "";
    else if (!slide) return;
    else if (asked.do === "turn") giving.turn(asked.by);
    else if (asked.do === "jump") giving.jump(asked.at);
    else if (asked.do === "cover") giving.cover(asked.covered);
    else if (asked.do === "restart") giving.restart();
    else if (asked.do === "count") giving.count(slide, asked.index, handsAfter(slide, asked));
    tell();
  };
  channel.addEventListener("message", ({ data }) => hear(data));
  window.addEventListener("pagehide", () => channel.postMessage({ gone: true }));
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) hear({ do: "hello" });
  });
  const open = (redraw) => {
    if (shown && !shown.closed) return shown.focus();
    const { base } = loupe.part(deckApp).data;
    shown = window.open(`${base}/lecture/notes?lang=${language()}#${name}`, `loupe-${name}`, LOOKS);
    if (shown) return;
    askAgain({
      again: () => open(redraw),
      here() {
        isHere = true;
        redraw();
      },
    });
  };
  return { tell, open, isHere: () => isHere };
}

// Presses may come faster than updated counts arrive, so each message gives the change of a count, not the count.
const handsAfter = ({ hands }, { index, by }) =>
  Math.max(0, Math.min(MOST.hands, (hands[index] ?? 0) + by));

// Ask what to do if the browser blocks the window.
function askAgain({ again, here }) {
  const dialog = element("dialog", { class: "loupe-code", "aria-label": say("deck.notes.window") });
  const button = (name, act) =>
    pushButton(
      {
        onclick() {
          dialog.remove();
          act();
        },
      },
      name,
    );
  dialog.append(
    element("h2", {}, say("deck.notes.blocked")),
    element("p", {}, say("deck.notes.allow")),
    element(
      "div",
      { class: "loupe-notes-ways" },
      button(say("deck.notes.again"), again),
      button(say("deck.notes.here"), here),
      button(say("deck.code.close"), () => {}),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  ground().append(dialog);
  dialog.showModal();
}
