// Above one head: which it is, and how it is shown.

import { choice, element } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { headName } from "../../../pictures/browser/run.js";
import { say, sayOf } from "../../../pictures/browser/say.js";

export function createHeading(loupe) {
  const node = element("h2", { class: "loupe-heading" });
  return {
    node,
    draw() {
      const { heads, rows, columns } = loupe.stack();
      const { shows } = loupe.display;
      const isOne = shows === "head";
      const { layer: number, head } = loupe.selection;
      const name = headName(loupe, loupe.selection);
      const layer = name.replace(/\[\d+\]$/, "");
      const title = isOne
        ? say("attention.heading_head", { layer: number, head })
        : say("attention.heading_layer", { layer: number });
      node.replaceChildren(
        element("span", {}, title),
        element("code", {}, isOne ? name : sayShown(shows, { layer, heads })),
        element("span", { class: "loupe-shape" }, `${rows} × ${columns}`),
      );
    },
  };
}

// What is shown, for which share there are lines, and the gold alignment. `preview` is called while the slider moves.
export function createTools(loupe, preview) {
  const node = element("div", { class: "loupe-tools" });
  // These stay while the head is drawn again, so that they keep the keyboard.
  const percent = element("b");
  const slider = element("input", {
    type: "range",
    min: 50,
    max: 100,
    step: 1,
    "aria-label": say("attention.lines_share"),
    oninput: () => {
      percent.textContent = percentText(Number(slider.value) / 100);
      preview(Number(slider.value));
    },
    onchange: () => loupe.adjust({ lines: Number(slider.value) }),
  });
  const gold = element("input", {
    type: "checkbox",
    onchange: () => loupe.adjust({ gold: gold.checked }),
  });
  const show = () => {
    slider.value = String(loupe.display.lines);
    percent.textContent = percentText(Number(slider.value) / 100);
    gold.checked = loupe.display.gold;
  };
  return {
    node,
    show,
    draw() {
      const hasGold = loupe.selection.kind === "cross-attention" && loupe.run().gold;
      node.replaceChildren(
        modeChoice(loupe),
        element(
          "label",
          { class: "loupe-field" },
          ...filled(say("attention.lines_for"), { share: percent, slider }),
        ),
        ...(hasGold
          ? [element("label", { class: "loupe-field" }, gold, ` ${say("attention.gold")}`)]
          : []),
      );
      show();
    },
  };
}

// What of the heads of a layer is shown together.
function sayShown(shows, of) {
  return shows === "mean" ? say("attention.layer_mean", of) : say("attention.layer_maximum", of);
}

/** @type {import("../../../pictures/browser/wire").WireDisplay["shows"][]} */
const MODES = ["head", "mean", "maximum"];

/** @returns {[typeof MODES[number], string]} */
const named = (mode) => [mode, sayOf("attention.shows", mode)];

function modeChoice(loupe) {
  const { whole, heads } = loupe.stack();
  const modes = MODES.map(named);
  if (!whole || heads === 1) modes.length = 1;
  const choose = (shows) => loupe.adjust({ shows });
  return choice(say("attention.shown"), modes, loupe.display.shows, choose);
}
