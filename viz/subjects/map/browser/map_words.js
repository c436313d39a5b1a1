// What a block of the map says: to those who hear it, and under the pointer.

import { element } from "../../../pictures/browser/elements.js";

/** All that is said of a block; where its name is written in it and read from there, what comes after the name.
 * @param {import("./wire").WireBlock} block
 * @param {boolean} isWritten
 * @param {import("./map").Context} ctx
 */
export function mapSpoken({ label, layer, note, shape, sentence }, isWritten, ctx) {
  const name = isWritten ? "" : label;
  const place = layer === undefined ? "" : `layer ${layer}`;
  const facts = [name, place, note, shape.replaceAll("×", "by")].filter(Boolean).join(", ");
  return `${facts}. ${ctx.map.sentences[sentence]}`;
}

/**
 * @param {import("./wire").WireBlock} block
 * @param {import("./map").Context} ctx
 */
export function mapHover(block, ctx) {
  const picture = ctx.map.pictures[block.tensor];
  const size = picture && `${picture.rows} × ${picture.columns}`;
  const part = size && size !== block.shape ? `, of which ${size} are drawn, evenly spaced` : "";
  const drawn = block.pictured && picture ? `${part}; largest magnitude ${picture.largest}` : "";
  const tokens =
    block.role === "tokens" ? [element("div", {}, ctx.map.tokens[block.stack].join(" "))] : [];
  return [
    element("b", {}, block.note ? `${block.label}: ${block.note}` : block.label),
    element("div", {}, element("code", {}, block.tensor)),
    `${block.shape}${drawn}`,
    element("div", { class: "loupe-map-sentence" }, ctx.map.sentences[block.sentence]),
    ...tokens,
  ];
}

/** What the page says of a block without a pointer over it: its name, what it does, where it leads.
 * @param {import("./wire").WireBlock | undefined} block
 * @param {import("./map").Context} ctx
 * @param {() => void} open
 */
export function mapSaid(block, ctx, open) {
  if (!block) return [];
  const layer = block.layer === undefined ? "" : `, layer ${block.layer}`;
  const lead = block.kind ? "Open its heads" : "Open its numbers";
  return [
    element("b", {}, `${block.label}${layer}`),
    element("p", {}, ctx.map.sentences[block.sentence]),
    element("p", {}, element("code", {}, block.tensor), ` ${block.shape}`),
    element("button", { type: "button", class: "loupe-map-open", onclick: open }, lead),
  ];
}
