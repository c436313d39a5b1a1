// The numbers of each step of the card of a cell: {nodes, put(data)}.

import { element } from "../../../pictures/browser/elements.js";
import {
  columnTexts,
  equationTexts,
  largestOf,
  numberText,
  percentText,
  unpacked,
} from "../../../pictures/browser/numbers.js";
import {
  barCell,
  cellMore,
  cellTable,
  cellWords,
  lengthCell,
  nameCell,
  textCell,
} from "./cell_parts.js";
import { cellStrips } from "./cell_vectors.js";

const tokenOf = ({ token }, role) => [token, `loupe-${role}`];
const minus = (a, b) => a.map((value, i) => value - b[i]); // rounded to float32, as they are

// q and k whole, then their products by magnitude; the small ones unfold.
export function productsBody() {
  let dimensions = [];
  const columns = [
    ["", textCell],
    ["q", textCell],
    ["", barCell],
    ["k", textCell],
    ["", barCell],
    ["product", textCell],
    ["", barCell],
  ];
  const lit = (dimension) => {
    const place = dimensions.indexOf(dimension);
    first.mark(place);
    others.mark(place - first.size);
  };
  const strips = cellStrips(["query", "key"], lit);
  const table = (start, headed) =>
    cellTable("products", columns, {
      headed,
      enter: (place) => strips.light(dimensions[start() + place]),
      leave: () => strips.light(null),
    });
  const first = table(() => 0, true);
  const others = table(() => first.size, false);
  const more = cellMore(others);
  const turns = turnsPart();
  return {
    nodes: [strips.node, turns.node, first.node, more.node],
    /** @param {import("./wire").WireCell} cell */
    put(cell) {
      const { score, query, key } = cell;
      turns.put(cell);
      dimensions = score.dimensions;
      first.size = score.shown;
      const vectors = [score.q, score.k, score.products].map(unpacked);
      const [q, k] = vectors.map((values) => inPlace(values, dimensions));
      strips.put([["q of ", tokenOf(query, "query")], q], [["k of ", tokenOf(key, "key")], k]);
      const texts = vectors.map(columnTexts);
      const largest = vectors.map((values) => largestOf(values));
      const rows = dimensions.map((dimension, i) => [
        String(dimension),
        ...vectors.flatMap((values, n) => [texts[n][i], [values[i], largest[n]]]),
      ]);
      first.put(rows.slice(0, score.shown));
      more.node.hidden = rows.length <= score.shown;
      more.put(
        [`${rows.length - score.shown} more, together `, [numberText(Number(score.more))]],
        () => others.put(rows.slice(score.shown)),
      );
    },
  };
}

// The angles by which rotary positions turned both, a row for each pair of dimensions.
function turnsPart() {
  const table = cellTable(
    "turns",
    ["dimensions", "q turned by", "k turned by", "apart"].map((name) => [name, textCell]),
  );
  const more = cellMore(table);
  return {
    node: more.node,
    /** @param {import("./wire").WireCell} cell */
    put({ turned, query, key }) {
      more.node.hidden = !turned;
      if (!turned) return;
      const [q, k] = [turned.query, turned.key].map(unpacked);
      const places = `${query.position} and ${key.position}`;
      more.put([`turned by their places, ${places}: ${q.length} angles, in radians`], () => {
        const columns = [q, k, minus(q, k)].map(columnTexts);
        table.put(
          Array.from(q, (_, pair) => [
            `${pair} and ${pair + q.length}`,
            ...columns.map((column) => column[pair]),
          ]),
        );
      });
    },
  };
}

// Put values that stand by magnitude back into the order of their dimensions.
function inPlace(values, dimensions) {
  const ordered = values.slice();
  dimensions.forEach((dimension, i) => {
    ordered[dimension] = values[i];
  });
  return ordered;
}

export function dotBody() {
  const result = cellWords({ class: "cell-result" });
  return { nodes: [result.node], put: ({ score }) => result.put([numberText(Number(score.dot))]) };
}

