// The board: the words that are read, the lines of one row, the words that are written, and how sure the model is.

import { element } from "../../../pictures/browser/elements.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { SPECIAL } from "../../../pictures/browser/sentences.js";
import { drawLines } from "./touch_lines.js";

/** @typedef {import("./types").Scene} Scene */

const LEAST_SHOWN = 0.05;
const [LEAST_SIZE, MOST_SIZE] = [18, 26]; // pixels; presenter mode makes them larger

/** Build the board; what it returns draws a scene into it. */
export function createBoard() {
  const list = (name, label) =>
    element("ol", { class: `loupe-touch-words loupe-touch-${name}`, "aria-label": label });
  const parts = {
    keys: list("keys", "Words that are read"),
    svg: element("svg:svg", { class: "loupe-touch-lines", "aria-hidden": "true" }),
    rows: list("rows", "Words that read"),
    result: list("result", "What is written"),
    odds: element("div", { class: "loupe-touch-odds" }),
    ghost: element("span", { class: "loupe-touch-guide", "aria-hidden": "true" }, "☝"),
    labels: ["read", "reads", "written"].map((name) =>
      element("p", { class: `loupe-touch-label loupe-touch-label-${name}` }),
    ),
  };
  const [read, reads, written] = parts.labels;
  const gap = element("div", { class: "loupe-touch-gap" });
  const { svg, keys, rows, result, ghost } = parts;
  const node = element(
    "div",
    { class: "loupe-touch-board" },
    svg,
    read,
    keys,
    gap,
    rows,
    reads,
    result,
    written,
    ghost,
  );
  return { ...parts, node, built: new Map() };
}

/** Draw a scene.
 * @param {ReturnType<typeof createBoard>} board
 * @param {Scene} scene
 * @param {{x: number, y: number} | null} hand
 * @param {[string, string]} languages
 */
export function drawBoard(board, scene, hand, languages) {
  const isEncoder = scene.place.kind === "encoder self-attention";
  board.node.dataset.tool = scene.tool;
  board.node.classList.toggle("loupe-touch-pulling", scene.pulled !== null);
  nameLists(board, scene, isEncoder, languages);
  board.node.style.setProperty("--touch-size", `${sizeFor(board.node.clientWidth, scene)}px`);
  rebuild(board, "keys", scene.keys, scene.keys.map(keyItem));
  markKeys(board, scene);
  const tokens = scene.data.sourceTokens;
  const rows = isEncoder ? tokens.map((token, row) => ({ row, token, ghost: null })) : scene.cells;
  rebuild(board, "rows", rows, rows.map(rowItem));
  rebuild(board, "result", isEncoder ? scene.cells : [], scene.cells.map(resultItem));
  board.result.hidden = !isEncoder;
  for (const item of board.rows.querySelectorAll("li")) {
    const isChosen = Number(item.dataset.row) === scene.place.row;
    item.classList.toggle("loupe-touch-reader", isChosen);
    item.querySelector("button")?.setAttribute("aria-pressed", String(isChosen));
  }
  redrawLines(board, scene, hand);
}

// The largest type in which each text stands in one line; on a narrow page in several.
function sizeFor(width, { keys, shown, data }) {
  const room = width - 40;
  const ems = [keys, shown.tokens, data.sourceTokens].map((tokens) =>
    tokens.reduce((sum, token) => sum + Math.max(1.2, token.length * 0.57 + 0.75), 0),
  );
  return Math.max(LEAST_SIZE, Math.min(MOST_SIZE, room / Math.max(...ems)));
}

function nameLists({ labels, result }, { place, data }, isEncoder, [source, target]) {
  const written = data.given.length ? `${target}, given` : `${target}, written`;
  const texts = {
    "cross-attention": [`${source}: what is read`, `${written}. Choose the word that reads`, ""],
    "decoder self-attention": [
      `${target}: what is read, as far as it is written`,
      `${written}. Choose the word that reads`,
      "",
    ],
    "encoder self-attention": [
      `${source}: what is read`,
      `${source}: choose the word that reads`,
      written,
    ],
  }[place.kind];
  for (const [i, label] of labels.entries()) label.textContent = texts[i];
  labels[2].hidden = result.hidden = !isEncoder;
}

