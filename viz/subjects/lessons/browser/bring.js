// Reads a lesson's file in the browser and sends it as text, because the server accepts no files.

import { element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function bringLesson(_loupe, { host }) {
  const label = element("span", {});
  const field = element("input", { type: "file", accept: ".toml,text/plain", class: "bring-file" });
  const said = element("p", { class: "loupe-note", role: "status" });
  host.append(element("label", { class: "bring-label" }, label, field), said);
  let most = 0;
  let bring = (_file) => {};
  field.addEventListener("change", async () => {
    const [file] = field.files ?? [];
    if (!file) return;
    const isLarge = file.size > most;
    said.textContent = isLarge ? say("learn.too_large", { most }) : "";
    if (!isLarge) bring({ name: file.name, text: await file.text() });
    field.value = ""; // so that the same file can be chosen again after it was edited
  });
  /** @param {import("./wire").WireBring} data */
  return (data, trigger) => {
    most = data.most;
    label.textContent = say("learn.file");
    bring = (file) => trigger("file", file);
  };
}

export const components = { bring_lesson: bringLesson };