export function scaledBody() {
  const quotient = cellWords({ class: "cell-result" });
  const edit = cellWords({ class: "cell-soft" });
  return {
    nodes: [quotient.node, edit.node],
    /** @param {import("./wire").WireCell} cell */
    put({ score }) {
      const size = score.dimensions.length;
      const [dot, scaled] = [Number(score.dot), Number(score.scaled)];
      const scale = score.scale === undefined ? 1 / Math.sqrt(size) : Number(score.scale);
      const bias = Number(score.bias ?? 0);
      const made = score.scale === undefined ? `/ √${size}` : `· ${numberText(scale)}`;
      const of = (shown, added = 0) =>
        (score.scale === undefined ? shown / Math.sqrt(size) : shown * scale) + added;
      const { operands, sign, result } = equationTexts(
        score.bias === undefined ? [dot] : [dot, bias],
        of,
        score.edited ? of(dot, bias) : scaled,
      );
      const plus = score.bias === undefined ? "" : ` + (${operands[1]})`;
      quotient.put(`${operands[0]} ${made}${plus} ${sign} `, score.edited ? result : [result]);
      edit.node.hidden = !score.edited;
      edit.put("An edit put ", [numberText(scaled)], " in its place; what follows reads that.");
    },
  };
}

export function maskBody() {
  const result = cellWords({ class: "cell-result" });
  return {
    nodes: [result.node],
    /** @param {import("./wire").WireCell} cell */
    put({ score }) {
      const words = score.allowed ? "may attend: stays " : "may not attend: becomes ";
      result.put(words, [numberText(Number(score.masked))]);
    },
  };
}

// The keys of the row, the strongest first and the one in view among them.
export function softmaxBody() {
  const columns = [
    ["key", nameCell],
    ["s'", textCell],
    ["e", textCell],
    ["w", textCell],
    ["", lengthCell],
  ];
  const first = cellTable("row", columns);
  const others = cellTable("row", columns, { headed: false });
  const unlisted = cellWords({ class: "cell-soft" });
  const more = cellMore(others, unlisted);
  const remark = cellWords({ class: "cell-soft" });
  const scale = cellWords({}, "span");
  const weight = cellWords({}, "span");
  const sum = element("p", { class: "cell-sum" }, scale.node, weight.node);
  return {
    nodes: [first.node, more.node, remark.node, sum],
    /** @param {import("./wire").WireCell} data */
    put(data) {
      const { row, score } = data;
      const isNumber = data.weight !== "NaN";
      for (const node of [first.node, sum]) node.hidden = !isNumber;
      more.node.hidden = !isNumber || row.size <= row.shown;
      remark.node.hidden = isNumber && row.open;
      remark.put(softmaxRemark(row, score, isNumber));
      const rows = softmaxRows(data);
      first.put(rows.slice(0, row.shown));
      more.put([`${row.size - row.shown} more, together `, [numberText(Number(row.more))]], () => {
        others.put(rows.slice(row.shown));
        unlisted.node.hidden = row.size === rows.length;
        unlisted.put(`${row.size - rows.length} smaller ones, together `, [
          numberText(Number(row.others)),
        ]);
      });
      const own = unpacked(row.exponentials)[row.keys.indexOf(data.key.position)];
      const { operands, sign, result } = equationTexts(
        [own, Number(row.denominator)],
        (exponential, total) => exponential / total,
        Number(data.weight),
      );
      scale.put(`max s' = ${numberText(Number(row.largest))}, Z = ${operands[1]}`);
      weight.put(`w = ${operands[0]} / ${operands[1]} ${sign} `, [result]);
    },
  };
}

/** Token, masked score, exponential, weight and its bar, for each key that is listed.
 * @param {import("./wire").WireCell} cell
 */
function softmaxRows({ key, row }) {
  const hidden = new Set(row.hidden);
  const [scores, exponentials, weights] = [row.scores, row.exponentials, row.weights].map(unpacked);
  const texts = columnTexts(scores.map((value, i) => (hidden.has(row.keys[i]) ? 0 : value)));
  return row.keys.map((position, i) => {
    const masked = hidden.has(position);
    let role = masked ? "cell-masked" : "";
    if (position === key.position) role = "cell-own loupe-key";
    return [
      [
        row.tokens[i],
        role,
        masked ? `key ${position}. The mask hides this key` : `key ${position}`,
      ],
      masked ? numberText(scores[i]) : texts[i],
      numberText(exponentials[i]),
      numberText(weights[i]),
      [weights[i], 1],
    ];
  });
}

