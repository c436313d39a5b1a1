// The line under the words of the sentence that the model does not know.

import { element } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";

// Make a layer below the field's own letters: the same text, invisible, with a line under marked words.
export function createMarks(host) {
  const line = element("span");
  const layer = element("div", { class: "loupe-field-marks", "aria-hidden": "true" }, line);
  const said = element("p", { class: "loupe-unseen", role: "status" });
  host.append(layer, said);
  return (input, words, sort) => {
    const parts = [];
    let end = 0;
    for (const word of words) {
      const kind = word.kind ?? sort;
      parts.push(input.value.slice(end, word.start));
      parts.push(
        element("span", { class: `loupe-is-${kind}` }, input.value.slice(word.start, word.end)),
      );
      end = word.end;
    }
    line.replaceChildren(...parts);
    const unknown = words.filter((word) => (word.kind ?? sort) !== "carried");
    const told = unknown.slice(0, 5).map((word) => input.value.slice(word.start, word.end));
    const text = told.length ? say("typing.unknown", { words: told.join(", ") }) : "";
    if (said.textContent !== text) said.textContent = text;
    layer.hidden = words.length === 0;
    if (words.length) place(layer, line, input, host); // only if needed, because it makes the browser lay out the page
  };
}

function place(layer, line, input, host) {
  const [box, ours, style] = [
    input.getBoundingClientRect(),
    host.getBoundingClientRect(),
    getComputedStyle(input),
  ];
  const [left, right] = [style.paddingLeft, style.paddingRight].map(Number.parseFloat);
  Object.assign(layer.style, {
    left: `${box.left - ours.left + left}px`,
    top: `${box.top - ours.top}px`,
    width: `${box.width - left - right}px`,
    height: `${box.height}px`,
    lineHeight: `${box.height}px`,
    font: style.font,
    letterSpacing: style.letterSpacing,
  });
  layer.style.lineHeight = `${box.height}px`;
  line.style.transform = `translateX(${-input.scrollLeft}px)`;
}

/** Return the marks that Python made in a text. Python counts characters, JavaScript halves of some.
 * @param {import("../../pictures/browser/wire").WireJudged} judged
 */
export function marksOf(judged) {
  const characters = [...judged.text];
  const isPlain = characters.length === judged.text.length;
  const at = (place) => (isPlain ? place : characters.slice(0, place).join("").length);
  const found = ["unknown", "carried"].flatMap((kind) =>
    judged[kind].map(([start, end]) => ({ kind, start: at(start), end: at(end) })),
  );
  return found.sort((a, b) => a.start - b.start);
}
