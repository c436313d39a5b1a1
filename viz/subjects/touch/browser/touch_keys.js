// The keyboard's hand: + and − pull the line of the chosen row to the chosen word, Enter lets go, x cuts.

import { keyboardInUse } from "../../../pictures/browser/keyboard.js";

const STEP = 0.1;

/** Follow the keyboard.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {HTMLElement} host
 * @param {import("./touch_hand").Hand} hand
 * @param {AbortSignal} signal
 */
export function followKeys(loupe, host, hand, signal) {
  const acts = {
    "+": (key) => hand.strengthen(key, STEP),
    "=": (key) => hand.strengthen(key, STEP),
    "-": (key) => hand.strengthen(key, -STEP),
    x: (key) => hand.cut(key),
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const scene = hand.scene();
    if (!scene || keyboardInUse(event)) return;
    const key = keyOf(event, host) ?? Math.min(scene.place.key, scene.keys.length - 1);
    if (event.key === "Escape" && hand.state.trial.length) hand.cancel();
    else if (event.key === "Enter" && hand.state.trial.length) hand.release();
    else if (acts[event.key]) acts[event.key](key);
    else return;
    event.preventDefault();
  };
  loupe.root.addEventListener("keydown", onKey, { signal, capture: true });
}

// Return the key of the word that has the focus, if it is a word that is read.
function keyOf(event, host) {
  const node = event.target instanceof Element ? event.target.closest("[data-key]") : null;
  return node && host.contains(node) ? Number(node.dataset.key) : null;
}
