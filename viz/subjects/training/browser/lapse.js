// A training that plays: every head of one kind at each snapshot, beside curves with a cursor that moves along.
// All snapshots are sent at once; Python hears of a head that is chosen and of where the player comes to rest.

import {
  colours,
  context2d,
  paintCells,
  readsLine,
  tooltip,
} from "../../../pictures/browser/canvas.js";
import { clamp, element, followWidth } from "../../../pictures/browser/elements.js";
import { heatmap } from "../../../pictures/browser/heatmap.js";
import { keyboardInUse } from "../../../pictures/browser/keyboard.js";
import { CODE_MASKED, weightColour, weightWords } from "../../../pictures/browser/weights.js";

import { lapseCurves } from "./lapse_curves.js";

const LAPSE_FRAME_MS = 420; // each snapshot is real: nothing is drawn between two of them, so they want a moment
const LAPSE_REST_MS = 400;
const LAPSE_THUMB = [34, 72]; // side of a small head in pixels, at least and at most

function lapse(loupe, { host, signal }) {
  let meta = null;
  let codes = null;
  let now = 0; // index of the snapshot in view
  let timer = null; // of the player
  let chasing = null; // timer that follows a training which goes on, until its newest snapshot is in view
  let resting = null; // timer until Python hears where it rests
  let trigger = (_event, _value) => {};
  let thumbs = [];
  let built = ""; // what the small heads were built for

  const player = element("div", { class: "loupe-lapse-player" });
  const title = element("h2", { class: "loupe-heading" });
  const big = element("div", { class: "loupe-lapse-head" });
  const small = element("div", { class: "loupe-lapse-heads" });
  const side = element("div", { class: "loupe-lapse-curves" });
  host.append(
    player,
    element(
      "div",
      { class: "loupe-lapse-body" },
      element("div", { class: "loupe-lapse-left" }, title, big, small),
      side,
    ),
  );
  const curves = lapseCurves(side, (step) => seek(nearestSnapshot(step)));

  const button = element("button", {
    type: "button",
    class: "loupe-lapse-play",
    onclick: () => toggle(),
  });
  const scrubber = element("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": "snapshot of the training",
    oninput: () => seek(Number(scrubber.value)),
  });
  const place = element("span", { class: "loupe-lapse-step" });
  const wrote = element("span", { class: "loupe-lapse-written" });
  player.append(button, scrubber, place, wrote);

  const last = () => meta.steps.length - 1;
  const cells = () => meta.rowTokens.length * meta.columnTokens.length;
  const code = (layer, head, cell) =>
    codes[((now * meta.layers + layer) * meta.heads + head) * cells() + cell];
  const cellsOf = (layer, head) => {
    const palette = colours();
    const codeAt = (row, column) => code(layer, head, row * meta.columnTokens.length + column);
    return {
      colourOf: (row, column) => weightColour(codeAt(row, column), palette),
      isMasked: (row, column) => codeAt(row, column) === CODE_MASKED,
    };
  };

  const map = heatmap(
    big,
    () => ({
      rows: meta.rowTokens.length,
      columns: meta.columnTokens.length,
      rowTokens: meta.rowTokens,
      columnTokens: meta.columnTokens,
      rowTitle: meta.rowTitle,
      columnTitle: meta.columnTitle,
      room: [Math.min(430, big.clientWidth || 430), 430],
      most: 38,
      ...cellsOf(meta.layer, meta.head),
    }),
    {
      label: "attention of the chosen head at the snapshot in view",
      point: (cell, event) => point(cell, event),
      choose: () => {},
    },
  );

  const point = (cell, event) => {
    if (cell?.row === undefined || cell.column === undefined) {
      map.outline([]);
      return tooltip.hide();
    }
    const palette = colours();
    map.outline([
      { row: cell.row, colour: palette.query, width: 1.5 },
      { column: cell.column, colour: palette.key, width: 1.5 },
    ]);
    const weight = code(meta.layer, meta.head, cell.row * meta.columnTokens.length + cell.column);
    tooltip.show(
      event,
      readsLine(meta.rowTokens[cell.row], meta.columnTokens[cell.column]),
      `weight ${weightWords(weight)} at step ${meta.steps[now].toLocaleString("en")}`,
    );
  };

  const nearestSnapshot = (step) => {
    const distance = (index) => Math.abs(meta.steps[index] - step);
    return meta.steps.reduce(
      (best, _, index) => (distance(index) < distance(best) ? index : best),
      0,
    );
  };

  const seek = (index, { plays = false } = {}) => {
    if (!plays) pause();
    now = clamp(index, meta.steps.length);
    drawNow();
    clearTimeout(resting);
    if (!plays) resting = setTimeout(() => trigger("rest", meta.steps[now]), LAPSE_REST_MS);
  };
  const pause = () => {
    clearInterval(timer);
    clearInterval(chasing);
    timer = chasing = null;
    drawButton();
  };
  const play = () => {
    if (now === last()) seek(0, { plays: true });
    timer = setInterval(() => {
      if (!host.isConnected) return pause();
      if (now < last()) seek(now + 1, { plays: true });
      if (now === last()) seek(now);
    }, LAPSE_FRAME_MS);
    drawButton();
  };
  const chase = () => {
    chasing ??= setInterval(() => {
      if (!host.isConnected || now >= last()) {
        clearInterval(chasing);
        chasing = null;
      } else {
        now++;
        drawNow();
      }
    }, LAPSE_FRAME_MS);
  };
  const toggle = () => (timer ? seek(now) : play());
  const drawButton = () => {
    button.textContent = timer ? "❚❚" : "▶";
    button.setAttribute("aria-label", timer ? "pause" : "play");
  };

  const buildThumbs = () => {
    const shape = [meta.layers, meta.heads, meta.layer, meta.head, small.clientWidth].join();
    if (shape === built) return;
    built = shape;
    small.hidden = meta.layers * meta.heads < 2;
    const [least, most] = LAPSE_THUMB;
    const size = Math.max(
      least,
      Math.min(most, Math.floor((small.clientWidth || 430) / meta.heads) - 12),
    );
    thumbs = [];
    for (let layer = 0; layer < meta.layers; layer++)
      for (let head = 0; head < meta.heads; head++) {
        const canvas = element("canvas");
        thumbs.push({ layer, head, canvas, size });
      }
    small.style.setProperty("--lapse-heads", meta.heads);
    small.replaceChildren(
      ...thumbs.map(({ layer, head, canvas }) =>
        element(
          "button",
          {
            type: "button",
            "aria-label": `layer ${layer}, head ${head}`,
            "aria-pressed": String(layer === meta.layer && head === meta.head),
            onclick: () => trigger("head", { layer, head }),
          },
          canvas,
          element("span", {}, `L${layer} H${head}`),
        ),
      ),
    );
  };
  const drawThumb = ({ layer, head, canvas, size }) => {
    const [rows, columns] = [meta.rowTokens.length, meta.columnTokens.length];
    const cell = size / Math.max(rows, columns);
    const context = context2d(canvas, Math.ceil(columns * cell), Math.ceil(rows * cell));
    paintCells(context, rows, columns, { x: 0, y: 0, cell, gap: 0 }, cellsOf(layer, head).colourOf);
  };

  // What changes from snapshot to snapshot.
  const drawNow = () => {
    const step = meta.steps[now];
    scrubber.max = String(last());
    scrubber.value = String(now);
    scrubber.setAttribute("aria-valuetext", `step ${step}`);
    place.replaceChildren(
      "step ",
      element("b", {}, step.toLocaleString("en")),
      ` of ${meta.total.toLocaleString("en")}`,
    );
    wrote.replaceChildren(
      "writes ",
      element("b", {}, meta.written[now] || "nothing"),
      element(
        "i",
        { class: meta.right[now] ? "loupe-right" : "loupe-wrong" },
        meta.right[now] ? " ✓" : " ✗",
      ),
    );
    map.draw();
    thumbs.forEach(drawThumb);
    curves.point(now);
  };
  const drawAll = () => {
    if (!meta || !host.clientWidth) return;
    title.replaceChildren(
      element("span", {}, "One head"),
      element("code", {}, `${meta.name.replace("{layer}", meta.layer)}[${meta.head}]`),
    );
    drawButton();
    buildThumbs();
    curves.draw(meta);
    drawNow();
  };

  // Arrow keys and the space bar move the player wherever nothing else wants them: on this page no cell is shown.
  const pressed = (event) => {
    const inside = event.composedPath().includes(host);
    if (!meta || !host.clientWidth || (keyboardInUse(event) && !inside)) return;
    const target = event.composedPath()[0];
    const onButton = target instanceof HTMLElement && target.matches("button, a, [role=radio]");
    const moves = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last() };
    if (event.key === " " && !onButton) toggle();
    else if (event.key in moves && (inside || event.key.startsWith("Arrow")))
      seek(moves[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  loupe.root.addEventListener("keydown", pressed, { capture: true, signal });
  signal.addEventListener("abort", () => {
    for (const one of [timer, chasing]) clearInterval(one);
    clearTimeout(resting);
  });

  followWidth(host, drawAll, signal);

  return (data, setTriggerValue) => {
    trigger = setTriggerValue;
    const before = meta;
    const atEnd = before && now === before.steps.length - 1;
    meta = data.meta;
    codes = data.codes.getChild("code").toArray();
    const first =
      !before || before.steps[0] !== meta.steps[0] || before.steps.length > meta.steps.length;
    if (first) now = meta.at === null ? last() : nearestSnapshot(meta.at);
    else if (meta.follow && atEnd && !timer) chase();
    now = clamp(now, meta.steps.length);
    drawAll();
  };
}

export const components = { lapse };
