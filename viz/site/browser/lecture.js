// A lecture on the site: each slide opens its view, with the app's title, question and bar around it.

import { DeckFault, readDeck } from "../../frame/browser/deck.js";
import { turns } from "../../frame/browser/deck_giving.js";
import { steer } from "../../frame/browser/deck_keys.js";
import { drawParts } from "../../frame/browser/deck_parts.js";
import { addressOf } from "../../frame/browser/deck_view.js";
import { clamp, element } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";

const APP = { base: "http://localhost:8501", first: "start" };

/** The slide that the address leads to; the first one where it says nothing.
 * @param {import("../../pictures/browser/wire").WireSite} sent
 * @param {ReturnType<typeof import("./address.js").createAddress>} address
 */
export function slideOf({ lecture }, address) {
  const asked = address.get("slide") ?? (address.isBare && !address.page ? "1" : null);
  if (asked === null) return null;
  try {
    return stopAt({ ...lecture, deck: readDeck(lecture.text, null) }, Number(asked) - 1);
  } catch (error) {
    if (error instanceof DeckFault) return { fault: error.message };
    throw error;
  }
}

// Where a slide is; one that the site does not have is told on the first page.
function stopAt(lecture, asked) {
  const at = clamp(asked || 0, lecture.deck.slides.length);
  const isElsewhere = lecture.elsewhere.includes(at);
  const [page, text] = lecture.deck.slides[at].link.split("?");
  const query = isElsewhere ? {} : Object.fromEntries(new URLSearchParams(text));
  const path = isElsewhere || page === "start" ? "" : page;
  return { lecture, at, isElsewhere, page: path, query: { ...query, slide: at + 1 } };
}

/** Give the lecture: draw what stands around a slide, or tell where it is; and turn to others.
 * @param {HTMLElement} main
 * @param {ReturnType<typeof stopAt>} stop
 * @param {ReturnType<typeof import("./address.js").createAddress>} address
 */
export function giveSlide(main, { lecture, at, isElsewhere }, address) {
  let { deck } = lecture;
  let place = { at, seen: [] };
  const store = {
    read: () => deck,
    change(make) {
      deck = make(deck);
    },
  };
  const parts = {
    top: element("header", { class: "loupe-slide-top" }),
    veil: element("section", { class: "loupe-slide-veil", "aria-label": say("deck.show.bar") }),
    bar: element("nav", { class: "loupe-slide-bar", "aria-label": say("deck.show.bar") }),
  };
  const draw = () => {
    drawParts({ slide: deck.slides[at], giving, app: { pages: [], models: {} } }, parts);
    parts.top.querySelector("h2").ariaLevel = "1"; // the page's own is out of sight
    parts.veil.querySelector("h3")?.setAttribute("aria-level", "2");
  };
  const keep = (next) => {
    const { page, query } = stopAt(lecture, next.at);
    if (next.at !== at) return address.open(page, query);
    place = next;
    draw();
  };
  const giving = {
    slides: () => deck.slides,
    place: () => place,
    isOnTheWay: () => false,
    end: () => address.open(address.page, { slide: null, scene: address.get("scene") ?? "" }),
    ...turns(store, () => place, keep, draw),
  };
  document.body.append(...Object.values(parts));
  draw();
  window.addEventListener("keydown", (event) => steer(event, giving), { capture: true });
  const { panel, link } = deck.slides[at];
  const part = panel ? `.st-key-${CSS.escape(panel)}` : ".site-part";
  if (isElsewhere) main.append(elsewhere(link));
  else (main.matches(part) ? main : main.querySelector(part))?.classList.add("site-part");
}

const elsewhere = (link) =>
  element(
    "div",
    { class: "site-elsewhere" },
    element("p", {}, say("site.slide_elsewhere")),
    element("code", {}, "python3 start.py"),
    element("code", {}, addressOf(link, APP, false)),
  );
