// The tokens read and written, as chips: those of the selected cell lit in the colours of their roles.

import { element } from "./elements.js";

export const SPECIAL = new Set(["<s>", "</s>", "<pad>", "<unk>"]);

/** @type {import("./types").Setup} */
function sentences(loupe, { host, listen }) {
  let drawn = null; // the run that the chips are of

  const draw = () => {
    const run = loupe.run();
    if (!run) return;
    drawn = run;
    const [source, target] = run.languages;
    const written = run.given ? "given" : "written";
    host.replaceChildren(
      element("h2", { class: "loupe-heading" }, `${source} tokens read`),
      chips(loupe, run, "source", run.tokens.source),
      element(
        "h2",
        { class: "loupe-heading" },
        `${target} tokens ${written}, each over a bar of its probability`,
      ),
      chips(loupe, run, "target", run.tokens.target.slice(1)),
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

function chips(loupe, run, side, tokens) {
  const nodes = tokens.map((token, position) => chip(loupe, run, side, token, position));
  return element("ol", { class: "loupe-chips" }, ...nodes);
}

// Which position of a kind's matrix a chip stands for: as a query, as a key. Null where it is none.
function rolesOf(run, kind, side, position) {
  const { queries, keys, rows, columns } = run.kinds[kind];
  const token = position + (side === "target" ? 1 : 0); // the chips leave `<s>` out
  const along = ([text, first], count) =>
    text === side && token >= first && token - first < count ? token - first : null;
  return { query: along(queries, rows), key: along(keys, columns) };
}

function chip(loupe, run, side, token, position) {
  const probability = side === "target" ? run.probabilities[position] : null;
  const facts =
    side === "source"
      ? `position ${position}, id ${run.ids.source[position]}`
      : `step ${position}, probability ${probability.toFixed(4)}`;
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
        class: `loupe-chip ${SPECIAL.has(token) ? "loupe-special" : ""}`,
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
