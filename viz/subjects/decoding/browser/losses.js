// The loss of each token of a given target, and where the model would have gone another way.

import { element, pushButton } from "../../../pictures/browser/elements.js";
import { numberText } from "../../../pictures/browser/numbers.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say, written } from "../../../pictures/browser/say.js";
import { createStudio, studioKeepInView, studioLog } from "./studio.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingLosses(loupe, { host, signal, save }) {
  const studio = loupe.part(createStudio);
  let key = null;
  let columns = [];
  const title = element("h2", { class: "loupe-heading" });
  const chart = element("div", { class: "studio-losses" });
  const said = element("p", { class: "loupe-note" }, say("decoding.losses_said"));
  host.append(title, chart, said);

  save({ name: say("decoding.saved_losses"), table: () => lossesTable(studio.paths.get(key)) });
  const draw = () => {
    const path = studio.paths.get(key);
    if (!path) return;
    const losses = path.logs.map((log) => -log);
    const total = losses.reduce((a, b) => a + b, 0);
    const mean = total / losses.length;
    const most = Math.max(...losses, 1e-9);
    title.replaceChildren(
      element("span", {}, say("decoding.losses")),
      element(
        "span",
        { class: "loupe-shape" },
        say("decoding.losses_total", {
          total: studioLog(total),
          mean: studioLog(mean),
          perplexity: numberText(Math.exp(mean)),
        }),
      ),
    );
    columns = losses.map((loss, step) =>
      lossColumn(path, step, loss, loss / most, () => studio.go(step)),
    );
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

// One token: its loss as a bar beside the largest, and what the model would have written.
function lossColumn(path, step, loss, share, onclick) {
  const rank = path.ranks[step];
  const token = path.vocabulary[path.ids[step]];
  const best = path.vocabulary[path.facts(step).ids[0]];
  const isOther = rank > 1;
  const facts = { step, token, loss: studioLog(loss), rank, other: best };
  const label = isOther
    ? say("decoding.loss_label_other", facts)
    : say("decoding.loss_label", facts);
  return pushButton(
    {
      class: isOther ? "studio-other" : "",
      title: say("decoding.loss_title", facts),
      "aria-label": label,
      onclick,
    },
    element("small", {}, written(loss.toFixed(2))),
    element(
      "span",
      { class: "studio-loss" },
      element("i", { style: `height:${(100 * share).toFixed(1)}%` }),
    ),
    element("bdi", {}, token),
    element("em", {}, isOther ? best : "·"),
    element("small", {}, isOther ? say("decoding.rank", { rank }) : ""),
  );
}

function lossesTable({ ids, logs, ranks, vocabulary }) {
  const rows = ids.map((id, step) => [step, vocabulary[id], -logs[step], ranks[step]]);
  return tableOf({ step: "whole", token: "text", "loss, nats": "double", rank: "whole" }, rows);
}

export const components = { decoding_losses: decodingLosses };
