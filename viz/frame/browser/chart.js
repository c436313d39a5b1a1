// The button that saves a Plotly figure drawn by Streamlit. It is placed at the corner of the figure.

import { saveButtonFor } from "../../pictures/browser/saving/menu.js";
import { tableOf } from "../../pictures/browser/saving/table.js";

const NAME = "this figure";

/** @type {import("../../pictures/browser/types").Setup} */
function chart(loupe, { host, listen, signal }) {
  let of = "";
  const frame = () => document.querySelector(`.st-key-${CSS.escape(of)}`);
  const plot = () => frame()?.querySelector(".js-plotly-plot");
  const offer = {
    name: NAME,
    get node() {
      return plot() ?? host;
    },
    table: () => figureTable(plot()),
  };
  const button = saveButtonFor(loupe, offer, signal);
  // Streamlit may redraw the figure or reset its class names, and so remove the button and its class.
  const attach = () => {
    const place = frame();
    if (!place) return;
    if (!place.classList.contains("loupe-saved")) place.classList.add("loupe-saved");
    if (place.lastElementChild !== button) place.append(button); // whichever of the two came first
  };
  const observer = new MutationObserver(attach);
  listen(attach);
  signal.addEventListener("abort", () => {
    observer.disconnect();
    button.remove();
  });
  return (data) => {
    of = data.of;
    attach();
    const block = host.closest("[data-testid=stMain]") ?? document.body; // elements closer to the figure are replaced
    observer.observe(block, { childList: true, subtree: true, attributeFilter: ["class"] });
  };
}

// Return a table with every point of a figure, as given to Plotly.
function figureTable(plot) {
  const rows = plot._fullData.flatMap((trace, at) => {
    const name = trace.name ?? `trace ${at}`;
    return trace.type === "heatmap" ? cellsOf(trace, name) : pointsOf(trace, name);
  });
  const kind = (column) =>
    rows.every((row) => row[column] == null || typeof row[column] === "number") ? "double" : "text";
  return tableOf(
    { trace: "text", point: "whole", x: kind(2), y: kind(3), z: kind(4), text: "text" },
    rows,
  );
}

function pointsOf({ x, y, z, text }, name) {
  const size = Math.max(...[x, y, z].map((values) => values?.length ?? 0));
  return Array.from({ length: size }, (_, i) => [
    name,
    i,
    x?.[i],
    y?.[i],
    z?.[i],
    Array.isArray(text) ? text[i] : text,
  ]);
}

function cellsOf({ x, y, z, text }, name) {
  return Array.from(z, (row, r) =>
    Array.from(row, (value, c) => [
      name,
      r * row.length + c,
      x?.[c] ?? c,
      y?.[r] ?? r,
      value,
      text?.[r]?.[c],
    ]),
  ).flat();
}

export const components = { chart };
