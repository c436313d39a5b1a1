// The keys that turn the slides, including those of a clicker.

import { keyboardInUse } from "../../pictures/browser/keyboard.js";
import { GIVING } from "./deck_fit.js";

const TURNS = { PageUp: -1, PageDown: 1 };
const ARROWS = { ArrowLeft: -1, ArrowRight: 1 }; // with Shift they move the cell

/** Turn the slides. These keys take precedence over those of the page.
 * @param {KeyboardEvent} event
 * @param {{place(): any, slides(): ArrayLike<any>, isOnTheWay(): boolean, turn(by: number): void, jump(at: number): void}} giving
 */
export function steer(event, giving) {
  const isOn = document.documentElement.classList.contains(GIVING) || giving.isOnTheWay();
  if (!giving.place() || !isOn) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (document.querySelector("[role=dialog], dialog[open]")) return;
  const isTyped =
    event.target instanceof Element && event.target.matches("input, textarea, select");
  if (TURNS[event.key]) giving.turn(TURNS[event.key]);
  else if (ARROWS[event.key] && isOutside(event)) giving.turn(ARROWS[event.key]);
  else if (event.key === "Home" && !isTyped) giving.jump(0);
  else if (event.key === "End" && !isTyped) giving.jump(giving.slides().length - 1);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

// Return whether the focus is outside the picture and nothing is being typed.
const isOutside = (event) =>
  !keyboardInUse(event) && !event.target.closest?.("main, [data-testid=stMain]");
