// The board: the words read, the lines of one row, the words written, and how sure the model is of them.

import { element, pushButton } from "../../../pictures/browser/elements.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { SPECIAL } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import { drawLines } from "./touch_lines.js";

/** @typedef {import("./types").Scene} Scene */

const LEAST_SHOWN = 0.05;
const STRONG = 0.3; // weight from which touching a word pulls its line instead of scrolling the page
const [LEAST_SIZE, MOST_SIZE] = [18, 26]; // pixels; presenter mode makes them larger

/** Build the board, into which drawBoard draws a scene. */
export function createBoard() {
  const list = (name, label) =>
    element("ol", { class: `loupe-touch-words loupe-touch-${name}`, "aria-label": label });
  const parts = {
    keys: list("keys", say("touch.keys")),
    under: element("svg:svg", { class: "loupe-touch-lines", "aria-hidden": "true" }),
    over: element("svg:svg", { class: "loupe-touch-lines", "aria-hidden": "true" }),
    rows: list("rows", say("touch.rows")),
    result: list("result", say("touch.result")),
    odds: element("div", { class: "loupe-touch-odds" }),
    ghost: element("span", { class: "loupe-touch-guide", "aria-hidden": "true" }, "☝"),
    labels: ["read", "reads", "written"].map((name) =>
      element("p", { class: `loupe-touch-label loupe-touch-label-${name}` }),
    ),
  };
  const [read, reads, written] = parts.labels;
  const gap = element("div", { class: "loupe-touch-gap" });
  const { under, over, keys, rows, result, ghost } = parts;
  const node = element(
    "div",
    { class: "loupe-touch-board" },
    under,
    read,
    keys,
    gap,
    rows,
    reads,
    result,
    written,
    over,
    ghost,
  );
  return { ...parts, node };
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
  fit(board.keys, scene.keys.length, keyItem);
  markKeys(board, scene);
  const tokens = scene.data.sourceTokens;
  const rows = isEncoder
    ? tokens.map((token, row) => ({ row, token, ghost: null, isNew: false }))
    : scene.cells;
  fit(board.rows, rows.length, rowItem);
  writeCells(board.rows, rows);
  fit(board.result, isEncoder ? scene.cells.length : 0, resultItem);
  writeCells(board.result, isEncoder ? scene.cells : []);
  for (const item of board.rows.querySelectorAll("li")) {
    const isChosen = Number(item.dataset.row) === scene.place.row;
    item.classList.toggle("loupe-touch-reader", isChosen);
    item.querySelector("button")?.setAttribute("aria-pressed", String(isChosen));
  }
  redrawLines(board, scene, hand);
}

// Return the largest type size at which each text fits on one line; on a narrow page texts take several lines.
function sizeFor(width, { keys, before, data }) {
  const room = width - 40;
  const ems = [keys, before.tokens, data.sourceTokens].map((tokens) =>
    tokens.reduce((sum, token) => sum + Math.max(1.2, token.length * 0.57 + 0.75), 0),
  );
  return Math.max(LEAST_SIZE, Math.min(MOST_SIZE, room / Math.max(...ems)));
}

function nameLists({ labels, result }, { place, data }, isEncoder, [source, target]) {
  const texts = oneText(data) ?? twoTexts(data, { language: source }, { language: target });
  for (const [i, label] of labels.entries()) label.textContent = texts[place.kind][i];
  labels[2].hidden = result.hidden = !isEncoder;
}

// Label the words of a model of two texts by the kind of attention: those read, those that read, those written.
function twoTexts({ isGiven }, source, target) {
  const chosen = isGiven ? say("touch.choose_given", target) : say("touch.choose_written", target);
  return {
    "cross-attention": [say("touch.read", source), chosen, ""],
    "decoder self-attention": [say("touch.read_so_far", target), chosen, ""],
    "encoder self-attention": [
      say("touch.read", source),
      say("touch.choose_reader", source),
      say("touch.is_written", target),
    ],
  };
}

// Return the same labels for a model that reads one text; null for a model that reads two.
function oneText({ begin, sourceTokens, isPrompted }) {
  if (!begin) {
    const said = [say("touch.read_alone"), say("touch.choose_alone"), say("touch.taken_for")];
    return { "encoder self-attention": said };
  }
  if (sourceTokens.length) return null;
  const chosen = isPrompted ? say("touch.choose_prompt") : say("touch.choose_written_alone");
  return { "decoder self-attention": [say("touch.read_so_far_alone"), chosen, ""] };
}

