// Draws on the sentence of Start: bars above the words, vectors below them, lines between them.

import { colours, cssColour } from "../../../pictures/browser/colours.js";
import { element } from "../../../pictures/browser/elements.js";
import { largestOf, percentText } from "../../../pictures/browser/numbers.js";
import { say } from "../../../pictures/browser/say.js";
import { arcPath, arcStyle, linkPath, streamPaths } from "./start_lines.js";
import { frameOf, staggered, wayOf } from "./start_motion.js";
import { rowOf, scoreBars, scoreText, strongest, vectorAt } from "./start_numbers.js";
import { rowWords } from "./start_words.js";

const LEAST_DRAWN = 0.015; // weight below which a line would be too thin to be seen
const LEAST_SAID = 0.05;
const MOST_SAID = 3;
const SCORES_SAID = 24; // most words of a sentence in which every score is written
const BAR_ROOM = 18; // pixels above the highest bar, for its number

/** Paint the vectors in the page's colours, each kind of vector on its own scale.
 * @param {ReturnType<typeof import("./start_parts.js").createBoard>} board
 * @param {boolean} values whether the words show their values instead of their keys
 */
export function paintStrips(board, values) {
  const { reading, sizes } = board.asked;
  const palette = colours();
  const [vectors, size] = values ? [reading.v, sizes[1]] : [reading.k, sizes[0]];
  const most = values ? largestOf(reading.v, reading.mix) : largestOf(reading.k, reading.q);
  const ofQuery = largestOf(reading.k, reading.q);
  for (const [at, { strip }] of board.cells.entries()) {
    strip.style.backgroundImage = gradient(vectorAt(vectors, at, size), most, palette);
    strip.classList.toggle("loupe-start-values", values);
  }
  board.traveller.style.backgroundImage = gradient(reading.q, ofQuery, palette);
  const ofMix = largestOf(reading.v, reading.mix);
  board.mix.strip.style.backgroundImage = gradient(reading.mix, ofMix, palette);
}

function gradient(vector, most, { diverging }) {
  const part = 100 / vector.length;
  const stops = Array.from(vector, (value, at) => {
    const shade = most ? Math.round(100 + (value / most) * 100) : 100;
    const colour = cssColour(diverging[Math.max(0, Math.min(shade, 200))] ?? diverging[100]);
    return `${colour} ${(at * part).toFixed(2)}% ${((at + 1) * part).toFixed(2)}%`;
  });
  return `linear-gradient(90deg,${stops.join(",")})`;
}

/** Measure where everything is, and draw the lines that do not change within a stage.
 * @param {ReturnType<typeof import("./start_parts.js").createBoard>} board
 */
export function arrangeBoard(board) {
  const { node, cells, asked } = board;
  const { reading } = asked;
  const origin = node.getBoundingClientRect();
  const spots = cells.map(({ item, button, strip }) => {
    const [box, word, under] = [item, button, strip].map((one) => one.getBoundingClientRect());
    return {
      x: box.left + box.width / 2 - origin.left,
      top: word.top - origin.top,
      bottom: under.bottom - origin.top,
      strip: under.top - origin.top,
      wide: under.width,
    };
  });
  const mixBox = board.mix.strip.getBoundingClientRect();
  const mix = { x: mixBox.left - origin.left, top: mixBox.top - origin.top, wide: mixBox.width };
  const rise = cells[0].bar.parentElement.clientHeight;
  const link = linkOf(board); // measured before anything is drawn
  board.places = { spots, mix, rise, bars: scoreBars(reading.scores, rise - BAR_ROOM) };
  board.streams.replaceChildren(
    ...streamPaths(reading.shares, spots, mix, LEAST_DRAWN).map(({ path }) =>
      element("svg:path", { d: path }),
    ),
  );
  board.link = element("svg:path", {
    class: "loupe-start-link",
    pathLength: "1",
    d: link,
  });
}

function linkOf({ written, node, mix: { strip } }) {
  if (!written.answer) return "";
  const origin = node.getBoundingClientRect();
  const [from, to] = [strip, written.answer].map((one) => one.getBoundingClientRect());
  return linkPath(
    { x: from.left + from.width / 2 - origin.left, y: from.bottom - origin.top },
    { x: to.left + to.width / 2 - origin.left, y: to.top - origin.top },
  );
}

/** Draw the arcs of the word that is pointed at, or else those of the stage.
 * @param {ReturnType<typeof import("./start_parts.js").createBoard>} board
 * @param {{scene: import("./wire").Scene, pointed: number | null}} view
 */
export function drawArcs(board, { scene, pointed }) {
  const { places, asked, lines } = board;
  const isSecret = scene === "guess" && (pointed === null || pointed === asked.query);
  const from = pointed ?? (scene === "answer" || isSecret ? asked.query : null);
  board.shown = from === null ? null : isSecret ? "question" : from;
  const reading = isSecret || from === null ? [] : rowOf(asked.reading, from);
  const keys = isSecret
    ? asked.candidates
    : strongest(reading, asked.reading.tokens.length, LEAST_DRAWN);
  const arcs = keys.map((key) => {
    const d = arcPath(places.spots[from], places.spots[key], places.rise);
    const look = isSecret ? { width: 2, opacity: 0.8 } : arcStyle(reading[key]);
    return element("svg:path", {
      d,
      pathLength: "1",
      class: isSecret ? "loupe-start-arc loupe-start-maybe" : "loupe-start-arc",
      "stroke-width": look.width,
      "stroke-opacity": look.opacity,
    });
  });
  lines.replaceChildren(...arcs, board.link);
  board.arcs = arcs;
  const told = isSecret ? keys : keys.slice(0, MOST_SAID).filter((k) => reading[k] >= LEAST_SAID);
  for (const [at, { item, figure }] of board.cells.entries()) {
    const isRead = told.includes(at);
    item.classList.toggle("loupe-start-from", at === from && !isSecret);
    item.classList.toggle("loupe-start-read", isRead && !isSecret);
    item.classList.toggle(
      "loupe-start-open",
      isSecret && (isRead || (!keys.length && at === from)),
    );
    if (from === null) continue;
    const isOpen = isRead || (!keys.length && at === from);
    figure.textContent = isSecret ? (isOpen ? "?" : "") : isRead ? percentText(reading[at]) : "";
    figure.style.transform = "";
    figure.style.opacity = "1";
  }
}

