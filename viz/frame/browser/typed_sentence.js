// The output of the browser's own model for the sentence that is being typed, in place of Python's.

import { element, pageMark } from "../../pictures/browser/elements.js";
import { createTyped } from "../../pictures/browser/live/typed.js";
import { differenceText } from "../../pictures/browser/numbers.js";
import { typedNow } from "../../pictures/browser/run.js";
import { say } from "../../pictures/browser/say.js";

const PLACE = ".st-key-bar_out";
/** Characters that fit on a phone without scrolling. A longer sentence can be focused, to be scrolled by keyboard. */
const FITS = 60;

/** Make the element, and return the function that draws it again.
 * @param {import("../../pictures/browser/types").Loupe} loupe
 * @param {AbortSignal} signal
 */
export function createTypedSentence(loupe, signal) {
  const typed = loupe.part(createTyped);
  const sentence = element("span", {});
  const unfinished = element("span", { class: "loupe-unfinished", "aria-hidden": "true" });
  const written = element("p", { class: "loupe-live-sentence", dir: "auto" }, sentence, unfinished);
  const mark = element("span", { class: "loupe-live-mark" });
  const node = element("div", { class: "loupe-live" }, written, mark);
  const markTyping = pageMark("loupe-is-typed", signal);
  signal.addEventListener("abort", () => node.remove());
  return () => {
    const place = document.querySelector(PLACE);
    const answer = typedNow(loupe);
    const checked = answer ? null : typed.checked();
    markTyping(Boolean(answer));
    node.classList.toggle("loupe-live-checked", !answer);
    if (!place || !(answer || checked)) return node.remove();
    if (node.parentElement !== place) place.append(node);
    written.hidden = !answer?.tokens.target.length; // because some models only read
    if (answer) {
      sentence.textContent = answer.sentence || say("frame.wrote_nothing");
      written.tabIndex = sentence.textContent.length > FITS ? 0 : -1;
      unfinished.textContent = typed.unfinished() ? ` ${typed.unfinished()}…` : "";
    }
    const [shown, words] = answer ? wordsOf(answer, typed.isRounded()) : markOf(checked);
    if (mark.textContent !== shown) mark.textContent = shown;
    mark.title = words;
  };
}

// Say which model answers while a sentence is typed. After a change, Python answers before anyone could read that.
function wordsOf({ isTyped }, isRounded) {
  if (!isTyped) return ["", ""];
  return [say("frame.typed"), isRounded ? say("frame.typed_rounded") : say("frame.typed_why")];
}

// Return how far the browser's run was from PyTorch's.
function markOf({ difference, isRounded }) {
  if (!Number.isFinite(difference)) return ["", ""];
  const most = { difference: differenceText(difference) };
  if (isRounded) return ["≈", say("frame.typed_near", most)];
  return ["✓", say("frame.typed_checked", most)];
}
