// Lets the browser run a change by a dial before Python does. Draws nothing, because Streamlit draws the dials.

import { createTyped } from "../../pictures/browser/live/typed.js";
import { sayChange } from "../../pictures/browser/twin/changes.js";

/** @type {import("../../pictures/browser/types").Setup} */
function dials(loupe, { signal }) {
  const typed = loupe.part(createTyped);
  /** @type {import("../../pictures/browser/wire").WireDials} */
  let sent = { dials: [] };
  const turn = ({ target }) => {
    for (const { place, changes } of sent.dials) {
      const node = target.closest(`.st-key-${place}`);
      if (!node) continue;
      const own = new Set(changes.flat().map(sayChange));
      const others = typed.changes().filter((made) => !own.has(sayChange(made)));
      const isTurned = others.length < typed.changes().length;
      const next = changes[placeOf(node, target, isTurned)];
      if (next) typed.change([...others, ...next]);
    }
  };
  loupe.root.addEventListener("click", turn, { signal, capture: true });
  loupe.root.addEventListener(
    "pointerover",
    ({ target }) =>
      /** @type {Element} */ (target).closest("[class*=st-key-dial]") && typed.prepareChange(),
    { signal },
  );
  /** @param {import("../../pictures/browser/wire").WireDials} data */
  return (data) => {
    sent = data;
  };
}

// Return the chosen place of a dial: that of the button, or the other one of a switch.
function placeOf(node, target, isTurned) {
  if (node.querySelector("input[type=checkbox]")) return isTurned ? 0 : 1;
  return [...node.querySelectorAll("button")].indexOf(target.closest("button"));
}

export const components = { dials };
