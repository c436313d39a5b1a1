// What a pointer says by resting, a finger says by a tap: the picture is told of the place as if a mouse had come there.

import { tooltip } from "./tooltip.js";

/** Let taps on pictures show what the pointer would; the next touch, with which scrolling begins too, puts it away.
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