/** Draw everything at a time within a stage. This runs for each frame, so nothing is measured here.
 * @param {ReturnType<typeof import("./start_parts.js").createBoard>} board
 * @param {import("./wire").Scene} scene
 * @param {number} time
 */
export function drawFrame(board, scene, time) {
  const frame = frameOf(scene, time);
  const done = scene === "query" || scene === "guess" ? 0 : 1;
  const count = board.cells.length;
  for (let at = 0; at < count; at++) {
    const grown = scene === "scores" ? staggered(time, at, count, 0.12) : done;
    drawBar(board, at, grown, frame.shares);
    if (scene === "query")
      board.cells[at].strip.style.opacity = String(staggered((time - 0.3) / 0.7, at, count, 0.3));
  }
  moveTraveller(board, scene, time, frame.query);
  board.streams.style.clipPath = `inset(0 -40px ${((1 - frame.streams) * 100).toFixed(1)}% -40px)`;
  board.mix.node.style.opacity = String(frame.mix);
  const shownArcs = board.shown === "question" ? frame.asks : scene === "answer" ? frame.arcs : 1;
  for (const arc of board.arcs)
    if (board.shown !== "question") arc.style.strokeDashoffset = String(1 - shownArcs);
    else arc.style.opacity = String(shownArcs);
  board.link.style.strokeDashoffset = String(1 - frame.link);
  board.link.style.opacity = frame.link ? "1" : "0"; // its round end would be visible
  board.written.answer?.classList.toggle("loupe-start-told", frame.word > 0.5);
}

function drawBar({ cells, places, asked, shown }, at, grown, shares) {
  const { bars, rise } = places;
  const { reading } = asked;
  const high = rise - BAR_ROOM;
  const height = bars.heights[at] * grown * (1 - shares) + reading.shares[at] * high * shares;
  const ground = bars.ground * (1 - shares);
  const low = height < 0 ? ground + height : ground;
  const { bar, figure } = cells[at];
  bar.style.transform = `translateY(${(-low).toFixed(1)}px) scaleY(${(Math.abs(height) / rise).toFixed(4)})`;
  if (shown !== null) return;
  figure.style.transform = `translateY(${-Math.max(ground, ground + height).toFixed(1)}px)`;
  figure.style.opacity = String(grown);
}

// Move the query along the words, below their keys. At the end of a line it jumps to the next line.
function moveTraveller({ traveller, places, asked, cells }, scene, time, amount) {
  traveller.style.opacity = String(amount);
  if (!amount) return;
  const way = scene === "scores" && time < 1 ? wayOf(time, cells.length) : asked.query;
  const at = Math.min(Math.floor(way), places.spots.length - 1);
  const [from, to] = [places.spots[at], places.spots[Math.min(at + 1, places.spots.length - 1)]];
  const part = to.strip === from.strip ? way - at : 0;
  const x = from.x + (to.x - from.x) * part;
  traveller.style.transform = `translate(${x.toFixed(1)}px, ${from.bottom.toFixed(1)}px) translateX(-50%)`;
}

/** Write the numbers above the bars that belong to the stage.
 * @param {ReturnType<typeof import("./start_parts.js").createBoard>} board
 * @param {import("./wire").Scene} scene
 */
export function writeFigures(board, scene) {
  if (board.shown !== null) return;
  const { reading } = board.asked;
  const isShare = scene === "softmax" || scene === "mix";
  const values = isShare ? reading.shares : reading.scores;
  const all = !isShare && reading.tokens.length <= SCORES_SAID;
  const told = strongest(values, all ? Infinity : MOST_SAID, isShare ? LEAST_SAID : -Infinity);
  for (const [at, { figure, bar }] of board.cells.entries()) {
    const text = isShare ? percentText(values[at]) : scoreText(values[at]);
    figure.textContent = scene !== "query" && told.includes(at) ? text : "";
    bar.classList.toggle("loupe-start-negative", !isShare && values[at] < 0);
    bar.classList.toggle("loupe-start-share", isShare);
  }
}

/** Label the words for people who do not see the lines; the label of the word in question hides the answer.
 * @param {ReturnType<typeof import("./start_parts.js").createBoard>} board
 * @param {boolean} isSecret
 */
export function nameWords({ cells, asked }, isSecret) {
  const { reading, query } = asked;
  for (const [at, { button }] of cells.entries()) {
    const token = reading.tokens[at];
    const name =
      isSecret && at === query
        ? say("start.word_secret", { token })
        : say("start.word_reads", { token, row: rowWords(reading, at) });
    button.setAttribute("aria-label", name);
  }
}
