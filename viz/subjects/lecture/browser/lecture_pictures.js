// The picture of a slide in a list: the one that comes with a ready view, else the one that this browser keeps.

import { pictureOf } from "../../../frame/browser/deck_pictures.js";
import { partsOfLink } from "../../../frame/browser/deck_view.js";
import { colours } from "../../../pictures/browser/colours.js";
import { element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";

/** An image of what a slide shows; null while there is none of this view.
 * @param {import("../../../frame/browser/deck_pictures.js").Pictured} slide
 * @param {import("./wire").WireShipped[]} shipped
 * @param {import("../../../pictures/browser/wire").WireDeck} app
 */
export function imageOf(slide, shipped, app) {
  const source = readyPicture(slide, shipped, app) || pictureOf(slide);
  const alt = say("lecture.picture", { page: partsOfLink(slide.link, app).page });
  return source ? element("img", { loading: "lazy", alt, src: source }) : null; // lazy before there is a source
}

// Of the very same view: a slide whose link or part was changed has none.
function readyPicture({ link, panel }, shipped, { base }) {
  const view = `${link}#${panel}`; // a link has no # itself
  const found = shipped.find(({ pictures }) => view in pictures)?.pictures[view];
  return found ? `${base}/${colours().isDark ? found.dark : found.light}` : "";
}
