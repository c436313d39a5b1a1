// The answer of the page in words: what the selected row reads most, and in which head.

import { element } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { jobsSaid } from "../../../pictures/browser/jobs.js";
import { axisTokens, isOneText, rowReads } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import { mostRead, readingsOf, shareWords, standing } from "./head_weights.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function reading(loupe, { host, listen }) {
  const answer = element("p", {
    class: "loupe-answer reading-answer",
    dir: "auto",
    "aria-live": "polite",
  });
  const where = element("p", { class: "loupe-answer reading-where" });
  host.append(answer, where);
  let off = [];
  const draw = () => {
    if (!loupe.run() || !loupe.selection) return;
    const { kind, layer, head } = loupe.selection;
    const isOff = off.includes(`${kind} ${layer} ${head}`);
    answer.replaceChildren(...answerParts(loupe));
    where.replaceChildren(...(isOff ? [`${say("attention.is_off")} `] : []), ...whereParts(loupe));
  };
  listen((what) => what !== "hover" && draw());
  return (data) => {
    off = data.off;
    draw();
  };
}

const token = (text, role) => element("em", { class: `loupe-token loupe-${role}` }, text);
const share = (words) => element("b", {}, words);

function answerParts(loupe) {
  const { kind, query, key } = loupe.selection;
  const { rows, columns } = axisTokens(loupe, kind);
  const readings = readingsOf(loupe, loupe.selection, query);
  const reader = token(rows[query], "query");
  if (!readings) return [say("attention.on_its_way")];
  if (!readings.length) return filled(say("attention.reads_no_weight"), { reader });
  const [most] = readings;
  const isReader = rowReads(loupe.stack());
  const isItself = isReader && kind !== "cross-attention" && most.key === query;
  const read = token(columns[most.key], "key");
  const parts = { reader, read, share: share(shareWords(most)) };
  const also = readings.find((other) => other.key === key);
  const chosen = key === most.key ? [] : chosenParts(columns[key], also);
  const said = standing(readings) ? readsSaid({ isReader, isItself }) : evenSaid(isReader);
  return [...filled(said, parts), ...chosen];
}

function readsSaid({ isReader, isItself }) {
  if (isItself) return say("attention.reads_itself");
  return isReader ? say("attention.reads_most") : say("attention.writing_reads");
}

// Say that no weight of a row stands out.
function evenSaid(isReader) {
  return isReader ? say("attention.reads_evenly") : say("attention.writing_reads_evenly");
}

function chosenParts(name, also) {
  const chosen = token(name, "key");
  if (!also) return [" ", ...filled(say("attention.chosen_gets_nothing"), { token: chosen })];
  const parts = { token: chosen, share: share(shareWords(also)) };
  return [" ", ...filled(say("attention.chosen_gets"), parts)];
}

function whereParts(loupe) {
  const { query } = loupe.selection;
  const read = standing(readingsOf(loupe, loupe.selection, query))?.key;
  const said = jobsSaid(loupe.run(), loupe.selection, { row: query, read });
  const isAlone = isOneText(loupe.run()); // then there is only one kind of attention, and the page asks about the head
  return [...(said ? [said] : []), ...(isAlone ? wholeParts(loupe) : [])];
}

// Say what all rows of the head together read most.
function wholeParts(loupe) {
  const { kind } = loupe.selection;
  const most = mostRead(loupe, loupe.selection);
  if (!most) return [];
  const read = token(axisTokens(loupe, kind).columns[most.key], "key");
  const count = String(loupe.stack().rows);
  const parts = { token: read, share: share(shareWords(most)), count };
  return [" ", ...filled(say("attention.rows_together"), parts)];
}

export const components = { reading };
