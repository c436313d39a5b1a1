// The answer of the page, in words: what the selected row reads most, and in which head that is.

import { element } from "../../../pictures/browser/elements.js";
import { axisTokens, isOneText, rowReads } from "../../../pictures/browser/run.js";
import { roleSaid } from "./head_roles.js";
import { mostRead, readingsOf, shareWords } from "./head_weights.js";

// Of a model that reads one text and writes another; with one text there is nothing to tell apart.
const WHERE = {
  "encoder self-attention": "of the encoder",
  "decoder self-attention": "of the decoder, where it reads what it has written",
  "cross-attention": "of the decoder, where it reads the encoder",
};

/** @type {import("../../../pictures/browser/types").Setup} */
function reading(loupe, { host, listen }) {
  const answer = element("p", { class: "loupe-answer reading-answer", dir: "auto" });
  const where = element("p", { class: "loupe-answer reading-where" });
  host.append(answer, where);
  let off = [];
  const draw = () => {
    if (!loupe.run() || !loupe.selection) return;
    const { kind, layer, head } = loupe.selection;
    const isOff = off.includes(`${kind} ${layer} ${head}`);
    answer.replaceChildren(...answerParts(loupe));
    where.replaceChildren(...(isOff ? [IS_OFF] : []), ...whereParts(loupe));
  };
  listen((what) => what !== "hover" && what !== "exact" && what !== "display" && draw());
  return (data) => {
    off = data.off;
    draw();
  };
}

const IS_OFF = "This head is switched off: it still reads so, but nothing of it is handed on. ";

const token = (text, role) => element("em", { class: `loupe-token loupe-${role}` }, text);
const share = (words) => element("b", {}, words);

function answerParts(loupe) {
  const { kind, query, key } = loupe.selection;
  const { rows, columns } = axisTokens(loupe, kind);
  const readings = readingsOf(loupe, loupe.selection, query);
  const reader = token(rows[query], "query");
  if (!readings) return ["The head is on its way."];
  if (!readings.length) return [reader, " reads nothing here: no word has a weight."];
  const [most] = readings;
  const isReader = rowReads(loupe.stack());
  const isItself = isReader && kind !== "cross-attention" && most.key === query;
  const read = isItself ? "itself" : token(columns[most.key], "key");
  const begun = isReader ? [reader, " reads "] : ["To write ", reader, ", the model reads "];
  const also = readings.find((other) => other.key === key);
  const chosen = key === most.key ? [] : chosenParts(columns[key], also);
  return [...begun, read, " most: ", share(shareWords(most)), ".", ...chosen];
}

function chosenParts(name, also) {
  const words = also ? shareWords(also) : "nothing";
  return [" The selected ", token(name, "key"), " gets ", share(words), "."];
}

function whereParts(loupe) {
  const { kind, layer, head } = loupe.selection;
  const said = roleSaid(loupe.run(), loupe.selection);
  const isAlone = isOneText(loupe.run());
  const where = isAlone ? "" : ` ${WHERE[kind]}`;
  return [
    `This is layer ${layer}, head ${head}${where}.`,
    ...(isAlone ? wholeParts(loupe) : []),
    ...(said ? [` ${said}`] : []),
  ];
}

// What all rows of the head together read most.
function wholeParts(loupe) {
  const { kind } = loupe.selection;
  const most = mostRead(loupe, loupe.selection);
  if (!most) return [];
  const read = token(axisTokens(loupe, kind).columns[most.key], "key");
  return [" All rows together read ", read, " most: ", share(shareWords(most)), " of the weight."];
}

export const components = { reading };
