// The attention of one run, on a standalone page.

import { followParent, followScheme, tableOf, tell } from "../../../alone/browser/page.js";
import { element } from "../../../pictures/browser/elements.js";
import { createLoupe } from "../../../pictures/browser/explorer.js";
import { components as kept } from "../../../pictures/browser/run.js";
import { components as chosen } from "../../../pictures/browser/selection.js";
import { components as oneHead } from "./head.js";
import { components as allHeads } from "./heads.js";
import { components as words } from "./reading.js";

const PICTURES = { ...kept, ...chosen, ...words, ...allHeads, ...oneHead };
const UNCHANGED = { off: [], damage: {} };

/** Draw the run that a page holds.
 * @param {Document} page with an element for each visible picture
 * @param {import("./wire").WireStandalone & { codes: Uint16Array, numbers?: Float32Array }} sent
 */
export function begin(page, sent) {
  return drawRun(page, sent, createLoupe(page));
}

/** Draw a run with an explorer.
 * @param {Document} page
 * @param {Parameters<typeof begin>[1]} sent
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 */
export function drawRun(page, sent, loupe) {
  const { run } = sent.run;
  const put = (name, setup, data, setTriggerValue = (_event, _value) => {}) =>
    loupe.mount(name, setup, { data, parentElement: placeFor(page, name), setTriggerValue });
  const show = (name, data, trigger) => put(name, PICTURES[name], data, trigger);
  followScheme(page, loupe);
  const numbers = sent.numbers ? tableOf(sent.numbers) : null;
  show("run", { meta: sent.run, codes: tableOf(sent.codes), numbers });
  show("measures", sent.measures);
  show("selection", sent.choice, (event, choice) => {
    if (event === "commit") tell("loupeSelection", placeOf(choice));
  });
  show("reading", { run, ...UNCHANGED });
  show("heads", { run, ...UNCHANGED });
  show("head", { run });
  followParent(page, loupe);
  return { put };
}

// Return the place of a picture; a component that draws nothing gets a hidden one.
function placeFor(page, name) {
  const place = page.getElementById(name) ?? element("span", { hidden: true });
  if (!place.isConnected) page.body.append(place);
  return place;
}

const placeOf = ({ kind, layer, head, query, key }) => ({ kind, layer, head, query, key });
