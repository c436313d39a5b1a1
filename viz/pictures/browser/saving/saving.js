// The files that can be saved from an explorer, and the provenance in each of them.

import { toPNG, withText } from "./png.js";
import { toSVG } from "./svg.js";
import { csvText } from "./table.js";

const KEY = "Loupe"; // the name of a file's provenance

/** The reason, in words for people, why something is not saved. */
export class Refusal extends Error {}

/** The clock for the time at which a file is made, which tests can replace. */
export const clock = { now: () => new Date() };

/** Return the provenance of a file as JSON.
 * @param {import("../types").Loupe} loupe
 * @param {import("../types").Offer} offer
 */
export function provenanceOf(loupe, { name, said }) {
  const date = clock.now().toISOString();
  const own = { what: name, ...placeOf(loupe), ...said?.(), date };
  return JSON.stringify({ ...loupe.saving.provenance, ...own });
}

// Return what only the browser knows: the selection and the address of the view.
function placeOf({ selection }) {
  const { run: _, ...chosen } = selection ?? {};
  return { selection: chosen, link: location.href };
}

/** @typedef {(loupe: import("../types").Loupe, offer: import("../types").Offer) => Promise<[BlobPart, string]>} Maker */

/** The functions that make each kind of file of a picture, or of any part of a page.
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

/** Make a file in Python, because the browser has only rounded numbers of a run, or only those that it draws.
 * @param {string} what
 * @returns {Maker}
 */
function asked(what) {
  return async (loupe) => {
    const file = await loupe.saving.ask({ what, ...placeOf(loupe) });
    return [/** @type {BlobPart} */ (file), TYPES[what]];
  };
}

/** Make a file and offer it as a download. Throw an error if that is not allowed or fails.
 * @param {import("../types").Loupe} loupe
 * @param {import("../types").Offer} offer
 * @param {string} kind a name of MAKERS, which is also the file's extension
 */
export async function save(loupe, offer, kind) {
  const why = loupe.saving.covered(offer.name);
  if (why) throw new Refusal(why);
  loupe.point(null); // highlights under the pointer do not belong to the picture
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
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // because the browser may be slow to begin
}
