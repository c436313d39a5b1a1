// The picture of a slide in a list: the one that comes with a ready-made view, else the one that this browser keeps.

import { pictureOf } from "../../../frame/browser/deck_pictures.js";
import { partsOfLink } from "../../../frame/browser/deck_view.js";
import { colours } from "../../../pictures/browser/colours.js";
import { element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";

/** Return an image of what a slide shows; null if there is none of this view.
 * @param {import("../../../frame/browser/deck_pictures.js").Pictured} slide
 * @param {import("./wire").WireShipped[]} shipped
 * @param {import("../../../pictures/browser/wire").WireDeck} app
 */
export function imageOf(slide, shipped, app) {
  const source = readyPicture(slide, shipped, app) || pictureOf(slide);
  const alt = say("lecture.picture", { page: partsOfLink(slide.link, app).page });
  return source ? element("img", { loading: "lazy", alt, src: source }) : null; // `loading` must be set before `src`
}

// Return the ready-made picture of exactly this view; a slide whose link or part was changed has none.
function readyPicture({ link, panel }, shipped, { base }) {
  const view = `${link}#${panel}`; // a link itself contains no #
  const found = shipped.find(({ pictures }) => view in pictures)?.pictures[view];
  return found ? `${base}/${colours().isDark ? found.dark : found.light}` : "";
}
