// Whether the view of a slide has come: Python answers in its time, and the page before stays until then.

import { visit } from "./deck_giving.js";
import { panelNode } from "./deck_view.js";

const LOOK_EVERY_MS = 30;
const RUNS_WITHIN_MS = 1_500; // else nothing had to run for it
const MISSING_MS = 3_000; // after which a part that is not there is said to be missing
const LOOK_LATE_MS = 300;
const ASK_AGAIN_MS = 2_500; // where an answer for the page before has led back to that
const PATIENCE_MS = 20_000;

const isRunning = () =>
  document.querySelector("[data-testid=stApp]")?.getAttribute("data-test-script-state") ===
  "running";

const isAt = (address) => pathOf(location.href) === pathOf(address);
const pathOf = (address) => new URL(address, location.href).pathname.replace(/\/$/, "");

/** Waits for one view at a time. */
export function createWatch() {
  let timer = null;
  return {
    stop: () => clearTimeout(timer),
    /** Act once a view is there, or does not come.
     * @param {{address: string, panel: string, isNew: boolean}} wanted its part, and whether it was asked for just now
     * @param {() => void} act
     */
    wait({ address, panel, isNew }, act) {
      clearTimeout(timer);
      const began = performance.now();
      let hasRun = !isNew;
      let asked = 1;
      const look = () => {
        const waited = performance.now() - began;
        const runs = isRunning();
        hasRun ||= runs || waited > RUNS_WITHIN_MS;
        const isHere = hasRun && !runs && (!isNew || isAt(address));
        const isWhole = !panel || panelNode(panel) !== null;
        if (isNew && !runs && !isAt(address) && waited > asked * ASK_AGAIN_MS) {
          asked++;
          visit(address);
        }
        const isLost = waited > PATIENCE_MS || (isHere && waited > MISSING_MS);
        if ((isHere && isWhole) || isLost) act();
        else timer = setTimeout(look, LOOK_EVERY_MS);
      };
      timer = setTimeout(look, LOOK_EVERY_MS);
    },
    /** Act once a part is there that did not come in time, however late.
     * @param {string} panel
     * @param {() => void} act
     */
    follow(panel, act) {
      clearTimeout(timer);
      const look = () => {
        if (panelNode(panel)) act();
        else timer = setTimeout(look, LOOK_LATE_MS);
      };
      timer = setTimeout(look, LOOK_LATE_MS);
    },
  };
}

/** Act once nothing runs any more.
 * @param {() => void} act
 */
export function whenStill(act) {
  let quiet = 0;
  const look = () => {
    quiet = isRunning() ? 0 : quiet + 1;
    if (quiet > 10) act();
    else setTimeout(look, LOOK_EVERY_MS);
  };
  look();
}
