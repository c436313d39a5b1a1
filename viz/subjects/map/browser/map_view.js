// What is in view on the map: the highlighted blocks and the painted pictures.

import { colours } from "../../../pictures/browser/colours.js";

// The roles of the blocks that belong to a page.
const MAP_ROLES = {
  positions: ["positions", "sum"],
  embeddings: ["embedding"],
  decoding: ["linear", "output"],
};

/** Return the blocks of the selected kind and layer; none before a run has sent a selection.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {import("./map_run").ShownMap} map
 */
export const mapBlocksSelected = ({ selection }, map) =>
  selection
    ? map.blocks.filter(({ kind, layer }) => kind === selection.kind && layer === selection.layer)
    : [];

/** Return the blocks in view. Every tensor of a run belongs to one block.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {import("./map_run").ShownMap} map
 */
export function mapBlocksInView(loupe, map) {
  const { page, selection } = loupe;
  if (map.lit.length) return map.blocks.filter(({ id }) => map.lit.includes(id));
  if ((page === "" || page === "attention") && selection) return mapBlocksSelected(loupe, map);
  const tensor = map.tensor ?? loupe.tensor;
  if (page !== "map" || !tensor)
    return map.blocks.filter(({ role }) => MAP_ROLES[page]?.includes(role));
  const holds = (block) => block.holds?.includes(tensor);
  const found = map.blocks.filter((block) => holds(block) || tensor.startsWith(`${block.id}.`));
  return [found.find(holds) ?? found.at(-1)].filter(Boolean);
}

/** Highlight the blocks in view, the badges on the page about masks, and the selected head.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {import("./map_run").ShownMap} map
 */
export function mapLight(loupe, root, map) {
  const lit = new Set(mapBlocksInView(loupe, map).map(({ id }) => id));
  for (const node of root.querySelectorAll(".loupe-map-block")) {
    const here = lit.has(node.dataset.block);
    node.classList.toggle("loupe-map-lit", here);
    if (here) node.setAttribute("aria-current", "location");
    else node.removeAttribute("aria-current");
  }
  for (const node of root.querySelectorAll(".loupe-map-badge"))
    node.classList.toggle("loupe-map-lit", loupe.page === "masks");
  for (const node of root.querySelectorAll(".loupe-map-head")) {
    const here = loupe.page !== "map" && lit.has(node.dataset.block);
    node.classList.toggle(
      "loupe-map-lit",
      here && node.dataset.head === String(loupe.selection?.head),
    );
  }
}

/** Paint the pictures of visible blocks that have changed.
 * @param {import("./map").Context} ctx
 * @param {(block: import("./map_run").Block) => boolean} seen
 */
export function mapPaint(ctx, seen) {
  let palette = null;
  for (const picture of ctx.pictures) {
    if (!seen(picture.block)) continue;
    const key = picture.key();
    if (key === null || picture.painted === key) continue;
    picture.painted = key;
    palette ??= colours();
    picture.paint(palette);
  }
}
