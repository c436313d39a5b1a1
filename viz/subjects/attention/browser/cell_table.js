// Every number of a cell's card as a table, a number a row.

import { unpacked } from "../../../pictures/browser/numbers.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";

/** What Python sent of a cell.
 * @param {import("./wire").WireCell} data
 */
export function cellTable({ weight, score, row, mix, output }) {
  const along = (name, packed, labels) =>
    Array.from(unpacked(packed), (value, i) => [name, labels?.[i] ?? i, value]);
  const one = (name, text) => [[name, null, Number(text)]];
  const dimensions = score.dimensions;
  const keys = row.keys;
  return tableOf({ quantity: "text", place: "double", value: "double" }, [
    ...along("query", score.q, dimensions),
    ...along("key", score.k, dimensions),
    ...along("product", score.products, dimensions),
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
