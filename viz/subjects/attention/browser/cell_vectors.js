// Vectors of the card as strips of bars: one vertical bar per dimension, above or below the middle.

import { clamp, element } from "../../../pictures/browser/elements.js";
import { largestOf, numberText, partOf } from "../../../pictures/browser/numbers.js";
import { say } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";
import { cellWords } from "./cell_parts.js";

// Create strips above one another, on one scale. A dimension is marked in all of them, and `lit` receives it.
export function cellStrips(roles, lit = (_dimension) => {}) {
  const note = cellWords({ class: "cell-soft" });
  const light = (dimension) => {
    for (const strip of strips) strip.light(dimension);
    lit(dimension);
  };
  const strips = roles.map((role) => cellStrip(role, light));
  const node = element(
    "div",
    { class: "cell-strips" },
    ...strips.map((strip) => strip.node),
    note.node,
  );
  return {
    node,
    light,
    put(...rows) {
      const largest = largestOf(...rows.map(([, values]) => values));
      rows.forEach(([label, values], i) => {
        strips[i].put(label, values, largest);
      });
      note.node.hidden = !largest;
      note.put(say("attention.bars", { largest: numberText(largest) }));
    },
  };
}

function cellStrip(role, light) {
  let values = [];
  let pointer = null; // the event that moved it onto this strip, while it is there
  const point = () => {
    const { left, width } = svg.getBoundingClientRect();
    const dimension = clamp(
      ((pointer.clientX - left) / width) * values.length - 0.5,
      values.length,
    );
    light(dimension);
    tooltip.show(
      pointer,
      say("attention.dimension_is", { dimension, value: numberText(values[dimension]) }),
    );
  };
  const label = cellWords({}, "span");
  const mark = element("svg:rect", {
    class: "cell-lit",
    width: 1,
    height: 100,
    visibility: "hidden",
  });
  const bars = element("svg:path");
  const svg = element(
    "svg:svg",
    {
      class: "cell-strip",
      preserveAspectRatio: "none",
      "aria-hidden": "true",
      onpointermove: (event) => {
        pointer = event;
        point();
      },
      onpointerleave: () => {
        pointer = null;
        light(null);
        tooltip.hide();
      },
    },
    mark,
    bars,
  );
  return {
    node: element("div", { class: `cell-vector cell-${role}` }, label.node, svg),
    light(dimension) {
      mark.setAttribute("visibility", dimension === null ? "hidden" : "visible");
      if (dimension !== null) mark.setAttribute("x", dimension);
    },
    put(words, vector, largest) {
      label.put(...words);
      if (vector.length !== values.length) svg.setAttribute("viewBox", `0 0 ${vector.length} 100`);
      values = vector;
      bars.setAttribute("d", stripPath(values, largest));
      if (pointer) point();
    },
  };
}

// Return the bars as one path, with gaps if there is room for them.
function stripPath(values, largest) {
  const gap = values.length > 128 ? 0 : 0.14;
  let path = "";
  values.forEach((value, i) => {
    const height = (value < 0 ? 48 : -48) * partOf(value, largest);
    path += `M${i + gap} 50v${height.toFixed(1)}h${1 - 2 * gap}V50z`;
  });
  return path;
}
