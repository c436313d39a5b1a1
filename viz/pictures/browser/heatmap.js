// A matrix with tokens along its sides: one canvas for the cells, and one above it for the outlines.

import { context2d, coverCells, fittedText, hatchCells, paintCells } from "./canvas.js";
import { colours } from "./colours.js";
import { element } from "./elements.js";
import { asTable } from "./summary.js";

export const LEAST_LABELLED = 9; // cells of fewer pixels have no tokens beside them
const LONGEST_LABEL = 8.8; // the longest label, as a multiple of the font size

// Build a heat map inside `host`. `spec()` is called for each drawing and returns
//   rows, columns, rowTokens, columnTokens, rowTitle, columnTitle, colourOf(row, column) -> [r, g, b],
//   isMasked(row, column), isCovered(row, column) if a question is open, room: [width, height], most: largest cell,
//   stretch: whether the height of rows may differ from the width of columns; and, if available, for screen readers:
//   textOf(row, column): a cell in words, saidOf(row): a sentence on a row, on a row of its choice if none is selected.
// `point({row, column} or null, event)` is called as the pointer moves. Over a label, the row or the column is missing.
// `choose({row, column})` is called on a click.
export function heatmap(host, spec, { point, choose, label }) {
  const base = element("canvas", { class: "loupe-canvas", "aria-hidden": "true" });
  const over = element("canvas", {
    class: "loupe-canvas loupe-over",
    role: "img",
    tabindex: "0",
    "aria-label": label,
  });
  const frame = element("div", { class: "loupe-heatmap" }, base, over);
  const told = createTold(label, over, spec);
  host.append(frame, told.table.button, told.table.place);
  let shape = null;

  const cellAt = (event) => shape && cellUnder(event, over.getBoundingClientRect(), shape);
  over.addEventListener("pointermove", (event) => point(cellAt(event), event));
  over.addEventListener("pointerleave", (event) => point(null, event));
  over.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (cell) choose(cell);
  });

  return {
    frame,
    table: told.table,
    draw() {
      const wanted = spec();
      const palette = colours();
      shape = layout(wanted, palette, base.getContext("2d"));
      const context = context2d(base, shape.width, shape.height);
      context2d(over, shape.width, shape.height);
      Object.assign(frame, { shape }); // where the cells are, for code that measures the picture
      frame.style.width = `${shape.width}px`;
      frame.style.height = `${shape.height}px`;
      const place = { ...shape, gap: shape.cell >= 6 ? 1 : 0 };
      context.fillStyle = palette.grid;
      context.fillRect(
        shape.x - 1,
        shape.y - 1,
        shape.columns * shape.cell + 1,
        shape.rows * shape.high + 1,
      );
      paintCells(context, shape.rows, shape.columns, place, wanted.colourOf);
      hatchCells(context, shape.rows, shape.columns, shape, wanted.isMasked, palette.hatch);
      coverCells(context, shape.rows, shape.columns, place, wanted.isCovered, palette);
      drawAxes(context, wanted, shape, palette);
      told.follow(wanted);
    },
    // Outline [{row, column, colour, width, dot, dashed, grow}]; without a row or column, a whole line of cells.
    outline(marks) {
      if (!shape) return;
      const context = context2d(over, shape.width, shape.height);
      for (const mark of marks) outlineOne(context, shape, mark);
      told.choose(marks.find((mark) => mark.row !== undefined)?.row);
    },
  };
}

// Return the cell under the pointer; over a label, the whole row or column.
function cellUnder({ clientX, clientY }, box, shape) {
  const column = Math.floor((clientX - box.left - shape.x) / shape.cell);
  const row = Math.floor((clientY - box.top - shape.y) / shape.high);
  const inside = {
    row: row >= 0 && row < shape.rows,
    column: column >= 0 && column < shape.columns,
  };
  if (inside.row && inside.column) return { row, column };
  if (inside.row && column < 0) return { row };
  if (inside.column && row < 0) return { column };
  return null;
}

// Describe the picture to screen readers: one row in its label, and all cells in a table.
function createTold(label, picture, spec) {
  const table = asTable(label, () => named(spec()));
  table.button.hidden = true; // until there is something to read
  let chosen; // the described row
  const tell = ({ saidOf }) => {
    if (saidOf) picture.setAttribute("aria-label", `${label}. ${saidOf(chosen)}`);
  };
  return {
    table,
    follow(wanted) {
      table.button.hidden = !wanted.textOf;
      table.follow();
      tell(wanted);
    },
    choose(row) {
      if (row === chosen) return;
      chosen = row;
      tell(spec());
    },
  };
}

// Return the names of a table's rows and columns: their tokens, or numbers if there are none.
function named({ rows, columns, rowTokens, columnTokens, textOf }) {
  return {
    rows,
    columns,
    rowNames: (row) => rowTokens?.[row] ?? String(row),
    columnNames: (column) => columnTokens?.[column] ?? String(column),
    textOf,
  };
}

