// The curves of a training, one above the other on one axis of steps, each headed by its values at the cursor.

import { context2d } from "../../../pictures/browser/canvas.js";
import { cellFont, colours } from "../../../pictures/browser/colours.js";
import { element, roomOf } from "../../../pictures/browser/elements.js";
import { say, written } from "../../../pictures/browser/say.js";
import { lapsePanels } from "./lapse_panels.js";

const CURVE_HEIGHT = 92;
const LEAST_HEIGHT = 40;
const LEGEND = 28; // a line of words above a curve
const ROOM = { left: 46, right: 12, above: 9, bottom: 6 };
const AXIS = 20; // below the last curve, for the steps
const ROOM_FOR = 12.5; // size of letters for which that room is enough

const forLetters = (pixels) => (pixels * cellFont()) / ROOM_FOR;
const leftOf = () => forLetters(ROOM.left);
const aboveOf = () => forLetters(ROOM.above); // at least half of a letter: the highest level is labelled there

// Return the height of a curve. One of the lines of words may wrap, so there is room for one more.
function curveHeight(host, count) {
  const beside = forLetters((count + 1) * LEGEND + AXIS);
  const most = ((roomOf(host).high ?? Infinity) - beside) / count;
  return Math.max(forLetters(LEAST_HEIGHT), Math.min(forLetters(CURVE_HEIGHT), most));
}

// Build the curves inside `host`. `draw(meta)` draws everything, `point(index)` moves the cursor to a snapshot;
// `seek(step)` is called when the pointer moves to another place with the button down.
export function lapseCurves(host, seek) {
  let meta = null;
  let panels = [];

  const build = () => {
    panels = lapsePanels(meta).map((panel, i, all) => ({
      ...panel,
      ...createFrame(panel, (x, width) => seek(stepAt(x, width, meta.total))),
      isLast: i === all.length - 1,
    }));
    host.replaceChildren(...panels.flatMap(({ head, frame }) => [head, frame]));
  };

  return {
    draw(next) {
      const isSame = meta && shapeOf(meta) === shapeOf(next);
      meta = next;
      if (!isSame) build();
      const shown = panels.filter(({ frame }) => frame.checkVisibility());
      const size = {
        width: Math.max(220, host.clientWidth),
        high: curveHeight(host, shown.length),
      };
      for (const panel of panels) drawPanel(Object.assign(panel, size), meta.total);
    },
    point(index) {
      for (const panel of panels) drawCursor(panel, meta.steps[index], meta.total);
    },
  };
}

// Return the state for which the panels remain valid.
function shapeOf({ alignment, kind, layer, head, steps, loss, total }) {
  const sizes = [alignment.length, steps.length, loss.steps.length, loss.values[0], total];
  return [kind, layer, head, ...sizes].join(" ");
}

function createFrame({ name = "", label }, seek) {
  const base = element("canvas", { class: "loupe-canvas", "aria-hidden": "true" });
  const over = element("canvas", {
    class: "loupe-canvas loupe-over",
    role: "img",
    "aria-label": label,
  });
  const head = element("p", { class: `loupe-lapse-legend ${name}` });
  const frame = element("div", { class: `loupe-heatmap ${name}` }, base, over);
  const follow = (event) => {
    if (event.type === "pointermove" && !(event.buttons & 1)) return;
    seek(event.clientX - over.getBoundingClientRect().left, frame.clientWidth);
  };
  over.addEventListener("pointerdown", follow);
  over.addEventListener("pointermove", follow);
  return { base, over, head, frame };
}

// Convert between a step and its place on the axis.
const spanOf = (width) => width - leftOf() - ROOM.right;
const xOf = (step, width, total) => leftOf() + (step / Math.max(1, total)) * spanOf(width);
const stepAt = (x, width, total) => ((x - leftOf()) / spanOf(width)) * Math.max(1, total);

const heightOf = ({ isLast, high }) => high + (isLast ? forLetters(AXIS) : 0);

