// Reads runs as the pictures do: `node read_weights.js`, for test_shrunk.py.
// Prints for every head the words of each cell and the lines drawn for 90% of each row.

import { asked, tell } from "../../browser/asked.mjs";
import "../../browser/texts.mjs";
import { components, wholeHead } from "../../../viz/pictures/browser/run.js";
import { weightOf, weightWords } from "../../../viz/pictures/browser/weights.js";
import { heaviest } from "../../../viz/subjects/attention/browser/lines.js";

const { runs } = asked;
const { signal } = new AbortController();
const asArrow = (codes) => ({ getChild: () => ({ toArray: () => Uint16Array.from(codes) }) });

function explorerOf(key) {
  const parts = new Map();
  const part = (make) => parts.get(make) ?? parts.set(make, make()).get(make);
  const loupe = { runs: new Map(), part, tell() {}, selection: { run: key } };
  const run = () => loupe.runs.get(key);
  return { ...loupe, run, stack: (kind) => run().kinds[kind] };
}

const told = runs.map(({ meta, codes, heads }) => {
  const loupe = explorerOf(meta.run);
  components.run(loupe, { signal })({ meta, codes: asArrow(codes) });
  const takeHead = components.whole_head(loupe);
  return heads.map(({ meta: place, codes: own }) => {
    const { kind, layer, head } = place;
    const before = wholeHead(loupe, kind, layer, head);
    takeHead({ meta: place, codes: asArrow(own) });
    const { rows, columns, codes: read } = wholeHead(loupe, kind, layer, head);
    const rowsOf = Array.from({ length: rows }, (_, row) =>
      Array.from(read.subarray(row * columns, (row + 1) * columns)),
    );
    return {
      asked: before === null,
      words: rowsOf.map((row) => row.map(weightWords)),
      lines: rowsOf.map((row) => heaviest(row.map(weightOf), 0.9).map(([key]) => key)),
    };
  });
});
tell(told);
