// A run in a notebook cell, as a widget: Python can read and change the selection.

import { element } from "../../pictures/browser/elements.js";
import { hostFrames, MARK } from "./frame_host.js";

/** Draw the widget.
 * @param {{model: any, el: HTMLElement}} given the widget's values (page and selection), and the element for it
 */
export function render({ model, el }) {
  hostFrames();
  const frame = element("iframe", {
    class: MARK,
    title: model.get("title"),
    sandbox: "allow-scripts",
    style: "display: block; width: 100%; height: 640px; border: 0; border-radius: 8px",
    srcdoc: model.get("page"),
  });
  const hear = ({ data, source }) => {
    if (source !== frame.contentWindow || !data?.loupeSelection) return;
    model.set("selection", data.loupeSelection);
    model.save_changes();
  };
  const choose = () =>
    frame.contentWindow?.postMessage({ loupeSelection: model.get("selection") }, "*");
  window.addEventListener("message", hear);
  model.on("change:selection", choose);
  el.append(frame);
  return () => {
    window.removeEventListener("message", hear);
    model.off("change:selection", choose);
  };
}
