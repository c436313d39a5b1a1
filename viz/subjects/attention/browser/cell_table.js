// Every number of a cell's card as a table, one number per row.

import { tableOf } from "../../../pictures/browser/saving/table.js";

/** @param {import("./types").Cell} cell */
export function cellTable({ weight, score, row, mix, output }) {
  const along = (name, values, labels) =>
    Array.from(values, (value, i) => [name, labels?.[i] ?? i, value]);
  const one = (name, value) => [[name, null, value]];
  const { order } = score;
  const ordered = (name, values) =>
    along(
      name,
      order.map((i) => values[i]),
      order,
    );
  const { keys } = row;
  return tableOf({ quantity: "text", place: "double", value: "double" }, [
    ...ordered("query", score.q),
    ...ordered("key", score.k),
    ...ordered("product", score.products),
    ...one("dot product", score.dot),
    ...one("score", score.scaled),
    ...one("masked score", score.masked),
    ...along("masked score of key", row.scores, keys),
    ...along("exponential of key", row.exponentials, keys),
    ...one("denominator", row.denominator),
    ...along("weight of key", row.weights, keys),
    ...one("weight", weight),
    ...along("value", mix.v),
    ...along("weighted value", mix.weighted),
    ...along("mix", mix.mix),
    ...(output ? [...along("contribution", output.own), ...along("output", output.output)] : []),
  ]);
}
