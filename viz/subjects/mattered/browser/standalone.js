// The results of activation patching on a standalone page.

import { followParent, followScheme, tableOf } from "../../../alone/browser/page.js";
import { createLoupe } from "../../../pictures/browser/explorer.js";
import { components } from "./patching.js";

/** Draw the cells that a page holds.
 * @param {Document} page with an element for the picture
 * @param {{ meta: import("./wire").WirePatching, shares: Float32Array }} sent
 */
export function begin(page, { meta, shares }) {
  const loupe = createLoupe(page);
  followScheme(page, loupe);
  loupe.mount("mattered_patching", components.mattered_patching, {
    data: { meta, shares: tableOf(shares) },
    parentElement: page.getElementById("patching"),
    setTriggerValue: () => {},
  });
  followParent(page, loupe);
}
