// What a mouse or a finger does on the board.

import { keySpots } from "./touch_board.js";
import { pullAt } from "./touch_pull.js";

const CLICK = 6; // pixels that a pointer may move during a click

/** Follow the pointer on a board.
 * @param {ReturnType<typeof import("./touch_board.js").createBoard>} board
 * @param {import("./touch_hand.js").Hand} hand
 * @param {AbortSignal} signal
 */
export function followPointer(board, hand, signal) {
  /** @type {Held | null} */
  let held = null;
  const listen = (name, act) => board.node.addEventListener(name, act, { signal });
  listen("pointerdown", (event) => {
    const from = grabbed(event.target);
    if (!from || event.button > 0 || held || !event.isPrimary) return;
    const { pointerId: id, clientX: x, clientY: y } = event;
    held = { id, x, y, from, line: null, moves: false };
    if (from.part === "bar") {
      event.preventDefault();
      begin(board, held);
      hand.paint(from.key, heightAt(event, from.node));
    }
  });
  listen("pointermove", (event) => {
    if (held?.id !== event.pointerId) return;
    const far = Math.hypot(event.clientX - held.x, event.clientY - held.y);
    if (!held.moves && far < CLICK) return;
    if (!held.moves) begin(board, held);
    move(board, hand, held, event);
  });
  listen("pointerup", (event) => {
    if (held?.id !== event.pointerId) return;
    const { from, moves } = held;
    held = null;
    if (moves) hand.release();
    else press(hand, from);
  });
  // Pulling must not scroll the page, and not every browser respects touch-action on a shape in a drawing.
  const still = (event) => isToPull(event.target) && event.preventDefault();
  board.node.addEventListener("touchstart", still, { signal, passive: false });
  listen("pointercancel", () => {
    held = null;
    hand.cancel();
  });
}

function isToPull(target) {
  const found = grabbed(target);
  if (!found) return false;
  const isWord = found.part === "row" || found.part === "key";
  return !isWord || target.closest(".loupe-touch-reader, .loupe-touch-strong") !== null;
}

function begin(board, held) {
  held.moves = true;
  board.node.setPointerCapture(held.id);
}

/** @param {Held} held */
function move(board, hand, held, event) {
  const { from } = held;
  if (from.part === "bar") return hand.paint(from.key, heightAt(event, from.node));
  if (from.part === "row") hand.choose(from.row);
  if (hand.tool() !== "pull") return;
  const outer = board.node.getBoundingClientRect();
  const at = { x: event.clientX - outer.left, y: event.clientY - outer.top };
  held.line ??= from.part === "line" ? from.key : hand.strongest(from.key); // as it was before the pull
  const pulled = pullAt(at, held.line, keySpots(board));
  if (pulled) hand.pull(pulled, at);
}

function press(hand, from) {
  if (from.part === "row") hand.choose(from.row);
  else if (from.part === "key") hand.press(from.key);
  else if (from.part === "line" && hand.tool() === "cut") hand.press(from.key);
}

const heightAt = (event, node) => {
  const { bottom, height } = node.getBoundingClientRect();
  return Math.max(0, Math.min(1, (bottom - event.clientY) / height));
};

/** @typedef {{part: "row" | "key" | "line" | "bar", row: number, key: number, node: Element}} Grab */

/** What a pointer holds, and the key whose line it pulls.
 * @typedef {{id: number, x: number, y: number, from: Grab, line: number | null, moves: boolean}} Held
 */

/** Return what is under a pointer: a word that reads, a word that is read, a line, or a bar.
 * @returns {Grab | null}
 */
function grabbed(target) {
  const node = target.closest("[data-key], [data-row]");
  if (!node) return null;
  const [row, key] = [Number(node.dataset.row), Number(node.dataset.key)];
  if ("row" in node.dataset) return { part: "row", row, key, node };
  const bar = target.closest(".loupe-touch-bar");
  if (bar) return { part: "bar", row, key, node: bar };
  return { part: node instanceof SVGElement ? "line" : "key", row, key, node };
}
