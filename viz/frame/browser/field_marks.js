// The line under the words of the sentence that the model does not know.

import { element } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";

// Under the field's own letters: the same text, unseen, with a line under what is marked.
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
    if (words.length) place(layer, line, input, host); // which has the page laid out
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

/** The marks that Python made of a text, which counts characters and not halves of them.
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