// A list is built again only when it says something else: what is held must stay.
function rebuild(board, name, said, items) {
  const text = JSON.stringify(said);
  if (board.built.get(name) === text) return;
  board.built.set(name, text);
  const focused = board[name].contains(document.activeElement)
    ? [...board[name].children].findIndex((item) => item.contains(document.activeElement))
    : -1;
  board[name].replaceChildren(...items.slice(0, said.length));
  board[name].children[focused]?.querySelector("button")?.focus();
}

const wordButton = (token, attributes) =>
  element(
    "button",
    {
      type: "button",
      class: `loupe-touch-word${SPECIAL.has(token) ? " loupe-special" : ""}`,
      ...attributes,
    },
    element("bdi", {}, token),
  );

function keyItem(token, key) {
  return element(
    "li",
    { "data-key": key },
    wordButton(token, { "data-key": key }),
    element("span", { class: "loupe-touch-bar", "data-key": key }, element("i")),
    element("span", { class: "loupe-touch-figure" }),
  );
}

function rowItem({ row, token, ghost }) {
  const old = element("del", {}, ghost ?? "");
  if (token === null) return element("li", { class: "loupe-touch-gone" }, old);
  const name = ghost === null ? "" : "loupe-touch-new";
  return element(
    "li",
    { class: name, "data-row": row },
    old,
    wordButton(token, { "data-row": row }),
  );
}

function resultItem({ token, ghost }) {
  const old = element("del", {}, ghost ?? "");
  const name = token === null ? "loupe-touch-gone" : ghost === null ? "" : "loupe-touch-new";
  const word = token === null ? null : element("span", { class: "loupe-touch-word" }, token);
  return element("li", { class: name }, old, word);
}

function markKeys({ keys }, { weights, place, pulled, cut }) {
  for (const [key, item] of [...keys.children].entries()) {
    const weight = weights[key] ?? 0;
    item.style.setProperty("--weight", weight.toFixed(4));
    item.classList.toggle("loupe-touch-to", pulled ? pulled.to === key : place.key === key);
    item.classList.toggle("loupe-touch-away", cut.has(key));
    const figure = cut.has(key) ? "✂" : weight >= LEAST_SHOWN ? percentText(weight) : "";
    const told = item.querySelector(".loupe-touch-figure");
    if (told.textContent !== figure) told.textContent = figure;
    const said = `${item.firstChild.textContent}, ${cut.has(key) ? "cut" : percentText(weight)} of the weight`;
    item.firstChild.setAttribute("aria-label", said);
  }
}

function redrawLines(board, scene, hand) {
  const reader = board.rows.querySelector(".loupe-touch-reader");
  if (!reader || !board.node.clientWidth) {
    board.svg.replaceChildren();
    return;
  }
  drawLines(board.svg, scene, spotOf(board, reader), keySpots(board), hand);
}

/** Where the keys are on the board, with what stands under them.
 * @param {ReturnType<typeof createBoard>} board
 */
export const keySpots = (board) => [...board.keys.children].map((item) => spotOf(board, item));

function spotOf({ node }, item) {
  const [outer, inner] = [node.getBoundingClientRect(), item.getBoundingClientRect()];
  return {
    x: inner.left - outer.left - node.clientLeft + inner.width / 2,
    y: inner.top - outer.top - node.clientTop + inner.height / 2,
    width: inner.width,
    height: inner.height,
  };
}

/** Show two words and how sure the model is of each.
 * @param {ReturnType<typeof createBoard>} board
 * @param {{word: string, probability: number, isWritten: boolean}[]} rivals
 */
export function drawOdds({ odds }, rivals) {
  odds.hidden = rivals.length === 0;
  while (odds.children.length < rivals.length)
    odds.append(
      element("div", {}, element("bdi"), element("span", {}, element("i")), element("b")),
    );
  for (const [i, { word, probability, isWritten }] of rivals.entries()) {
    const [name, track, figure] = odds.children[i].children;
    odds.children[i].classList.toggle("loupe-touch-written", isWritten);
    name.textContent = word;
    /** @type {HTMLElement} */ (track.firstChild).style.width =
      `${(probability * 100).toFixed(2)}%`;
    figure.textContent = percentText(probability);
  }
}
