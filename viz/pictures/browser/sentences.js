// The tokens read and written, as chips: those of the selected cell lit in the colours of their roles.

import { element, pushButton } from "./elements.js";
import { tableOf } from "./saving/table.js";
import { say } from "./say.js";

const FIRST_CHIPS = 250; // of a long text, more than its place shows: the others come once the page is drawn
const LATEST_MS = 1000;

export const SPECIAL = new Set(["<s>", "</s>", "<pad>", "<unk>"]);

/** Whether a token of a run is no word.
 * @param {{specials?: string[]}} run
 * @param {string} token
 */
export const isSpecial = ({ specials }, token) => specials?.includes(token) || SPECIAL.has(token);

/** @type {import("./types").Setup} */
function sentences(loupe, { host, listen, save }) {
  let drawn = null; // the run that the chips are of

  const draw = () => {
    const run = loupe.run();
    if (!run) return;
    drawn = run;
    host.replaceChildren(
      ...partsOf(run).flatMap(({ title, side, from, to }) => [
        element("h2", { class: "loupe-heading" }, title),
        chips(loupe, run, { side, from, to }, complete),
      ]),
    );
    mark(loupe, drawn, host);
  };
  const complete = (list, rest) => {
    if (list.parentNode !== host) return; // another run is shown by now
    list.append(...rest());
    mark(loupe, drawn, host);
    reveal(host);
  };

  const follow = (what) => {
    if (what === "exact") return;
    if (loupe.run() !== drawn) draw();
    else if (drawn) mark(loupe, drawn, host);
    if (what !== "hover" && drawn) requestAnimationFrame(() => reveal(host)); // then it is laid out anyway
  };
  listen(follow);
  save({ name: say("picture.tokens"), table: () => tokensTable(loupe.run()) });
  return () => follow("run");
}

// What is shown one below the other: the tokens `from` to `to` of a text, with what they are.
function partsOf(run) {
  const { source, target } = run.tokens;
  if (source.length && target.length) {
    const [read, made] = run.languages;
    const title = run.given
      ? say("picture.given_in", { language: made })
      : say("picture.written_in", { language: made });
    return [
      {
        title: say("picture.read_in", { language: read }),
        side: "source",
        from: 0,
        to: source.length,
      },
      { title, side: "target", from: 1, to: target.length },
    ];
  }
  if (source.length)
    return [{ title: say("picture.read"), side: "source", from: 0, to: source.length }];
  const end = 1 + (run.prompt ?? 0);
  const prompt = { title: say("picture.prompt"), side: "target", from: 0, to: end };
  const title = run.given ? say("picture.given") : say("picture.written");
  const rest = { title, side: "target", from: end, to: target.length };
  return target.length > end ? [prompt, rest] : [prompt];
}

function chips(loupe, run, { side, from, to }, complete) {
  const nodes = (first, end) =>
    run.tokens[side].slice(first, end).map((token, i) => chip(loupe, run, side, token, first + i));
  const shown = Math.min(to, from + FIRST_CHIPS);
  const list = element("ol", { class: "loupe-chips" }, ...nodes(from, shown));
  if (shown < to) whenIdle(() => complete(list, () => nodes(shown, to)));
  return list;
}

function whenIdle(act) {
  if ("requestIdleCallback" in window) requestIdleCallback(act, { timeout: LATEST_MS });
  else setTimeout(act, LATEST_MS); // not every browser tells when it is
}

// Which position of a kind's matrix a token stands for: as a query, as a key. Null where it is none.
function rolesOf(run, kind, side, token) {
  const { queries, keys, rows, columns } = run.kinds[kind];
  const along = ([text, first], count) =>
    text === side && token >= first && token - first < count ? token - first : null;
  return { query: along(queries, rows), key: along(keys, columns) };
}

function chip(loupe, run, side, token, position) {
  const step = position - 1; // that wrote it; the first token of a target is no step's
  const probability = side === "target" ? (run.probabilities[step] ?? null) : null;
  const facts = chipFacts(run, side, position, probability);
  // The cell that it means: as a query where it can be one, as a key with Shift.
  const meant = (asKey) => {
    const { query, key } = rolesOf(run, loupe.selection.kind, side, position);
    if (query !== null && !(asKey && key !== null)) return { query };
    return key === null ? {} : { key };
  };
  const bar = element("i", { style: `width:${((probability ?? 0) * 100).toFixed(1)}%` });
  return element(
    "li",
    {},
    pushButton(
      {
        class: `loupe-chip ${isSpecial(run, token) ? "loupe-special" : ""}`,
        "data-side": side,
        "data-position": position,
        title: facts,
        "aria-label": say("picture.chip_label", { token, facts }),
        onclick: (event) => loupe.select(meant(event.shiftKey)),
        onpointerenter: () => loupe.point({ kind: loupe.selection.kind, ...meant(false) }),
        onpointerleave: () => loupe.point(null),
      },
      element("bdi", {}, token),
      probability === null ? null : bar,
    ),
  );
}

function chipFacts(run, side, position, probability) {
  if (side === "source")
    return say("picture.chip_read", { position, id: run.ids.source[position] });
  if (probability === null) return say("picture.chip_first", { position });
  return say("picture.chip_written", { step: position - 1, probability });
}

function mark(loupe, run, host) {
  const { selection, hover } = loupe;
  for (const node of host.querySelectorAll(".loupe-chip")) {
    const { side, position } = node.dataset;
    const { query, key } = rolesOf(run, selection.kind, side, Number(position));
    const isAt = (cell) => ({
      query: query !== null && query === cell.query,
      key: key !== null && key === cell.key,
    });
    const [chosen, pointed] = [isAt(selection), isAt(hover ?? {})];
    node.classList.toggle("loupe-is-query", chosen.query);
    node.classList.toggle("loupe-is-key", chosen.key);
    node.classList.toggle("loupe-is-hovered", pointed.query || pointed.key);
  }
}

// The chosen tokens of a long text come into view, without moving the page.
function reveal(host) {
  for (const node of host.querySelectorAll(".loupe-is-query, .loupe-is-key")) {
    const list = node.closest("ol");
    if (list.scrollHeight > list.clientHeight)
      list.scrollTop = node.offsetTop - list.offsetTop - list.clientHeight / 2;
  }
}

// All tokens of a run; one that was read has no probability.
function tokensTable({ tokens, probabilities }) {
  const rows = ["source", "target"].flatMap((side) =>
    tokens[side].map((token, at) => {
      const probability = side === "target" ? probabilities[at - 1] : null;
      return [side, at, token, probability ?? null];
    }),
  );
  return tableOf({ text: "text", position: "whole", token: "text", probability: "double" }, rows);
}

export const components = { sentences };
