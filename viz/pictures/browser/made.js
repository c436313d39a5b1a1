// What each part of a page was made for: one made for another run, head or cell is not shown. While a sentence is typed,
// of which Python knows nothing, it is dimmed.

import { TYPED, typedNow } from "./run.js";

/** Keeps what the parts of an explorer's page were made for.
 * @param {import("./types").Loupe} loupe
 */
export function createFreshness(loupe) {
  const parts = new Map(); // element -> names and values of the selection that it was made for
  const isOf = (made) =>
    Object.entries(made).every(([name, value]) => loupe.selection?.[name] === value);
  const show = () => {
    const isOurs = loupe.selection?.run === TYPED; // Python's is on its way, or waits for the end of a sentence
    const isTyped = Boolean(typedNow(loupe)?.isTyped);
    for (const [node, made] of parts) {
      node.classList.toggle("loupe-stale", !isOf(made) && !isOurs);
      node.classList.toggle("loupe-before", !isOf(made) && isTyped);
    }
  };
  const freshness = {
    /** @type {() => void} what to do when a part has come that is of another selection */
    ask: () => {},
    /** Note what a part was made for.
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
    /** Whether Python has made every part for the selection in view. */
    isFresh: () => [...parts.values()].every(isOf),
  };
  return freshness;
}

// Says what parts of the page that Streamlit draws were made for. Draws nothing.
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
