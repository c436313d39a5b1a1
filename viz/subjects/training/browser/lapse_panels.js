// What the curves of a training are: the loss, the learning rate, and the scores on held-out text.

const share = (value) => `${(100 * value).toFixed(value > 0.995 && value < 1 ? 1 : 0)} %`;
const nats = (value) => value.toFixed(2);

/** @param {import("./wire").WireLapse} meta */
export function lapsePanels(meta) {
  return [lossPanel(meta), ratePanel(meta), scorePanel(meta)];
}

function lossPanel({ loss: { steps, values }, steps: snapshots, heldOut }) {
  const line = { format: nats };
  return {
    title: "Loss, nats a token",
    label: "loss by step",
    lines: [
      { ...line, words: "training, smoothed", steps, values, colour: "soft", width: 1 },
      {
        ...line,
        words: "held out",
        steps: snapshots,
        values: heldOut,
        colour: "accent",
        dots: true,
      },
    ],
  };
}

function ratePanel({ loss: { steps, rates } }) {
  const format = (value) => value.toPrecision(3);
  return {
    title: "Learning rate",
    label: "learning rate by step",
    lines: [{ words: "Noam", steps, values: rates, colour: "ink", format }],
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
    const words = `L${lead.layer} H${lead.head} on the gold token`;
    lines.push({ ...line, words, values: lead.values, colour: "gold" });
  }
  lines.push({ ...line, words: "exact match", values: exact, colour: "accent" });
  return { title: "Held out", label: "exact match and alignment by step", ceiling: 1, lines };
}

/** The head whose alignment stands out: the chosen one where it has one, else the best in the end.
 * @param {import("./wire").WireLapse} meta
 */
function leadOf({ kind, alignment, layer, head }) {
  if (kind === "cross-attention")
    return alignment.find((one) => one.layer === layer && one.head === head);
  const last = ({ values }) => values.at(-1) ?? 0;
  return alignment.reduce((best, one) => (best && last(one) <= last(best) ? best : one), undefined);
}
