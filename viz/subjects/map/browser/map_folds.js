// How far the stacks of a map are unfolded, and which layer represents a folded stack.

import { mapStacks } from "./map_sizes.js";
import { mapBlocksInView, mapBlocksSelected } from "./map_view.js";

const MAP_FOLD_MS = 260;
const createUnfolded = () => ({}); // "small encoder" -> whether all its layers are drawn; kept from page to page

/** Create the folds of one map; `mapNow()` returns the map that Python sent, and `arrange` is called for each frame.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {() => import("./map_run").ShownMap} mapNow
 * @param {() => void} arrange
 * @param {AbortSignal} signal
 */
export function createFolds(loupe, mapNow, arrange, signal) {
  const kept = loupe.part(createUnfolded);
  const amount = { encoder: 0, decoder: 0 }; // 0 is folded, 1 unfolded
  let moving = 0;
  const stop = () => cancelAnimationFrame(moving);
  signal.addEventListener("abort", stop);

  const keyOf = (stack) => `${mapNow().size} ${stack}`;
  const isUnfolded = (stack) => Boolean(kept[keyOf(stack)]);
  // Return the layer that is drawn if its stack is folded: the one in view, else the selected one, else the last. It
  // depends only on what is in view now, so that a link shows the same layer.
  const shown = (stack) => {
    const map = mapNow();
    const last = map.layers[stack] - 1;
    if (map.lit.length) return last;
    const candidates = [...mapBlocksInView(loupe, map), ...mapBlocksSelected(loupe, map)];
    const block = candidates.find((one) => one.stack === stack && one.layer != null);
    return Math.min(block?.layer ?? last, last);
  };

  return {
    amount,
    isUnfolded,
    shown,
    /** Return the layers that represent the folded stacks, as a text. */
    shownNow: () => mapStacks(mapNow()).map(shown).join(" "),
    /** @param {import("./map_run").Block} block */
    isSeen: ({ stack, layer }) =>
      layer === undefined || amount[stack] > 0 || shown(stack) === layer,
    settle() {
      stop();
      for (const stack of mapStacks(mapNow())) amount[stack] = Number(isUnfolded(stack));
    },
    toggle(stack) {
      kept[keyOf(stack)] = !isUnfolded(stack);
      stop();
      const from = { ...amount };
      const started = performance.now();
      const isQuiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const step = (now) => {
        const part = isQuiet ? 1 : Math.max(0, Math.min((now - started) / MAP_FOLD_MS, 1));
        const eased = 1 - (1 - part) ** 3;
        for (const each of mapStacks(mapNow()))
          amount[each] = from[each] + (Number(isUnfolded(each)) - from[each]) * eased;
        arrange();
        if (part < 1) moving = requestAnimationFrame(step);
      };
      step(started);
    },
  };
}
