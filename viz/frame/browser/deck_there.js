// Whether the view of a slide has arrived. Python may take a while to answer, and the previous page stays until then.

import { visit } from "./deck_giving.js";
import { panelNode } from "./deck_view.js";

const LOOK_EVERY_MS = 30;
const RUNS_WITHIN_MS = 1_500; // after which Streamlit is known not to run for the view
const MISSING_MS = 3_000; // after which a missing part is reported
const LOOK_LATE_MS = 300;
const ASK_AGAIN_MS = 2_500; // in case an answer for the previous page has led back to it
const PATIENCE_MS = 20_000;

const isRunning = () =>
  document.querySelector("[data-testid=stApp]")?.getAttribute("data-test-script-state") ===
  "running";

const isAt = (address) => pathOf(location.href) === pathOf(address);
const pathOf = (address) => new URL(address, location.href).pathname.replace(/\/$/, "");

/** Make a watch that waits for one view at a time. */
export function createWatch() {
  let timer = null;
  return {
    stop: () => clearTimeout(timer),
    /** Act once a view has arrived, or has failed to arrive.
     * @param {{address: string, panel: string, isNew: boolean}} wanted its part, and whether it was just requested
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
    /** Act once a part has arrived that did not arrive in time, however late.
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

/** Act once Streamlit no longer runs.
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
