// The tokens read and written, as chips: those of the selected cell lit in the colours of their roles.

import { element } from "./elements.js";

function sentences(loupe, { host, listen }) {
  let drawn = null; // the run that the chips are of

  const draw = () => {
    const run = loupe.run();
    if (!run) return;
    drawn = run;
    const side = (name, tokens) =>
      element(
        "ol",
        { class: "loupe-chips" },
        ...tokens.map((token, i) => chip(run, name, token, i)),
      );
    host.replaceChildren(
      element("h2", { class: "loupe-heading" }, `${run.languages[0]} tokens read`),
      side("source", run.tokens.source),
      element(
        "h2",
        { class: "loupe-heading" },
        `${run.languages[1]} tokens ${run.given ? "given" : "written"}, each over a bar of its probability`,
      ),
      side("target", run.tokens.target.slice(1)),
    );
    mark();
  };

  // Which position of a kind's matrix a chip stands for: as a query, as a key.
  const roles = (kind, side, position) => ({
    query: (kind === "encoder self-attention") === (side === "source") ? position : null,
    key:
      (kind === "decoder self-attention") === (side === "target")
        ? position + (side === "target" ? 1 : 0) // keys of the decoder are its inputs, `<s>` first
        : null,
  });

  const chip = (run, side, token, position) => {
    const probability = side === "target" ? run.probabilities[position] : null;
    const facts =
      side === "source"
        ? `position ${position}, id ${run.ids.source[position]}`
        : `step ${position}, probability ${probability.toFixed(4)}`;
    const role = () => roles(loupe.selection.kind, side, position);
    const isQuery = () => role().query !== null;
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
          onclick: (event) =>
            loupe.select(
              isQuery() && !(event.shiftKey && role().key !== null)
                ? { query: role().query }
                : { key: role().key },
            ),
          onpointerenter: () =>
            loupe.point({
              kind: loupe.selection.kind,
              ...(isQuery() ? { query: role().query } : { key: role().key }),
            }),
          onpointerleave: () => loupe.point(null),
        },
        element("bdi", {}, token),
        probability === null
          ? null
          : element("i", { style: `width:${(probability * 100).toFixed(1)}%` }),
      ),
    );
  };

  const mark = () => {
    const { selection, hover } = loupe;
    const { kind } = selection;
    for (const node of host.querySelectorAll(".loupe-chip")) {
      const { query, key } = roles(kind, node.dataset.side, Number(node.dataset.position));
      node.classList.toggle("loupe-is-query", query !== null && query === selection.query);
      node.classList.toggle("loupe-is-key", key !== null && key === selection.key);
      node.classList.toggle(
        "loupe-is-hovered",
        Boolean(hover) &&
          ((query !== null && query === hover.query) || (key !== null && key === hover.key)),
      );
    }
  };

  // The chosen tokens of a long text come into view, without moving the page.
  const reveal = () => {
    for (const node of host.querySelectorAll(".loupe-is-query, .loupe-is-key")) {
      const list = node.closest("ol");
      if (list.scrollHeight > list.clientHeight)
        list.scrollTop = node.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  };

  const follow = (what) => {
    if (what === "exact") return;
    if (loupe.run() !== drawn) draw();
    else if (drawn) mark();
    if (what !== "hover" && drawn) reveal();
  };
  listen(follow);
  return () => follow("run");
}

export const SPECIAL = new Set(["<s>", "</s>", "<pad>", "<unk>"]);

export const components = { sentences };
