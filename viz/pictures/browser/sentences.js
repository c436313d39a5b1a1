// The tokens read and written, as chips: those of the selected cell lit in the colours of their roles.

import { element } from "./elements.js";

export const SPECIAL = new Set(["<s>", "</s>", "<pad>", "<unk>"]);

/** Whether a token of a run is no word.
 * @param {{specials?: string[]}} run
 * @param {string} token
 */
export const isSpecial = ({ specials }, token) => specials?.includes(token) || SPECIAL.has(token);

/** @type {import("./types").Setup} */
function sentences(loupe, { host, listen }) {
  let drawn = null; // the run that the chips are of

  const draw = () => {
    const run = loupe.run();
    if (!run) return;
    drawn = run;
    host.replaceChildren(
      ...partsOf(run).flatMap(({ title, side, from, to }) => [
        element("h2", { class: "loupe-heading" }, title),
        chips(loupe, run, side, from, to),
      ]),
    );
    mark(loupe, drawn, host);
  };

  const follow = (what) => {
    if (what === "exact") return;
    if (loupe.run() !== drawn) draw();
    else if (drawn) mark(loupe, drawn, host);
    if (what !== "hover" && drawn) requestAnimationFrame(() => reveal(host)); // then it is laid out anyway
  };
  listen(follow);
  return () => follow("run");
}

// What is shown one below the other: the tokens `from` to `to` of a text, with what they are.
function partsOf(run) {
  const { source, target } = run.tokens;
  const written = run.given ? "given" : "written";
  const bars = "each over a bar of its probability";
  if (source.length && target.length) {
    const [read, made] = run.languages;
    return [
      { title: `${read} tokens read`, side: "source", from: 0, to: source.length },
      { title: `${made} tokens ${written}, ${bars}`, side: "target", from: 1, to: target.length },
    ];
  }
  if (source.length) return [{ title: "Tokens read", side: "source", from: 0, to: source.length }];
  const end = 1 + (run.prompt ?? 0);
  const prompt = { title: `Prompt, ${bars}`, side: "target", from: 0, to: end };
  const rest = {
    title: `Tokens ${written}, ${bars}`,
    side: "target",
    from: end,
    to: target.length,
  };
  return target.length > end ? [prompt, rest] : [prompt];
}

function chips(loupe, run, side, from, to) {
  const tokens = run.tokens[side].slice(from, to);
  const nodes = tokens.map((token, i) => chip(loupe, run, side, token, from + i));
  return element("ol", { class: "loupe-chips" }, ...nodes);
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
  const facts =
    side === "source"
      ? `position ${position}, id ${run.ids.source[position]}`
      : probability === null
        ? `position ${position}`
        : `step ${step}, probability ${probability.toFixed(4)}`;
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
    element(
      "button",
      {
        type: "button",
        class: `loupe-chip ${isSpecial(run, token) ? "loupe-special" : ""}`,
        "data-side": side,
        "data-position": position,
        title: facts,
        "aria-label": `${token}, ${facts}`,
        onclick: (event) => loupe.select(meant(event.shiftKey)),
        onpointerenter: () => loupe.point({ kind: loupe.selection.kind, ...meant(false) }),
        onpointerleave: () => loupe.point(null),
      },
      element("bdi", {}, token),
      probability === null ? null : bar,
    ),
  );
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

export const components = { sentences };
