// The run, head and cell for which each part of a page was made. A part made for another selection is hidden. While a
// sentence is typed that Python does not know yet, such parts are dimmed.

import { TYPED, typedNow } from "./run.js";

/** Track the selection for which each part of an explorer's page was made.
 * @param {import("./types").Loupe} loupe
 */
export function createFreshness(loupe) {
  const parts = new Map(); // element -> names and values of the selection for which it was made
  const isOf = (made) =>
    Object.entries(made).every(([name, value]) => loupe.selection?.[name] === value);
  const show = () => {
    const isOurs = loupe.selection?.run === TYPED; // Python's run is yet to come, maybe after the sentence
    const isTyped = Boolean(typedNow(loupe)?.isTyped);
    for (const [node, made] of parts) {
      node.classList.toggle("loupe-stale", !isOf(made) && !isOurs);
      node.classList.toggle("loupe-before", !isOf(made) && isTyped);
    }
  };
  const freshness = {
    /** @type {() => void} called when a part arrives that was made for another selection */
    ask: () => {},
    /** Note the selection for which a part was made.
     * @param {Element} node
     * @param {Record<string, unknown>} made
     */
    put(node, made) {
      parts.set(node, made);
      show();
      if (!isOf(made)) freshness.ask();
    },
    forget: (node) => parts.delete(node),
    show,
    /** Return whether Python has made every part for the current selection. */
    isFresh: () => [...parts.values()].every(isOf),
  };
  return freshness;
}

// Note the selection for which the parts drawn by Streamlit were made. Draws nothing.
/** @type {import("./types").Setup} */
function made(loupe, { listen, signal }) {
  const freshness = loupe.part(createFreshness);
  let nodes = [];
  const forget = () => {
    nodes.forEach(freshness.forget);
    nodes = [];
  };
  listen((what) => (what === "selection" || what === "run") && freshness.show());
  signal.addEventListener("abort", forget);
  return ({ places, selection }) => {
    forget();
    nodes = places.flatMap((place) => [...document.querySelectorAll(`.st-key-${place}`)]);
    for (const node of nodes) freshness.put(node, selection);
  };
}

export const components = { made };
