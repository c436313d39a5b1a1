// A vector picture of each slide, drawn while the slide was shown, and stored by the browser as far as it has room.

import { toSVG } from "../../pictures/browser/saving/svg.js";
import { panelNode } from "./deck_view.js";

const KEPT = "loupe.deck.pictures";
const MOST_KEPT = 2_000_000; // characters of all pictures together; a browser stores about five million per server
const MAIN = "[data-testid=stMainBlockContainer]";

/** @typedef {{link: string, panel: string, svg: string}} Picture */
/** @typedef {Pick<import("./deck.js").Slide, "id" | "link" | "panel">} Pictured its id and view */

/** @type {Map<string, Picture> | null} */
let pictures = null; // by the id of the slide, the latest ones at the end

function known() {
  pictures ??= new Map(Object.entries(readKept()));
  return pictures;
}

function readKept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    const isPicture = (one) =>
      ["link", "panel", "svg"].every((name) => typeof one?.[name] === "string");
    return Object.fromEntries(Object.entries(found ?? {}).filter(([, one]) => isPicture(one)));
  } catch {
    return {};
  }
}

/** Return a slide's picture as an image's address, so that nothing in it runs, or "" without a picture of this view.
 * @param {Pictured} slide
 */
export function pictureOf(slide) {
  const svg = drawingOf(slide);
  return svg && addressOfPicture(svg);
}

/** Return the address of an SVG drawing for an image. @param {string} svg */
export const addressOfPicture = (svg) => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/** Return the stored picture of a slide as SVG, or "" if it is of another view.
 * @param {Pictured} slide
 */
export function drawingOf({ id, link, panel }) {
  const found = known().get(id);
  return found && found.link === link && found.panel === panel ? found.svg : "";
}

/** Store the pictures that a file holds of its slides.
 * @param {import("./deck.js").Slide[]} slides
 */
export function takePictures(slides) {
  const all = known();
  for (const { id, link, panel, picture } of slides)
    if (picture) all.set(id, { link, panel, svg: picture });
  write(all);
}

/** Draw the slide that is shown, and store its picture.
 * @param {import("../../pictures/browser/types").Loupe} loupe
 * @param {import("./deck.js").Slide} slide
 */
export function keepPicture(loupe, slide) {
  const node = panelNode(slide.panel) ?? document.querySelector(MAIN);
  if (!node?.clientWidth) return;
  const svg = toSVG(loupe, node, { title: slide.title });
  const all = known();
  all.delete(slide.id);
  all.set(slide.id, { link: slide.link, panel: slide.panel, svg });
  write(all);
}

// Store the latest pictures, as far as there is room.
function write(all) {
  let room = MOST_KEPT;
  const kept = [...all].reverse().filter(([, one]) => {
    room -= one.svg.length + one.link.length;
    return room > 0;
  });
  try {
    localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(kept.reverse())));
  } catch {
    // without room, the pictures last as long as this tab
  }
}