// Leave room for the labels and fit the cells, square unless stretched, into the rest.
function layout(spec, palette, context) {
  const {
    rows,
    columns,
    rowTokens,
    columnTokens,
    rowTitle,
    columnTitle,
    room,
    most = (34 * palette.size) / 12.5,
    stretch,
  } = spec;
  context.font = `${palette.size}px ${palette.font}`;
  const widest = (tokens) =>
    tokens
      ? Math.min(
          LONGEST_LABEL * palette.size,
          Math.max(...tokens.map((token) => context.measureText(token).width)),
        )
      : 0;
  const title = Math.round(palette.size * 1.7);
  const fit = (labelled) => {
    const x = Math.round((labelled.rows ? widest(rowTokens) + 10 : 4) + (rowTitle ? title : 0));
    const slant = labelled.columns ? widest(columnTokens) * 0.72 + palette.size : 4;
    const y = Math.round(slant + (columnTitle ? title : 0));
    const right = labelled.columns ? Math.min(60, widest(columnTokens) * 0.6) : 4;
    const whole = (size) => Math.max(size >= 4 ? Math.floor(size) : size, 0.5);
    const [wide, high] = [(room[0] - x - right) / columns, (room[1] - y) / rows].map((size) =>
      Math.min(most, size),
    );
    const square = whole(Math.min(wide, high));
    return {
      x,
      y,
      right,
      cell: stretch ? whole(wide) : square,
      high: stretch ? whole(high) : square,
      labelled,
    };
  };
  let found = fit({ rows: true, columns: true });
  const enough = { rows: found.high >= LEAST_LABELLED, columns: found.cell >= LEAST_LABELLED };
  if (!enough.rows || !enough.columns) found = fit(enough);
  const titles = rowTitle ? context.measureText(columnTitle ?? "").width : 0;
  return {
    ...found,
    rows,
    columns,
    width: Math.ceil(
      Math.max(found.x + columns * found.cell + found.right, Math.min(room[0], found.x + titles)),
    ),
    height: Math.ceil(found.y + rows * found.high + 3),
  };
}

function drawAxes(context, { rowTokens, columnTokens, rowTitle, columnTitle }, shape, palette) {
  const { x, y, cell, high, rows, labelled } = shape;
  const letters = (side) => Math.min(palette.size, Math.max(palette.least, side - 1));
  // If readable letters are taller than a cell, only some rows or columns have their token beside them.
  const every = (side) => Math.ceil((letters(side) + 0.5) / (side + 1));
  const font = (side) => `${letters(side)}px ${palette.font}`;
  context.textBaseline = "middle";
  context.fillStyle = palette.ink;
  if (labelled.rows) {
    context.font = font(high);
    context.textAlign = "right";
    rowTokens?.forEach((token, row) => {
      if (row % every(high)) return;
      context.fillText(
        fittedText(context, token, LONGEST_LABEL * palette.size),
        x - 7,
        y + (row + 0.5) * high,
      );
    });
  }
  context.textAlign = "left";
  if (labelled.columns) {
    context.font = font(cell);
    columnTokens?.forEach((token, column) => {
      if (column % every(cell)) return;
      context.save();
      context.translate(x + (column + 0.5) * cell, y - 6);
      context.rotate(-Math.PI / 4);
      context.fillText(fittedText(context, token, LONGEST_LABEL * palette.size), 0, 0);
      context.restore();
    });
  }
  context.font = `500 ${palette.size}px system-ui, sans-serif`;
  if (columnTitle) {
    context.fillStyle = palette.key;
    const shown = fittedText(context, columnTitle, shape.width - 2);
    const start = Math.min(x, shape.width - context.measureText(shown).width);
    context.fillText(shown, Math.max(2, start), palette.size * 0.7);
  }
  if (rowTitle) {
    context.save();
    context.translate(palette.size * 0.7, y + rows * high);
    context.rotate(-Math.PI / 2);
    context.fillStyle = palette.query;
    context.fillText(fittedText(context, rowTitle, rows * high + y - 4), 0, 0);
    context.restore();
  }
}

function outlineOne(context, shape, { row, column, colour, width = 2, dot, dashed, grow = 0 }) {
  const { x, y, cell, high, rows, columns } = shape;
  const left = column === undefined ? x : x + column * cell;
  const top = row === undefined ? y : y + row * high;
  const wide = column === undefined ? columns * cell : cell;
  const tall = row === undefined ? rows * high : high;
  context.strokeStyle = colour;
  context.lineWidth = width;
  if (dot) {
    context.beginPath();
    context.arc(
      left + wide / 2,
      top + tall / 2,
      Math.max(2, Math.min(5, cell / 4)),
      0,
      2 * Math.PI,
    );
    context.stroke();
    return;
  }
  const by = grow + (cell < 6 ? 3 : 0); // a cell of one or two pixels also needs a visible box
  context.setLineDash(dashed ? [2 * width, 1.5 * width] : []);
  context.strokeRect(left - by, top - by, wide - 1 + 2 * by, tall - 1 + 2 * by);
}