function drawPanel(panel, total) {
  const { width, high } = panel;
  const palette = colours();
  const values = panel.lines.flatMap((line) => line.values);
  const most = panel.ceiling ?? lapseTick(Math.max(...values, 1e-9));
  const bottom = high - ROOM.bottom;
  const span = bottom - aboveOf();
  panel.yOf = (value) => bottom - (Math.min(value, most) / most) * span;
  panel.frame.style.height = `${heightOf(panel)}px`;
  const context = context2d(panel.base, width, heightOf(panel));
  context.font = `${Math.max(0.88 * palette.size, palette.least)}px ${palette.font}`;
  context.textBaseline = "middle";
  if (values.length) drawLevels(context, panel, [0, most / 2, most], palette);
  if (panel.isLast) drawSteps(context, panel, total, palette);
  for (const line of panel.lines) drawLine(context, panel, line, total, palette);
}

function drawLevels(context, { width, yOf }, levels, palette) {
  context.lineWidth = 1;
  context.strokeStyle = palette.grid;
  context.fillStyle = palette.soft;
  context.textAlign = "right";
  for (const level of levels) {
    const y = yOf(level);
    lapseLine(context, [
      [leftOf(), y],
      [width - ROOM.right, y],
    ]);
    context.fillText(lapseNumber(level), leftOf() - 7, y);
  }
}

function drawSteps(context, { width, high }, total, palette) {
  context.fillStyle = palette.soft;
  const every = lapseTick(total / 5);
  for (let step = 0; step <= total; step += every) {
    context.textAlign = step === 0 ? "left" : step + every > total ? "right" : "center";
    const x = xOf(step, width, total) + (step === 0 ? -4 : 0);
    const text =
      step === 0 ? say("training.first_steps", { step }) : written(step.toLocaleString("en"));
    context.fillText(text, x, high + forLetters(8));
  }
}

function drawLine(context, { width, yOf }, line, total, palette) {
  context.save();
  context.strokeStyle = context.fillStyle = palette[line.colour];
  context.lineWidth = line.width ?? 1.5;
  context.setLineDash(line.dash ?? []);
  context.globalAlpha = line.alpha ?? 1;
  const points = line.values.map((value, i) => [xOf(line.steps[i], width, total), yOf(value)]);
  if (line.dots) for (const [x, y] of points) lapseDot(context, x, y, 2);
  lapseLine(context, points);
  context.restore();
}

// Draw the cursor at a step, and write the values of the lines at that step into the panel's heading.
function drawCursor(panel, step, total) {
  const palette = colours();
  const context = context2d(panel.over, panel.width, heightOf(panel));
  const x = Math.round(xOf(step, panel.width, total)) + 0.5;
  context.strokeStyle = palette.ink;
  context.globalAlpha = 0.55;
  lapseLine(context, [
    [x, aboveOf() - 4],
    [x, panel.high - ROOM.bottom],
  ]);
  context.globalAlpha = 1;
  const named = panel.lines
    .filter(({ words }) => words)
    .map((line) => ({ ...line, value: lapseValueAt(line, step) }))
    .filter(({ value }) => value !== null);
  for (const { value, colour } of named) {
    context.fillStyle = palette[colour];
    lapseDot(context, x, panel.yOf(value), 3.5);
  }
  const texts = named.map(({ words, value, colour, format }) =>
    element(
      "span",
      { style: `color: ${palette[colour]}` },
      `${words} `,
      element("b", {}, format(value)),
    ),
  );
  panel.head.replaceChildren(
    element("span", { class: "loupe-lapse-title" }, panel.title),
    ...texts,
  );
}

// Return the value of a line at a step: that of the latest point that is not after the step.
function lapseValueAt({ steps, values }, step) {
  let found = null;
  for (let i = 0; i < steps.length && steps[i] <= step; i++) found = values[i];
  return found ?? values[0] ?? null;
}

function lapseLine(context, points) {
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y); // the first call only moves the pen
  context.stroke();
}

function lapseDot(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

// Return the next round number that is not smaller: 1, 2, 4 or 5 times a power of ten.
function lapseTick(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return [1, 2, 4, 5, 10].map((n) => n * power).find((n) => n >= value * 0.999);
}

function lapseNumber(value) {
  return value === 0 ? "0" : written(String(Number(value.toPrecision(2))));
}
