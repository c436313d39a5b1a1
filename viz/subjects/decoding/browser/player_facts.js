// How sure the model is at a step, and where the token that was written stands.

import { element } from "../../../pictures/browser/elements.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { playerDistribution } from "./player_distribution.js";
import { studioCount, studioLog, studioShare } from "./studio.js";

export function playerFacts(studio) {
  const said = element("p", { class: "studio-sure" });
  const bar = element("i");
  const list = element("dl", { class: "studio-facts" });
  return {
    node: element(
      "div",
      {},
      element("h2", { class: "loupe-heading" }, "Entropy"),
      said,
      element("div", { class: "studio-meter" }, bar),
      list,
    ),
    /** @param {import("./studio").Path} path */
    paint(path) {
      const { bits } = playerDistribution(studio, path, studio.step);
      const most = Math.log2(path.size);
      const share = most ? bits / most : 0;
      said.replaceChildren(
        element("b", {}, `${bits.toFixed(3)} bits`),
        ` of at most ${most.toFixed(2)}: ${percentText(share)}`,
      );
      bar.style.width = `${share * 100}%`;
      const facts = factsOf(path, studio.step).flatMap(([name, value]) => [
        element("dt", {}, name),
        element("dd", {}, value),
      ]);
      list.replaceChildren(...facts);
    },
  };
}

/** @param {import("./studio").Path} path */
function factsOf(path, step) {
  const token = element("bdi", {}, path.vocabulary[path.ids[step]]);
  const isSampled = path.mode === "Sampling";
  return [
    [step < path.prompt ? "of the prompt" : path.forced[step] ? "forced" : "written", token],
    [
      isSampled ? "unshaped probability" : "its probability",
      studioShare(Math.exp(path.logs[step])),
    ],
    ["its rank", `${path.ranks[step]} of ${studioCount(path.size)}`],
    ...(step < path.prompt
      ? []
      : [
          [
            path.prompt ? "log p of all written" : "log p of all so far",
            studioLog(path.total(step)),
          ],
        ]),
  ];
}
