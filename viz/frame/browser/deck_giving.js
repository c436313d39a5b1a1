// A lecture in progress: which slide is shown, and whether its picture is covered. Draws nothing.

import { changed, choicesOf } from "./deck.js";
import { pictureOf } from "./deck_pictures.js";
import { deckApp, deckStore } from "./deck_store.js";
import { addressOf } from "./deck_view.js";

const PLACE = "loupe.lecture"; // in the tab's own storage, so that two tabs can give two lectures
const ON_THE_WAY_MS = 5_000;

export const TO_PRINT = "loupe.lecture.print";

/** @typedef {{at: number, seen: string[], draws?: boolean, began?: number}} Place the current slide, the slides whose
 * picture was uncovered, and when the lecture began; or a slide that is shown only to be drawn */

/** Return whether the picture of a slide is covered until its question is answered.
 * @param {import("./deck.js").Slide} slide
 * @param {string[]} seen
 */
export const isCovered = (slide, seen) => Boolean(slide?.question) && !seen.includes(slide.id);

/** Return where a lecture is after one press of a clicker. A covered picture is revealed before the next slide comes.
 * @param {import("./deck.js").Slide[]} slides
 * @param {Place} place
 * @param {number} by
 * @returns {Place}
 */
export function turned(slides, place, by) {
  const { at, seen } = place;
  if (by > 0 && isCovered(slides[at], seen)) return { ...place, seen: [...seen, slides[at].id] };
  return { ...place, at: Math.max(0, Math.min(at + by, slides.length - 1)) };
}

/** Return the next slide without a picture, or -1 if there is none.
 * @param {import("./deck.js").Slide[]} slides
 * @param {number} from
 */
export const nextToDraw = (slides, from) =>
  slides.findIndex((slide, place) => place >= from && !pictureOf(slide));

/** Make the lecture of an explorer's page.
 * @param {import("../../pictures/browser/types").Loupe} loupe
 */
export function createGiving(loupe) {
  const store = loupe.part(deckStore);
  const app = loupe.part(deckApp);
  const listeners = new Set();
  let visited = Number.NEGATIVE_INFINITY; // when the latest slide was requested
  const slides = () => store.read().slides;
  const place = () => readPlace(sessionStorage.getItem(PLACE));
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const keep = (next) => {
    const before = place();
    sessionStorage.setItem(PLACE, JSON.stringify(next));
    const link = slides()[next.at]?.link;
    if (link && before?.at !== next.at) {
      visited = performance.now();
      visit(addressOf(spokenAs(link, location.search), app.data, true));
    }
    tell();
  };
  const leave = () => {
    sessionStorage.removeItem(PLACE);
    tell();
    visit(`${app.data.base}/${spokenAs("lecture", location.search)}`);
  };
  return {
    store,
    slides,
    place,
    /** @param {() => void} listener @param {AbortSignal} signal */
    listen(listener, signal) {
      listeners.add(listener);
      signal.addEventListener("abort", () => listeners.delete(listener));
    },
    /** Return the current slide, or null if no lecture is given. */
    slide: () => {
      const now = place();
      return (now && slides()[now.at]) ?? null;
    },
    /** Return whether a slide was requested so recently that its view may not have arrived yet. */
    isOnTheWay: () => performance.now() - visited < ON_THE_WAY_MS,
    begin(at) {
      sessionStorage.removeItem(PLACE);
      keep({ at, seen: [], began: Date.now() });
    },
    ...turns(store, place, keep, tell),
    ...drawing(slides, keep, leave),
    end: leave,
  };
}

/** Return the actions on a lecture in progress.
 * @param {{read(): import("./deck.js").Deck, change(make: (deck: any) => any): void}} store
 * @param {() => Place | null} place
 * @param {(next: Place) => void} keep
 * @param {() => void} tell
 */
export function turns(store, place, keep, tell) {
  const slides = () => store.read().slides;
  const act = (make) => {
    const now = place();
    if (now && slides().length) keep(make(now));
  };
  return {
    turn: (by) => act((now) => turned(slides(), now, by)),
    jump: (at) => act((now) => ({ ...now, at: Math.max(0, Math.min(at, slides().length - 1)) })),
    cover: (isToBe) =>
      act((now) => {
        const { id } = slides()[now.at];
        const others = now.seen.filter((one) => one !== id);
        return { ...now, seen: isToBe ? others : [...others, id] };
      }),
    /** Restart the clock. */
    restart: () => act((now) => ({ ...now, began: Date.now() })),
    count(slide, index, hands) {
      const all = choicesOf(slide, "").map((_, i) =>
        i === index ? hands : (slide.hands[i] ?? null),
      );
      store.change((deck) => ({ ...deck, slides: changed(deck.slides, slide.id, { hands: all }) }));
      tell();
    },
  };
}

// Show slides only to draw them, so that the lecture can be printed.
function drawing(slides, keep, leave) {
  const drawFrom = (from) => {
    const at = nextToDraw(slides(), from);
    if (at >= 0) keep({ at, seen: [], draws: true });
    else leave();
  };
  return {
    drawFrom,
    print() {
      sessionStorage.setItem(TO_PRINT, "true");
      drawFrom(0);
    },
    stopDrawing() {
      sessionStorage.removeItem(TO_PRINT);
      leave();
    },
  };
}

/** Return a link with the language of another address, unless the link names one.
 * @param {string} link
 * @param {string} search the query of that address
 */
export function spokenAs(link, search) {
  const spoken = new URLSearchParams(search).get("lang");
  const [page, text = ""] = link.split("?", 2);
  const query = new URLSearchParams(text);
  if (!spoken || query.has("lang")) return link;
  query.set("lang", spoken);
  return `${page}?${query}`;
}

/** Open another view of the app without reloading it. As with the browser's Back button, the address decides it all.
 * @param {string} address
 */
export function visit(address) {
  history.pushState(null, "", address);
  window.dispatchEvent(new PopStateEvent("popstate", { state: null }));
}

/** @returns {Place | null} */
function readPlace(text) {
  try {
    const { at, seen, draws, began } = JSON.parse(text ?? "null") ?? {};
    const isPlace = Number.isInteger(at) && at >= 0 && Array.isArray(seen);
    return isPlace ? { at, seen, draws, began } : null;
  } catch {
    return null;
  }
}
