// A lecture on the site: each slide opens its view, below the title, question and bar as in the app.

import { DeckFault, readDeck } from "../../frame/browser/deck.js";
import { turns } from "../../frame/browser/deck_giving.js";
import { steer } from "../../frame/browser/deck_keys.js";
import { drawParts } from "../../frame/browser/deck_parts.js";
import { addressOfPicture } from "../../frame/browser/deck_pictures.js";
import { clamp, element } from "../../pictures/browser/elements.js";
import { say, sayOf } from "../../pictures/browser/say.js";

/** Return the slide that the address names, or the first one if the address is bare.
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

// Return where a slide is. One whose view the site lacks is shown on the first page.
function stopAt(lecture, asked) {
  const at = clamp(asked || 0, lecture.deck.slides.length);
  const isElsewhere = lecture.elsewhere.includes(at);
  const [page, text] = lecture.deck.slides[at].link.split("?");
  const query = isElsewhere ? {} : Object.fromEntries(new URLSearchParams(text));
  const path = isElsewhere || page === "start" ? "" : page;
  return { lecture, at, isElsewhere, page: path, query: { ...query, slide: at + 1 } };
}

/** Give the lecture: draw the parts around a slide, or show where its view is, and let people turn to other slides.
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
    const slide = { ...deck.slides[at], hands: [] }; // the site counts no hands
    drawParts({ slide, giving, app: { pages: [], models: {} }, reader }, parts);
    parts.top.querySelector("h2").ariaLevel = "1"; // because the page's own heading is hidden
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
  const reader = {
    chosen: "",
    choose(answer) {
      reader.chosen = answer;
      giving.cover(false);
    },
  };
  document.body.append(...Object.values(parts));
  draw();
  window.addEventListener("keydown", (event) => steer(event, giving), { capture: true });
  const { panel } = deck.slides[at];
  const part = panel ? `.st-key-${CSS.escape(panel)}` : ".site-part";
  if (isElsewhere) showElsewhere(main, lecture, at);
  else (main.matches(part) ? main : main.querySelector(part))?.classList.add("site-part");
}

// Show a slide whose view the site lacks: its picture, if there is one, and where the view is.
async function showElsewhere(main, { deck, pictures }, at) {
  const slide = deck.slides[at];
  const page = sayOf("page", slide.link.split("?", 1)[0]);
  const place = element("div", { class: "site-elsewhere" });
  main.append(place);
  const picture = at in pictures ? await pictureAt(pictures, at).catch(() => null) : null;
  const said = picture
    ? say("site.slide_picture", { page })
    : say("site.slide_elsewhere", { page });
  const lost = at in pictures && !picture;
  place.replaceChildren(
    ...(picture ? [imageOf(picture, slide)] : []),
    ...(lost ? [element("p", { role: "status" }, say("site.not_loaded"))] : []),
    element("p", {}, said, " ", element("code", {}, "python3 start.py")),
  );
}

/** @returns {Promise<import("../../pictures/browser/wire").WirePicture>} */
async function pictureAt(pictures, at) {
  if (pictures[at]) return pictures[at];
  const file = await fetch(new URL(`slides/${at}.json`, import.meta.url));
  return file.json();
}

// On a phone, a wide picture can be scrolled sideways.
const imageOf = ({ light, dark }, { shows, caption, title }) =>
  element(
    "div",
    { class: "site-picture", tabindex: "0", role: "group", "aria-label": title },
    element(
      "picture",
      {},
      element("source", {
        media: "(prefers-color-scheme: dark)",
        srcset: addressOfPicture(dark),
      }),
      element("img", { src: addressOfPicture(light), alt: shows || caption || title }),
    ),
  );
