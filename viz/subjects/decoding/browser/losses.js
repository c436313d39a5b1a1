// The loss of each token of a given target, and where the model would have gone another way.

import { element } from "../../../pictures/browser/elements.js";
import { numberText } from "../../../pictures/browser/numbers.js";
import { createStudio, studioKeepInView, studioLog } from "./studio.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingLosses(loupe, { host, signal }) {
  const studio = loupe.part(createStudio);
  let key = null;
  let columns = [];
  const title = element("h2", { class: "loupe-heading" });
  const chart = element("div", { class: "studio-losses" });
  const said = element(
    "p",
    { class: "loupe-note" },
    "Below each token: the model's own choice where it is another token, and the rank of the given one, 1 being the most probable.",
  );
  host.append(title, chart, said);

  const draw = () => {
    const path = studio.paths.get(key);
    if (!path) return;
    const losses = path.logs.map((log) => -log);
    const total = losses.reduce((a, b) => a + b, 0);
    const mean = total / losses.length;
    const most = Math.max(...losses, 1e-9);
    title.replaceChildren(
      element("span", {}, "Loss of each given token"),
      element(
        "span",
        { class: "loupe-shape" },
        `total ${studioLog(total)} nats, mean ${studioLog(mean)}, perplexity ${numberText(Math.exp(mean))}`,
      ),
    );
    columns = losses.map((loss, step) => {
      const rank = path.ranks[step];
      const id = path.ids[step];
      const best = path.vocabulary[path.facts(step).ids[0]];
      const other = rank > 1;
      return element(
        "button",
        {
          type: "button",
          class: other ? "studio-other" : "",
          title: `step ${step}: loss ${studioLog(loss)}, rank ${rank}`,
          "aria-label": `step ${step}, ${path.vocabulary[id]}, loss ${studioLog(loss)}${other ? `, the model prefers ${best}` : ""}`,
          onclick: () => studio.go(step),
        },
        element("small", {}, loss.toFixed(2)),
        element(
          "span",
          { class: "studio-loss" },
          element("i", { style: `height:${((100 * loss) / most).toFixed(1)}%` }),
        ),
        element("bdi", {}, path.vocabulary[id]),
        element("em", {}, other ? best : "·"),
        element("small", {}, other ? `rank ${rank}` : ""),
      );
    });
    chart.replaceChildren(...columns);
    mark();
  };
  const mark = () => {
    columns.forEach((node, step) => {
      node.classList.toggle("studio-at", step === studio.step);
    });
    if (columns[studio.step]) studioKeepInView(chart, columns[studio.step]);
  };
  studio.follow(signal, (what) =>
    what === "step" ? mark() : what === "path" || what === "taken" ? draw() : null,
  );
  /** @param {import("./wire").WireLosses} data */
  return (data) => {
    key = data.path;
    draw();
  };
}

export const components = { decoding_losses: decodingLosses };
