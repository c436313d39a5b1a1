// What was patched on a page of its own, without a server: all that it draws stands in the page.

import { createLoupe } from "../../../pictures/browser/explorer.js";
import { followParent, followScheme, inflated } from "../../../pictures/browser/own_page.js";
import { components } from "./patching.js";

/** Draw the cells that a page holds.
 * @param {Document} page with the data as JSON in #sent, and an element for the picture
 */
export async function begin(page) {
  /** @type {import("./wire").WirePatchingPage} */
  const { meta, shares } = JSON.parse(page.getElementById("sent").textContent);
  const values = new Float32Array(await inflated(shares));
  const loupe = createLoupe(page);
  followScheme(page, loupe);
  loupe.mount("mattered_patching", components.mattered_patching, {
    data: { meta, shares: { getChild: () => ({ toArray: () => values }) } },
    parentElement: page.getElementById("patching"),
    setTriggerValue: () => {},
  });
  followParent(page, loupe);
}
