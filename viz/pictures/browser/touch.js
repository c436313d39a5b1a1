// Touch: a tap shows what a resting mouse pointer would, because the picture receives the same event.

import { tooltip } from "./tooltip.js";

/** Make taps on pictures show what a mouse pointer would. The next touch, which may begin a scroll, hides it.
 * @param {Window} page
 */
export function followTaps(page) {
  const { document } = page;
  let byFinger = false;
  document.addEventListener(
    "pointerdown",
    (event) => {
      byFinger = event.pointerType === "touch";
      if (byFinger) tooltip.hide();
    },
    { capture: true },
  );
  document.addEventListener("click", (event) => {
    const { target, clientX, clientY } = event;
    if (!byFinger || !(target instanceof Element) || !target.isConnected) return;
    const place = { clientX, clientY, bubbles: true, pointerType: "touch" };
    target.dispatchEvent(new PointerEvent("pointermove", place));
  });
}
