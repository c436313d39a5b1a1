// How sure the model is at a step, and where the token that was written stands.

import { element } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { say, written } from "../../../pictures/browser/say.js";
import { playerDistribution } from "./distribution.js";
import { studioLog, studioShare } from "./studio.js";

export function playerFacts(studio) {
  const said = element("p", { class: "studio-sure" });
  const bar = element("i");
  const list = element("dl", { class: "studio-facts" });
  return {
    node: element(
      "div",
      {},
      element("h2", { class: "loupe-heading" }, say("decoding.entropy")),
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
        ...filled(say("decoding.bits_of"), {
          bits: element("b", {}, say("decoding.bits", { bits: written(bits.toFixed(3)) })),
          most: written(most.toFixed(2)),
          share: percentText(share),
        }),
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
    [placeWords(path, step), token],
    [
      isSampled ? say("decoding.fact_unshaped") : say("decoding.fact_probability"),
      studioShare(Math.exp(path.logs[step])),
    ],
    [
      say("decoding.fact_rank"),
      say("decoding.rank_of", { rank: path.ranks[step], count: path.size }),
    ],
    ...(step < path.prompt
      ? []
      : [
          [
            path.prompt ? say("decoding.fact_total_written") : say("decoding.fact_total"),
            studioLog(path.total(step)),
          ],
        ]),
  ];
}

function placeWords({ prompt, forced }, step) {
  if (step < prompt) return say("decoding.fact_prompt");
  return forced[step] ? say("decoding.fact_forced") : say("decoding.fact_written");
}
