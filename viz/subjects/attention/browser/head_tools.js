// Above one head: which it is, and how it is shown.

import { choice, element } from "../../../pictures/browser/elements.js";
import { headName } from "../../../pictures/browser/run.js";

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
      node.replaceChildren(
        element("span", {}, isOne ? `Layer ${number}, head ${head}` : `Layer ${number}`),
        element("code", {}, isOne ? name : `${layer}, ${shows} of ${heads} heads`),
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
    "aria-label": "share of each row's weight that the lines show",
    oninput: () => {
      percent.textContent = `${slider.value} %`;
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
    percent.textContent = `${slider.value} %`;
    gold.checked = loupe.display.gold;
  };
  return {
    node,
    show,
    draw() {
      const hasGold = loupe.selection.kind === "cross-attention" && loupe.run().gold;
      node.replaceChildren(
        modeChoice(loupe),
        element("label", { class: "loupe-field" }, "Lines for ", percent, " of each row ", slider),
        ...(hasGold ? [element("label", { class: "loupe-field" }, gold, " Gold alignment")] : []),
      );
      show();
    },
  };
}

function modeChoice(loupe) {
  const { whole, heads } = loupe.stack();
  /** @type {[import("../../../pictures/browser/wire").WireDisplay["shows"], string][]} */
  const modes = [
    ["head", "This head"],
    ["mean", "Mean of heads"],
    ["maximum", "Maximum"],
  ];
  if (!whole || heads === 1) modes.length = 1;
  const choose = (shows) => loupe.adjust({ shows });
  return choice("What is shown", modes, loupe.display.shows, choose);
}
