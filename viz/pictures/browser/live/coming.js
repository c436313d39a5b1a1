// How much of a large model is loaded, or why the model answers only after Enter.

import { element } from "../elements.js";
import { say, sayOf } from "../say.js";
import { createModels } from "./models.js";
import { ModelFault } from "./parts.js";

const PLACE = ".st-key-bar_out";
const LOST = ["refused", "unreachable", "wrong_length", "wrong_bytes"]; // faults of a part on its way

/** Show how much of a large model is loaded.
 * @param {import("../types").Loupe} loupe
 * @param {AbortSignal} signal
 * @param {(node: HTMLElement, progress: import("./models").Progress) => void} show puts the line at its place
 */
export function showLoading(loupe, signal, show) {
  let line = null;
  loupe.part(createModels).listen((progress) => {
    const { loaded, all } = progress;
    const [here, whole] = [loaded, all].map((bytes) => (bytes / 1e6).toFixed(0));
    line ??= createLine();
    line.told.textContent = all ? say("site.loading", { here, whole }) : say("frame.coming");
    line.bar.value = all ? loaded / all : 0;
    show(line.node, progress);
  }, signal);
}

function createLine() {
  const label = say("site.loading_bar");
  const bar = element("progress", { class: "loupe-progress", max: 1, "aria-label": label });
  const told = element("span");
  return { told, bar, node: element("span", { class: "loupe-coming" }, told, bar) };
}

/** Make the message about a large model in the bar of the app.
 * @param {import("../types").Loupe} loupe
 * @param {AbortSignal} signal
 */
export function createComing(loupe, signal) {
  let key = ""; // of the current model
  /** @type {HTMLElement | null} */
  let shown = null;
  const clear = () => {
    shown?.remove();
    shown = null;
  };
  const show = (node) => {
    clear();
    shown = node;
    document.querySelector(PLACE)?.append(node);
  };
  showLoading(loupe, signal, (line, progress) => {
    if (progress.key !== key) return;
    if (progress.loaded < progress.all || !progress.all) show(line);
    else clear();
  });
  signal.addEventListener("abort", clear);
  return {
    /** Follow the loading of this model. @param {import("../wire").WireModel} model */
    follow(model) {
      if (model.key !== key) clear();
      key = model.key;
    },
    /** Show why the current model does not answer. @param {Error} fault */
    fail(fault) {
      show(element("p", { class: "loupe-coming", role: "status" }, whyNot(fault)));
    },
  };
}

function whyNot(fault) {
  if (!(fault instanceof ModelFault))
    return sayOf("frame.at_enter", "failed", { why: fault.message });
  const reason = LOST.includes(fault.reason) ? "missing" : fault.reason;
  return sayOf("frame.at_enter", reason, fault.values);
}
