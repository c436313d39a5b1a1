// Matrices side by side that share what is pointed at: the stages of an attention, the masks of a batch, any tensor.

import { colours, readsLine, tooltip } from "./canvas.js";
import { element, followWidth } from "./elements.js";
import { heatmap } from "./heatmap.js";

function showPanels(loupe, { host, listen, signal }) {
  let panels = [];
  let groups = new Map(); // group -> its panels: they answer the pointer together
  let own = null; // {group, row, column} under the pointer here, for axes that are not of an attention

  const grid = element("div", { class: "loupe-panel-grid" });
  host.append(grid);

  // A cell of one panel as positions on named axes: {query: 3, key: 1}.
  const named = ({ axes }, cell) => ({
    ...(cell.row === undefined ? {} : { [axes[0]]: cell.row }),
    ...(cell.column === undefined ? {} : { [axes[1]]: cell.column }),
  });
  const local = ({ axes }, place) => ({ row: place[axes[0]], column: place[axes[1]] });

  const build = (data) => {
    const values = data.values.getChild("value").toArray();
    const masks = data.masks?.getChild("masked").toArray();
    panels = data.meta.panels.map((panel) => {
      const size = panel.rows * panel.columns;
      return {
        ...panel,
        values: values.subarray(panel.offset, panel.offset + size),
        masked: panel.masked === null ? null : masks.subarray(panel.masked, panel.masked + size),
      };
    });
    groups = Map.groupBy(panels, ({ group }) => group);
    grid.style.setProperty("--panel-width", `${data.meta.width}px`);
    grid.replaceChildren(...panels.map((panel) => figure(panel, data.meta)));
  };

  const figure = (panel, meta) => {
    const box = element("div");
    const node = element(
      "figure",
      { class: "loupe-panel" },
      element(
        "figcaption",
        {},
        element("b", {}, panel.title),
        panel.code ? element("code", {}, panel.code) : null,
        panel.note ? element("span", {}, panel.note) : null,
      ),
      box,
    );
    panel.map = heatmap(
      box,
      () => {
        const palette = colours();
        const ground = palette.scale[0];
        const stops = panel.scale === "signed" ? palette.diverging : palette.scale;
        return {
          rows: panel.rows,
          columns: panel.columns,
          rowTokens: panel.rowTokens,
          columnTokens: panel.columnTokens,
          rowTitle: panel.rowTitle,
          columnTitle: panel.columnTitle,
          room: [box.clientWidth || meta.width, meta.height],
          most: meta.cell,
          stretch: panel.axes[1] !== "key",
          colourOf: (row, column) =>
            shade(panel, panel.values[row * panel.columns + column], stops) ?? ground,
          isMasked: (row, column) => Boolean(panel.masked?.[row * panel.columns + column]),
        };
      },
      {
        label: `${panel.title}${panel.note ? `, ${panel.note}` : ""}`,
        point: (cell, event) => point(panel, cell, event),
        choose: (cell) => {
          const place = named(panel, cell);
          if (meta.selects) loupe.select(pick(place, ["query", "key"], meta.first));
        },
      },
    );
    return node;
  };

  const point = (panel, cell, event) => {
    own = cell && { group: panel.group, ...named(panel, cell) };
    loupe.point(
      own && {
        kind: panel.group,
        query: shifted(own.query, panel, 0),
        key: shifted(own.key, panel, 1),
      },
    );
    mark();
    if (!own) return tooltip.hide();
    const lines = groups
      .get(panel.group)
      .map((other) => [other, local(other, own)])
      .filter(
        ([other, { row, column }]) => row !== undefined && column !== undefined && row < other.rows,
      )
      .map(([other, { row, column }]) => `${other.title}  ${signed(other, row, column)}`);
    const [row, column] = [cell.row ?? -1, cell.column ?? -1];
    const words = [panel.rowTokens?.[row], panel.columnTokens?.[column]];
    const head =
      panel.axes.join(" ") === "query key" && words[0] && words[1]
        ? readsLine(words[0], words[1])
        : words
            .map((word, i) => word ?? [row, column][i])
            .filter((word) => word !== -1)
            .join(", ");
    tooltip.show(event, head, ...lines);
  };

  // The stages may show a window of the whole: `first` is where it begins.
  const shifted = (position, panel, axis) =>
    position === undefined ? undefined : position + (panel.first?.[axis] ?? 0);

  const mark = () => {
    if (!loupe.selection) return;
    const palette = colours();
    for (const panel of panels) {
      const marks = [];
      const { selection, hover } = loupe;
      const first = panel.first ?? [0, 0];
      if (panel.selects) {
        const chosen = local(panel, {
          query: selection.query - first[0],
          key: selection.key - first[1],
        });
        if (chosen.row !== undefined || chosen.column !== undefined)
          marks.push({ ...chosen, colour: palette.accent });
      }
      let place = own?.group === panel.group ? own : null;
      if (!place && hover?.kind === panel.group)
        place = {
          ...(hover.query === undefined ? {} : { query: hover.query - first[0] }),
          ...(hover.key === undefined ? {} : { key: hover.key - first[1] }),
        };
      if (place) {
        const { row, column } = local(panel, place);
        const role = { query: palette.query, key: palette.key };
        if (row !== undefined)
          marks.push({ row, colour: role[panel.axes[0]] ?? palette.soft, width: 1.5 });
        if (column !== undefined)
          marks.push({ column, colour: role[panel.axes[1]] ?? palette.soft, width: 1.5 });
      }
      for (const [row, column] of panel.marks ?? [])
        marks.push({ row, column, colour: palette.wrong, width: 2 });
      panel.map.outline(marks.filter((one) => inside(one, panel)));
    }
  };
  const inside = ({ row, column }, { rows, columns }) =>
    (row === undefined || (row >= 0 && row < rows)) &&
    (column === undefined || (column >= 0 && column < columns));

  const draw = () => {
    if (!host.clientWidth) return;
    for (const panel of panels) panel.map.draw();
    mark();
  };
  listen((what) => {
    if (what === "run") draw();
    else if (what !== "exact") mark();
  });
  followWidth(host, draw, signal);
  let shown = null;
  return (data) => {
    if (data !== shown) build(data);
    shown = data;
    draw();
  };
}

const MAY_READ = 50; // of 200 colours: a tone that is not mistaken for a weight of 1

// Colour of a value: weights from 0 to 1, or signed values up to the largest magnitude of the panel.
function shade({ scale, largest }, value, stops) {
  if (!Number.isFinite(value)) return null;
  if (scale === "mask") return value ? stops[MAY_READ] : null;
  const place = scale === "weights" ? value : (value / (largest || 1) + 1) / 2;
  return stops[Math.round(Math.max(0, Math.min(1, place)) * 200)];
}

function signed(panel, row, column) {
  const i = row * panel.columns + column;
  const value = panel.values[i];
  if (panel.scale === "mask") return value ? "may be read" : "hidden";
  const masked = panel.masked?.[i] ? ", masked" : "";
  if (Number.isNaN(value)) return `not a number${masked}`;
  if (value === -Infinity) return "−∞, masked";
  const size = Math.abs(value);
  const text =
    size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(3) : value.toPrecision(4);
  return `${text.replace("-", "−")}${masked}`;
}

function pick(place, names, first = [0, 0]) {
  return Object.fromEntries(
    names
      .map((name, i) => [name, place[name], first[i]])
      .filter(([, v]) => v !== undefined)
      .map(([n, v, f]) => [n, v + f]),
  );
}

export const components = { panels: showPanels };
