// What can be saved of an explorer, and what every file says of where it comes from.

import { toPNG, withText } from "./png.js";
import { toSVG } from "./svg.js";
import { csvText } from "./table.js";

const KEY = "Loupe"; // under which a file says where it comes from

/** Why something is not saved, in words for people. */
export class Refusal extends Error {}

/** The time at which a file is made: one place, for tests to replace. */
export const clock = { now: () => new Date() };

/** Where a file comes from, in JSON.
 * @param {import("../types").Loupe} loupe
 * @param {import("../types").Offer} offer
 */
export function provenanceOf(loupe, { name, said }) {
  const date = clock.now().toISOString();
  const own = { what: name, ...placeOf(loupe), ...said?.(), date };
  return JSON.stringify({ ...loupe.saving.provenance, ...own });
}

// What only the browser knows: what is selected, and the address of the view.
function placeOf({ selection }) {
  const { run: _, ...chosen } = selection ?? {};
  return { selection: chosen, link: location.href };
}

/** @typedef {(loupe: import("../types").Loupe, offer: import("../types").Offer) => Promise<[BlobPart, string]>} Maker */

/** What makes each kind of file of a picture, or of any part of a page.
 * @type {Record<string, Maker>}
 */
export const MAKERS = {
  async png(loupe, offer) {
    const pixels = await toPNG(toSVG(loupe, offer.node, { title: offer.name }));
    const said = withText(pixels, KEY, provenanceOf(loupe, offer));
    return [/** @type {BlobPart} */ (said), "image/png"];
  },
  async svg(loupe, offer) {
    const metadata = provenanceOf(loupe, offer);
    return [toSVG(loupe, offer.node, { title: offer.name, metadata }), "image/svg+xml"];
  },
  async csv(loupe, offer) {
    const table = await offer.table();
    return [csvText(table, provenanceOf(loupe, offer)), "text/csv"];
  },
  npz: asked("npz"),
  safetensors: asked("safetensors"),
  html: asked("html"),
};

const WHOLE = new Set(["npz", "safetensors"]);
const TYPES = {
  npz: "application/octet-stream",
  safetensors: "application/octet-stream",
  html: "text/html",
};

/** What Python makes: the browser has a run rounded, or only what it draws of it.
 * @param {string} what
 * @returns {Maker}
 */
function asked(what) {
  return async (loupe) => {
    const file = await loupe.saving.ask({ what, ...placeOf(loupe) });
    return [/** @type {BlobPart} */ (file), TYPES[what]];
  };
}

/** Make a file and hand it to the person. Throws where it is covered, or cannot be made.
 * @param {import("../types").Loupe} loupe
 * @param {import("../types").Offer} offer
 * @param {string} kind a name of MAKERS, which also ends the file's name
 */
export async function save(loupe, offer, kind) {
  const why = loupe.saving.covered(offer.name);
  if (why) throw new Refusal(why);
  loupe.point(null); // what the pointer lights up is no part of a picture
  const [contents, type] = await MAKERS[kind](loupe, offer);
  const name = WHOLE.has(kind) ? "run" : fileName(offer.name);
  download(`loupe-${name}.${kind}`, new Blob([contents], { type }));
}

const fileName = (name) =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .toLowerCase()
    .slice(0, 60);

function download(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // the browser may be slow to begin
}
