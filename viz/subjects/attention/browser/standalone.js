// The attention of one run on a page of its own, without a server: all that it draws stands in the page.

import { createLoupe } from "../../../pictures/browser/explorer.js";
import { followParent, followScheme, inflated, tell } from "../../../pictures/browser/own_page.js";
import { components as kept } from "../../../pictures/browser/run.js";
import { components as chosen } from "../../../pictures/browser/selection.js";
import { components as oneHead } from "./head.js";
import { components as allHeads } from "./heads.js";
import { components as words } from "./reading.js";

const PICTURES = { ...kept, ...chosen, ...words, ...allHeads, ...oneHead };
const UNCHANGED = { off: [], damage: {} };

/** Draw the run that a page holds.
 * @param {Document} page with the data as JSON in #sent, and an element for each picture
 * @param {(loupe: import("../../../pictures/browser/types").Loupe, sent: import("./wire").WireStandalone) => void} prepare
 *   the explorer before anything is drawn
 */
export async function begin(page, prepare = () => {}) {
  /** @type {import("./wire").WireStandalone} */
  const sent = JSON.parse(page.getElementById("sent").textContent);
  const { run } = sent.run;
  const [codes, numbers] = [
    new Uint16Array(await inflated(sent.codes)),
    sent.numbers && new Float32Array(await inflated(sent.numbers)),
  ];
  const loupe = createLoupe(page);
  prepare(loupe, sent);
  const put = (name, setup, data, setTriggerValue = (_event, _value) => {}) =>
    loupe.mount(name, setup, { data, parentElement: page.getElementById(name), setTriggerValue });
  const show = (name, data, trigger) => put(name, PICTURES[name], data, trigger);
  followScheme(page, loupe);
  show("run", { meta: sent.run, codes: tableOf(codes), numbers: numbers && tableOf(numbers) });
  show("measures", sent.measures);
  show("selection", sent.choice, (event, choice) => {
    if (event === "commit") tell("loupeSelection", placeOf(choice));
  });
  show("reading", { run, ...UNCHANGED });
  show("heads", { run, ...UNCHANGED });
  show("head", { run });
  followParent(page, loupe);
  return { loupe, sent, put };
}

// As Streamlit gives a table of Arrow.
const tableOf = (array) => ({ getChild: () => ({ toArray: () => array }) });

const placeOf = ({ kind, layer, head, query, key }) => ({ kind, layer, head, query, key });
