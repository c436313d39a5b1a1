// The curves of a training: the loss, the learning rate, and the scores on held-out text.

import { percentText } from "../../../pictures/browser/numbers.js";
import { say, written } from "../../../pictures/browser/say.js";

const share = (value) => written(`${(100 * value).toFixed(value > 0.995 && value < 1 ? 1 : 0)}%`);
const nats = (value) => written(value.toFixed(2));

/** @param {import("./wire").WireLapse} meta */
export function lapsePanels(meta) {
  return [lossPanel(meta), ratePanel(meta), scorePanel(meta)];
}

function lossPanel({ loss: { steps, values }, steps: snapshots, heldOut }) {
  const line = { format: nats };
  return {
    title: say("training.loss_panel"),
    label: say("training.loss_label"),
    lines: [
      { ...line, words: say("training.loss_training"), steps, values, colour: "soft", width: 1 },
      {
        ...line,
        words: say("training.loss_held_out"),
        steps: snapshots,
        values: heldOut,
        colour: "accent",
        dots: true,
      },
    ],
  };
}

function ratePanel({ loss: { steps, rates } }) {
  const peak = Math.max(...rates);
  const format = (value) => percentText(Number((value / peak).toPrecision(2)));
  const words = say("training.rate_of_peak");
  return {
    name: "loupe-lapse-rate",
    title: say("training.rate_panel"),
    label: say("training.rate_label"),
    lines: [{ words, steps, values: rates, colour: "ink", format }],
  };
}

/** @param {import("./wire").WireLapse} meta */
function scorePanel(meta) {
  const { steps, total, chance, exact } = meta;
  const lead = leadOf(meta);
  /** @type {Record<string, unknown>[]} */
  const lines = meta.alignment
    .filter((one) => one !== lead)
    .map(({ values }) => ({ steps, values, colour: "gold", alpha: 0.28, width: 1 }));
  if (lead && chance !== null)
    lines.unshift({
      steps: [0, total],
      values: [chance, chance],
      colour: "soft",
      dash: [2, 3],
      width: 1,
    });
  const line = { steps, format: share, dots: true };
  if (lead) {
    const words = say("training.score_head", { layer: lead.layer, head: lead.head });
    lines.push({ ...line, words, values: lead.values, colour: "gold" });
  }
  lines.push({ ...line, words: say("training.score_exact"), values: exact, colour: "accent" });
  return {
    title: say("training.score_panel"),
    label: say("training.score_label"),
    ceiling: 1,
    lines,
  };
}

/** Return the head whose alignment is emphasized: the chosen head in cross-attention, else the best one at the end.
 * @param {import("./wire").WireLapse} meta
 */
function leadOf({ kind, alignment, layer, head }) {
  if (kind === "cross-attention")
    return alignment.find((one) => one.layer === layer && one.head === head);
  const last = ({ values }) => values.at(-1) ?? 0;
  return alignment.reduce((best, one) => (best && last(one) <= last(best) ? best : one), undefined);
}
