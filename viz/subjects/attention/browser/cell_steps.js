// The numbers of each step on the card of a cell: {nodes, put(data)}.

import { element } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import {
  columnTexts,
  equationTexts,
  largestOf,
  numberText,
  percentText,
} from "../../../pictures/browser/numbers.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
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
const minus = (a, b) => a.map((value, i) => value - b[i]); // rounded to float32, as the vectors are

// Show q and k as strips, then their products sorted by magnitude; the small ones unfold.
export function productsBody() {
  let dimensions = [];
  const columns = [
    ["", textCell],
    ["q", textCell],
    ["", barCell],
    ["k", textCell],
    ["", barCell],
    [say("attention.product"), textCell],
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
  return {
    nodes: [strips.node, first.node, more.node],
    /** @param {import("./types").Cell} cell */
    put({ score, query, key }) {
      dimensions = score.order;
      first.size = score.shown;
      strips.put(
        [filled(say("attention.q_of"), { token: tokenOf(query, "query") }), score.q],
        [filled(say("attention.k_of"), { token: tokenOf(key, "key") }), score.k],
      );
      const vectors = [score.q, score.k, score.products];
      const texts = vectors.map(columnTexts);
      const largest = vectors.map((values) => largestOf(values));
      const rows = dimensions.map((dimension) => [
        String(dimension),
        ...vectors.flatMap((values, n) => [texts[n][dimension], [values[dimension], largest[n]]]),
      ]);
      first.put(rows.slice(0, score.shown));
      more.node.hidden = rows.length <= score.shown;
      more.put(moreSaid(rows.length - score.shown, score.more), () =>
        others.put(rows.slice(score.shown)),
      );
    },
  };
}

// Say how many rows are folded, and their sum.
function moreSaid(count, sum) {
  const said = say("attention.more", { count, sum: "{sum}" });
  return filled(said, { sum: [numberText(sum)] });
}

export function dotBody() {
  const result = cellWords({ class: "cell-result" });
  return { nodes: [result.node], put: ({ score }) => result.put([numberText(score.dot)]) };
}

export function scaledBody() {
  const quotient = cellWords({ class: "cell-result" });
  const edit = cellWords({ class: "cell-soft" });
  return {
    nodes: [quotient.node, edit.node],
    /** @param {import("./types").Cell} cell */
    put({ score }) {
      const { q, dot, scaled, scale, bias, softcap, isEdited } = score;
      const made = scale === null ? `/ √${q.length}` : `· ${numberText(scale)}`;
      const bent = bentTo(softcap);
      const of = (shown, added = 0) =>
        bent(scale === null ? shown / Math.sqrt(q.length) : shown * scale) + added;
      const operandsOf = bias === null ? [dot] : [dot, bias];
      const { operands, sign, result } = equationTexts(
        operandsOf,
        of,
        isEdited ? of(...operandsOf) : scaled,
      );
      const plus = bias === null ? "" : ` + (${operands[1]})`;
      const within = softcap === null ? "" : `, ${say("attention.kept_within", { cap: softcap })},`;
      quotient.put(`${operands[0]} ${made}${within}${plus} ${sign} `, isEdited ? result : [result]);
      edit.node.hidden = !isEdited;
      edit.put(...filled(say("attention.score_edited"), { score: [numberText(scaled)] }));
    },
  };
}

// Return the function that bends scores to stay within the model's cap, if there is one; larger scores are bent more.
function bentTo(cap) {
  if (cap === null) return (score) => score;
  return (score) => cap * Math.tanh(score / cap);
}

export function maskBody() {
  const result = cellWords({ class: "cell-result" });
  return {
    nodes: [result.node],
    /** @param {import("./types").Cell} cell */
    put({ score }) {
      const said = score.isAllowed ? say("attention.may_attend") : say("attention.may_not_attend");
      result.put(...filled(said, { score: [numberText(score.masked)] }));
    },
  };
}

// Show the keys of the row, the strongest first, with the key in view among them.
export function softmaxBody() {
  const columns = [
    [say("attention.key"), nameCell],
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
    /** @param {import("./types").Cell} data */
    put(data) {
      const { row, score } = data;
      const isNumber = !Number.isNaN(data.weight);
      for (const node of [first.node, sum]) node.hidden = !isNumber;
      more.node.hidden = !isNumber || row.size <= row.shown;
      remark.node.hidden = isNumber && row.open > 0;
      remark.put(softmaxRemark(row, score, isNumber));
      const rows = softmaxRows(data);
      first.put(rows.slice(0, row.shown));
      more.put(moreSaid(row.size - row.shown, row.more), () => {
        others.put(rows.slice(row.shown));
        unlisted.node.hidden = row.size === rows.length;
        const count = { count: row.size - rows.length, sum: "{sum}" };
        const sum = [numberText(row.others)];
        unlisted.put(...filled(say("attention.smaller", count), { sum }));
      });
      const own = row.exponentials[row.keys.indexOf(data.key.position)];
      const { operands, sign, result } = equationTexts(
        [own, row.denominator],
        (exponential, total) => exponential / total,
        data.weight,
      );
      scale.put(`max s' = ${numberText(row.largest)}, Z = ${operands[1]}`);
      weight.put(`w = ${operands[0]} / ${operands[1]} ${sign} `, [result]);
    },
  };
}

/** Return the token, masked score, exponential, weight and bar of each key that is listed.
 * @param {import("./types").Cell} cell
 */
function softmaxRows({ key, row }) {
  const hidden = new Set(row.hidden);
  const { scores, exponentials, weights } = row;
  const texts = columnTexts(scores.map((value, i) => (hidden.has(row.keys[i]) ? 0 : value)));
  return row.keys.map((position, i) => {
    const masked = hidden.has(position);
    let role = masked ? "cell-masked" : "";
    if (position === key.position) role = "cell-own loupe-key";
    return [
      [
        row.tokens[i],
        role,
        masked ? say("attention.key_hidden", { position }) : say("attention.key_at", { position }),
      ],
      masked ? numberText(scores[i]) : texts[i],
      numberText(exponentials[i]),
      numberText(weights[i]),
      [weights[i], 1],
    ];
  });
}

// Say what is unusual about a row: it has no weights, or the mask did not hide what it should.
function softmaxRemark(row, score, isNumber) {
  if (isNumber) return say("attention.row_filled", { fill: numberText(score.fill) });
  if (row.open) return say("attention.row_edited");
  return say("attention.row_closed", { size: row.size });
}

export function weightedBody() {
  const strips = cellStrips(["value", "value"]);
  return {
    nodes: [strips.node],
    /** @param {import("./types").Cell} cell */
    put({ key, weight, mix }) {
      strips.put(
        [filled(say("attention.v_of"), { token: tokenOf(key, "key") }), mix.v],
        [[`${numberText(weight)} · v`], mix.weighted],
      );
    },
  };
}

// Show what this key and the other keys add up to, with all numbers.
export function mixBody() {
  const strips = cellStrips(["value", "soft", "ink"]);
  const share = cellWords({ class: "cell-soft" });
  const all = allNumbers(
    ["v", "w · v", say("attention.others"), sayOf("attention.line", "mix")],
    strips,
  );
  return {
    nodes: [strips.node, share.node, all.node],
    /** @param {import("./types").Cell} cell */
    put({ key, row, mix }) {
      const { v, weighted, mix: whole } = mix;
      const others = minus(whole, weighted);
      strips.put(
        [["w · v"], weighted],
        [[say("attention.other_keys", { count: row.size - 1 })], others],
        [[say("attention.is_mix")], whole],
      );
      share.node.hidden = Number.isNaN(mix.share);
      share.put(
        ...filled(say("attention.brings"), {
          token: tokenOf(key, "key"),
          share: [percentText(mix.share)],
        }),
      );
      all.put([v, weighted, others, whole]);
    },
  };
}

// Show how much each head writes, and what this head writes into the output.
export function outputBody() {
  const lengths = cellTable("heads", [
    ["", nameCell],
    [say("attention.length"), textCell],
    ["", lengthCell],
  ]);
  const strips = cellStrips(["accent", "soft", "ink"]);
  const all = allNumbers(
    [say("attention.this_head"), say("attention.the_rest"), sayOf("attention.line", "output")],
    strips,
  );
  return {
    nodes: [lengths.node, strips.node, all.node],
    /** @param {import("./types").Cell} cell */
    put({ head, output }) {
      if (!output) return;
      lengths.put(headLengths(head, output));
      const { own, output: whole } = output;
      const rest = minus(whole, own);
      strips.put(
        [[say("attention.head_number", { head })], own],
        [[say("attention.plus_rest")], rest],
        [[say("attention.is_output")], whole],
      );
      all.put([own, rest, whole]);
    },
  };
}

/** Return the length of what each head writes, of the bias, and of their sum.
 * @param {number} own
 * @param {import("./types").Output} output
 */
function headLengths(own, { norms, bias, together }) {
  const rows = Array.from(norms, (norm, head) => [
    [say("attention.head_number", { head }), head === own ? "cell-own" : ""],
    norm,
  ]);
  if (bias !== null) rows.push([[say("attention.bias")], bias]);
  rows.push([[say("attention.together")], together]);
  const lengths = rows.map(([, length]) => length);
  const texts = columnTexts(lengths);
  const largest = largestOf(lengths);
  return rows.map(([name, length], i) => [name, texts[i], [length, largest]]);
}

// Create an unfolding table with a column for each vector; pointing at a row marks its dimension in the strips.
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
      more.put([say("attention.all_numbers", { size })], () => {
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
