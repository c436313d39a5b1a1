// The curves of a training, one above the other on one axis of steps, each headed by its values at the cursor.

import { colours, context2d } from "../../../pictures/browser/canvas.js";
import { element } from "../../../pictures/browser/elements.js";

const LAPSE_CURVE_HEIGHT = 118;
const LAPSE_ROOM = { left: 46, right: 12, top: 6, bottom: 6 };
const LAPSE_AXIS = 20; // below the last one, for the steps

// Build the curves inside `host`. `draw(meta)` draws all, `point(index)` moves the cursor to a snapshot;
// `seek(step)` is called when someone points at another place with the button down.
export function lapseCurves(host, seek) {
  let meta = null;
  let panels = [];
  let now = 0;

  const xOf = (step, width) =>
    LAPSE_ROOM.left +
    (step / Math.max(1, meta.total)) * (width - LAPSE_ROOM.left - LAPSE_ROOM.right);
  const stepAt = (x, width) =>
    ((x - LAPSE_ROOM.left) / (width - LAPSE_ROOM.left - LAPSE_ROOM.right)) *
    Math.max(1, meta.total);

  const build = () => {
    panels = lapsePanels(meta).map((panel) => {
      const base = element("canvas", { class: "loupe-canvas" });
      const over = element("canvas", {
        class: "loupe-canvas loupe-over",
        role: "img",
        "aria-label": panel.label,
      });
      const head = element("p", { class: "loupe-lapse-legend" });
      const frame = element("div", { class: "loupe-heatmap" }, base, over);
      const follow = (event) => {
        if (event.type === "pointermove" && !(event.buttons & 1)) return;
        seek(stepAt(event.clientX - over.getBoundingClientRect().left, frame.clientWidth));
      };
      over.addEventListener("pointerdown", follow);
      over.addEventListener("pointermove", follow);
      return { ...panel, base, over, head, frame };
    });
    host.replaceChildren(...panels.flatMap(({ head, frame }) => [head, frame]));
  };

  const heightOf = (panel) => LAPSE_CURVE_HEIGHT + (panel === panels.at(-1) ? LAPSE_AXIS : 0);

  const drawPanel = (panel) => {
    const palette = colours();
    const width = Math.max(220, host.clientWidth);
    const height = heightOf(panel);
    panel.frame.style.height = `${height}px`;
    const context = context2d(panel.base, width, height);
    const values = panel.lines.flatMap((line) => line.values);
    panel.most = panel.ceiling ?? lapseTick(Math.max(...values, 1e-9));
    panel.yOf = (value) =>
      LAPSE_CURVE_HEIGHT -
      LAPSE_ROOM.bottom -
      (Math.min(value, panel.most) / panel.most) *
        (LAPSE_CURVE_HEIGHT - LAPSE_ROOM.top - LAPSE_ROOM.bottom);
    panel.width = width;
    context.font = `11px ${palette.font}`;
    context.textBaseline = "middle";
    context.lineWidth = 1;
    for (const tick of values.length ? [0, panel.most / 2, panel.most] : []) {
      context.strokeStyle = palette.grid;
      lapseLine(context, [
        [LAPSE_ROOM.left, panel.yOf(tick)],
        [width - LAPSE_ROOM.right, panel.yOf(tick)],
      ]);
      context.fillStyle = palette.soft;
      context.textAlign = "right";
      context.fillText(lapseNumber(tick), LAPSE_ROOM.left - 7, panel.yOf(tick));
    }
    if (panel === panels.at(-1)) drawSteps(context, palette, width);
    for (const line of panel.lines) {
      context.strokeStyle = context.fillStyle = palette[line.colour];
      context.lineWidth = line.width ?? 1.5;
      context.setLineDash(line.dash ?? []);
      context.globalAlpha = line.alpha ?? 1;
      const points = line.values.map((value, i) => [xOf(line.steps[i], width), panel.yOf(value)]);
      if (line.dots) for (const [x, y] of points) lapseDot(context, x, y, 2);
      lapseLine(context, points);
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  };

  const drawSteps = (context, palette, width) => {
    context.fillStyle = palette.soft;
    const every = lapseTick(meta.total / 5);
    for (let step = 0; step <= meta.total; step += every) {
      context.textAlign = step === 0 ? "left" : step + every > meta.total ? "right" : "center";
      const x = xOf(step, width) + (step === 0 ? -4 : 0);
      context.fillText(
        `${step.toLocaleString("en")}${step === 0 ? " steps" : ""}`,
        x,
        LAPSE_CURVE_HEIGHT + 8,
      );
    }
  };

  const drawCursor = (panel) => {
    const palette = colours();
    const step = meta.steps[now];
    const context = context2d(panel.over, panel.width, heightOf(panel));
    context.strokeStyle = palette.ink;
    context.globalAlpha = 0.55;
    const x = Math.round(xOf(step, panel.width)) + 0.5;
    lapseLine(context, [
      [x, LAPSE_ROOM.top - 4],
      [x, LAPSE_CURVE_HEIGHT - LAPSE_ROOM.bottom],
    ]);
    context.globalAlpha = 1;
    const words = [];
    for (const line of panel.lines) {
      const value = lapseValueAt(line, step);
      if (value === null || !line.words) continue;
      context.fillStyle = palette[line.colour];
      if (line.follows !== false) lapseDot(context, x, panel.yOf(value), 3.5);
      const text = element(
        "span",
        { style: `color: ${palette[line.colour]}` },
        `${line.words} `,
        element("b", {}, line.format(value)),
      );
      words.push(text);
    }
    panel.head.replaceChildren(
      element("span", { class: "loupe-lapse-title" }, panel.title),
      ...words,
    );
  };

  return {
    draw(next) {
      const shape = (each) =>
        each &&
        `${each.alignment.length} ${each.kind} ${each.layer} ${each.head} ${each.steps.length} ${each.loss.steps.length} ${each.total}`;
      const rebuild = shape(meta) !== shape(next) || meta.loss.values[0] !== next.loss.values[0];
      meta = next;
      if (rebuild) build();
      now = Math.min(now, meta.steps.length - 1);
      panels.forEach(drawPanel);
    },
    point(index) {
      now = index;
      panels.forEach(drawCursor);
    },
  };
}

// What is drawn: the loss, the learning rate, and the scores on held-out text.
function lapsePanels(meta) {
  const share = (value) => `${(100 * value).toFixed(value > 0.995 && value < 1 ? 1 : 0)} %`;
  const nats = (value) => value.toFixed(2);
  const { steps, values, rates } = meta.loss;
  const cross = meta.kind === "cross-attention";
  const best = meta.alignment.reduce(
    (a, b) => ((b.values.at(-1) ?? 0) > (a?.values.at(-1) ?? -1) ? b : a),
    null,
  );
  const isLead = ({ layer, head }) =>
    cross
      ? layer === meta.layer && head === meta.head
      : layer === best?.layer && head === best?.head;
  const lead = meta.alignment.find(isLead);
  const all = meta.steps;
  return [
    {
      title: "Loss, nats a token",
      label: "loss by step",
      lines: [
        { words: "training, smoothed", steps, values, colour: "soft", format: nats, width: 1 },
        {
          words: "held out",
          steps: all,
          values: meta.heldOut,
          colour: "accent",
          format: nats,
          dots: true,
        },
      ],
    },
    {
      title: "Learning rate",
      label: "learning rate by step",
      lines: [
        {
          words: "Noam",
          steps,
          values: rates,
          colour: "ink",
          format: (value) => value.toPrecision(3),
        },
      ],
    },
    {
      title: "Held out",
      label: "exact match and alignment by step",
      ceiling: 1,
      lines: [
        ...(meta.chance === null || !lead
          ? []
          : [
              {
                steps: [0, meta.total],
                values: [meta.chance, meta.chance],
                colour: "soft",
                dash: [2, 3],
                width: 1,
              },
            ]),
        ...meta.alignment
          .filter((one) => !isLead(one))
          .map((one) => ({
            steps: all,
            values: one.values,
            colour: "gold",
            alpha: 0.28,
            width: 1,
          })),
        ...(lead
          ? [
              {
                words: `L${lead.layer} H${lead.head} on the gold token`,
                steps: all,
                values: lead.values,
                colour: "gold",
                format: share,
                dots: true,
              },
            ]
          : []),
        {
          words: "exact match",
          steps: all,
          values: meta.exact,
          colour: "accent",
          format: share,
          dots: true,
        },
      ],
    },
  ];
}

// The value of a line at a step: of the latest point that is not after it.
function lapseValueAt({ steps, values }, step) {
  let found = null;
  for (let i = 0; i < steps.length && steps[i] <= step; i++) found = values[i];
  return found ?? values[0] ?? null;
}

function lapseLine(context, points) {
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y); // the first one moves there
  context.stroke();
}

function lapseDot(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

// The next round number that is not below: 1, 2, 4 or 5 times a power of ten.
function lapseTick(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return [1, 2, 4, 5, 10].map((n) => n * power).find((n) => n >= value * 0.999);
}

function lapseNumber(value) {
  return value === 0 ? "0" : String(Number(value.toPrecision(2)));
}
