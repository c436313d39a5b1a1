// Numbers in a fold: how sure the model is at a step, and the rank of the token that was written.

import { element } from "../../../pictures/browser/elements.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { say, written } from "../../../pictures/browser/say.js";
import { playerDistribution, studioLog, studioShare } from "./studio.js";

export function playerFacts(studio) {
  const list = element("dl", { class: "studio-facts" });
  return {
    node: element(
      "details",
      { class: "studio-numbers" },
      element("summary", {}, say("decoding.numbers")),
      list,
    ),
    /** @param {import("./studio").Path} path */
    paint(path) {
      const { nats } = playerDistribution(studio, path, studio.step);
      const most = Math.log(path.size);
      const entropy = say("decoding.nats_of", {
        nats: written(nats.toFixed(3)),
        most: written(most.toFixed(2)),
        share: percentText(most ? nats / most : 0),
      });
      const facts = [[say("decoding.entropy"), entropy], ...factsOf(path, studio.step)];
      list.replaceChildren(
        ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
      );
    },
  };
}

/** @param {import("./studio").Path} path */
function factsOf(path, step) {
  const isSampled = path.mode === "Sampling";
  const share = isSampled ? say("decoding.fact_unshaped") : say("decoding.fact_probability");
  const rank = say("decoding.rank_of", { rank: path.ranks[step], count: path.size });
  const total = path.prompt ? say("decoding.fact_total_written") : say("decoding.fact_total");
  return [
    [share, studioShare(Math.exp(path.logs[step]))],
    [say("decoding.fact_rank"), rank],
    ...(step < path.prompt ? [] : [[total, studioLog(path.total(step))]]),
  ];
}