// What is odd about a row: that it has no weights, or that the mask did not hide what it should.
function softmaxRemark(row, score, isNumber) {
  if (isNumber)
    return (
      `The mask hides all keys from this query, but puts ${numberText(Number(score.fill))} in place ` +
      "of each score, not −∞: all are equal, and so are the weights."
    );
  if (row.open)
    return "An edit left scores in this row that no softmax can take: its weights are NaN.";
  return (
    `The mask hides all ${row.size} keys from this query. Each exponential is of −∞ ` +
    "less −∞, which is not a number (NaN), and so is each weight. Nothing that reads this row can be used."
  );
}

export function weightedBody() {
  const strips = cellStrips(["value", "value"]);
  return {
    nodes: [strips.node],
    /** @param {import("./wire").WireCell} cell */
    put({ key, weight, mix }) {
      strips.put(
        [["v of ", tokenOf(key, "key")], unpacked(mix.v)],
        [[`${numberText(Number(weight))} · v`], unpacked(mix.weighted)],
      );
    },
  };
}

// What this key and the others add up to, and every number of it.
export function mixBody() {
  const strips = cellStrips(["value", "soft", "ink"]);
  const share = cellWords({ class: "cell-soft" });
  const all = allNumbers(["v", "w · v", "others", "mix"], strips);
  return {
    nodes: [strips.node, share.node, all.node],
    /** @param {import("./wire").WireCell} cell */
    put({ key, row, mix }) {
      const [v, weighted, whole] = [mix.v, mix.weighted, mix.mix].map(unpacked);
      const others = minus(whole, weighted);
      strips.put(
        [["w · v"], weighted],
        [[`+ ${row.size - 1} other keys`], others],
        [["= mix"], whole],
      );
      share.node.hidden = mix.share === "NaN";
      share.put(
        tokenOf(key, "key"),
        " brings ",
        [percentText(Number(mix.share))],
        " of the lengths that are mixed.",
      );
      all.put([v, weighted, others, whole]);
    },
  };
}

// How much each head writes, and what this one writes into the output.
export function outputBody() {
  const lengths = cellTable("heads", [
    ["", nameCell],
    ["length", textCell],
    ["", lengthCell],
  ]);
  const strips = cellStrips(["accent", "soft", "ink"]);
  const all = allNumbers(["this head", "the rest", "output"], strips);
  return {
    nodes: [lengths.node, strips.node, all.node],
    /** @param {import("./wire").WireCell} cell */
    put({ head, output }) {
      lengths.put(headLengths(head, output));
      const [own, whole] = [output.own, output.output].map(unpacked);
      const rest = minus(whole, own);
      strips.put([[`head ${head}`], own], [["+ the rest"], rest], [["= output"], whole]);
      all.put([own, rest, whole]);
    },
  };
}

/** The length of what each head writes, of the bias, and of their sum.
 * @param {number} own
 * @param {import("./wire").WireOutput} output
 */
function headLengths(own, { norms, bias, together }) {
  const rows = Array.from(unpacked(norms), (norm, head) => [
    [`head ${head}`, head === own ? "cell-own" : ""],
    norm,
  ]);
  if (bias) rows.push([["bias"], Number(bias)]);
  rows.push([["together"], Number(together)]);
  const lengths = rows.map(([, length]) => length);
  const texts = columnTexts(lengths);
  const largest = largestOf(lengths);
  return rows.map(([name, length], i) => [name, texts[i], [length, largest]]);
}

// Vectors as columns, unfolded; a row lights its dimension in the strips.
function allNumbers(names, strips) {
  const table = cellTable("numbers", [["", textCell], ...names.map((name) => [name, textCell])], {
    enter: strips.light,
    leave: () => strips.light(null),
  });
  const more = cellMore(table);
  return {
    node: more.node,
    put(vectors) {
      const size = vectors[0].length;
      more.put([`all ${size} numbers`], () => {
        const columns = vectors.map(columnTexts);
        table.put(
          Array.from({ length: size }, (_, i) => [
            String(i),
            ...columns.map((column) => column[i]),
          ]),
        );
      });
    },
  };
}
