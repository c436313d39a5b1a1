// The tooltip at the pointer.

import { ground } from "./colours.js";
import { element } from "./elements.js";
import { filled } from "./filled.js";
import { say } from "./say.js";

// A box of text beside the pointer, within the window.
export const tooltip = {
  box: null,
  about: null, // the element under the pointer
  show(event, ...lines) {
    this.about = event.target ?? null;
    if (!this.box?.isConnected) {
      this.box = element("div", { class: "loupe-tip", role: "tooltip" });
      ground().append(this.box);
    }
    this.box.replaceChildren(
      ...lines.map((line) => (line instanceof Node ? line : element("div", {}, line))),
    );
    this.box.style.display = "block";
    const { width, height } = this.box.getBoundingClientRect();
    const left =
      event.clientX + 16 + width > innerWidth ? event.clientX - width - 12 : event.clientX + 16;
    const top = Math.max(4, Math.min(event.clientY + 14, innerHeight - height - 4));
    this.box.style.left = `${Math.max(4, left)}px`;
    this.box.style.top = `${top}px`;
  },
  hide() {
    if (this.box) this.box.style.display = "none";
  },
  // Hide it if its element has left the page without a move of the pointer.
  hideIfGone() {
    if (this.about && !this.about.isConnected) this.hide();
  },
};

// Write "rue reads street", each word in the colour of its role.
export function readsLine(query, key) {
  return element(
    "div",
    {},
    ...filled(say("picture.one_reads"), {
      query: element("b", { class: "loupe-query" }, query),
      key: element("b", { class: "loupe-key" }, key),
    }),
  );
}