// Shorten or lengthen a list at its end. Its other elements stay, because a finger loses an element that is removed.
function fit(list, count, make) {
  while (list.children.length > count) list.lastChild.remove();
  while (list.children.length < count) list.append(make(list.children.length));
}

const wordClass = (token) => `loupe-touch-word${SPECIAL.has(token) ? " loupe-special" : ""}`;

function keyItem(key) {
  return element(
    "li",
    { "data-key": key },
    pushButton({ "data-key": key }, element("bdi")),
    element("span", { class: "loupe-touch-bar", "data-key": key }, element("i")),
    element("span", { class: "loupe-touch-figure" }),
  );
}

const rowItem = () => element("li", {}, element("del"), pushButton({}, element("bdi")));

const resultItem = () => element("li", {}, element("del"), element("span", {}, element("bdi")));

function writeCells(list, cells) {
  for (const [i, { row, token, ghost, isNew }] of cells.entries()) {
    const item = list.children[i];
    const [old, word] = item.children;
    item.classList.toggle("loupe-touch-new", isNew && token !== null);
    item.classList.toggle("loupe-touch-gone", token === null);
    item.dataset.row = String(row);
    word.dataset.row = String(row);
    word.hidden = token === null;
    writeWord(word, token ?? "");
    if (old.textContent !== (ghost ?? "")) old.textContent = ghost ?? "";
  }
}

function writeWord(node, token) {
  if (node.className !== wordClass(token)) node.className = wordClass(token);
  if (node.textContent !== token) node.firstChild.textContent = token;
}

function markKeys(board, { keys, weights, place, pulled, cut }) {
  for (const [key, item] of [...board.keys.children].entries()) {
    writeWord(item.firstChild, keys[key]);
    const weight = weights[key] ?? 0;
    item.style.setProperty("--weight", weight.toFixed(4));
    item.classList.toggle("loupe-touch-to", pulled ? pulled.to === key : place.key === key);
    item.classList.toggle("loupe-touch-away", cut.has(key));
    item.classList.toggle("loupe-touch-strong", weight >= STRONG);
    const figure = cut.has(key) ? "✂" : weight >= LEAST_SHOWN ? percentText(weight) : "";
    const told = item.querySelector(".loupe-touch-figure");
    if (told.textContent !== figure) told.textContent = figure;
    const named = { key: keys[key], share: percentText(weight) };
    const said = cut.has(key) ? say("touch.key_cut", named) : say("touch.key_weight", named);
    item.firstChild.setAttribute("aria-label", said);
  }
}

function redrawLines(board, scene, hand) {
  const reader = board.rows.querySelector(".loupe-touch-reader");
  if (!reader || !board.node.clientWidth) {
    board.under.replaceChildren();
    board.over.replaceChildren();
    return;
  }
  drawLines(board.under, board.over, scene, placesOf(board, reader), hand);
}

// Measure the words: their letters, with the earlier word above them or the share below them.
function placesOf(board, reader) {
  const items = [...board.rows.children];
  const edges = board.node.getBoundingClientRect();
  const [left, top] = [edges.left + board.node.clientLeft, edges.top + board.node.clientTop];
  const box = (parts, from, to) => {
    const boxes = parts.map((part) => part.getBoundingClientRect());
    return {
      left: Math.min(...boxes.map((each) => each.left)) - left,
      right: Math.max(...boxes.map((each) => each.right)) - left,
      top: from.getBoundingClientRect().top - top,
      bottom: to.getBoundingClientRect().bottom - top,
    };
  };
  return {
    width: board.node.clientWidth,
    reader: items.indexOf(reader),
    readers: items.map((item) => {
      const [old, word] = item.children;
      const seen = [old, word].filter((part) => part.textContent);
      return seen.length ? box(seen.map(lettersOf), seen[0], item) : box([item], item, item);
    }),
    keys: [...board.keys.children].map((item) => {
      const isSeen = (part) => part.textContent || part.matches(".loupe-touch-bar");
      const seen = [...item.children].filter((part) => part.clientWidth && isSeen(part));
      return box(seen.map(lettersOf), item, item);
    }),
    ends: keySpots(board).map(({ x, y, height }) => ({ x, y: y + height / 2 + 2 })),
  };
}

const lettersOf = (part) => part.querySelector("bdi") ?? part;

/** Return where the keys are on the board, with what is below them.
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
