// What every picture of a page shares in the browser: the runs, the selection, the cell under the pointer.
// Streamlit mounts each component by a stub that calls `mount`; the code itself is sent once, here.

const loupe = (() => {
  const waiting = window.loupe?.waiting ?? [];
  const setups = new Map(); // component name -> (host, listen) => update(data, setTriggerValue)
  const mounted = new Map(); // Streamlit's element -> {update, listener}

  const bus = {
    runs: new Map(), // run key -> what `send_run` in Python gave, weights as one Uint8Array for each kind
    selection: null, // {run, kind, layer, head, query, key, step}; `run` is the key of the run in view
    hover: null, // {kind, query, key}: the cell under the pointer, each part may be missing
    page: "",
    commit: () => {}, // set by the selection component: tells Python
    keep: () => {}, // likewise, of how the heads are shown
    display: { shows: "head", lines: 90, gold: false, order: "place", combined: false }, // how the heads are shown
    tensor: null, // name of the tensor in view on the page of the map
    card: null, // {host, send}: a card of a cell that commits another cell of its head by itself
    go: () => {}, // likewise: opens another page

    run: () => bus.runs.get(bus.selection?.run),

    // Which matrix the selected kind has in the run in view: its layers, heads, rows and columns.
    stack: (kind = bus.selection?.kind) => bus.run()?.kinds[kind],

    select(changes) {
      const next = { ...bus.selection, ...changes };
      const stack = bus.stack(next.kind);
      if (!stack) return;
      next.layer = clamp(next.layer, stack.layers);
      next.head = clamp(next.head, stack.heads);
      next.query = clamp(next.query, stack.rows);
      next.key = clamp(next.key, stack.columns);
      if (next.kind !== "encoder self-attention" && "query" in changes) next.step = next.query;
      if (Object.keys(next).every((name) => next[name] === bus.selection[name])) return;
      bus.selection = next;
      bus.tell("selection");
      bus.commit();
    },

    adjust(changes) {
      if (Object.keys(changes).every((name) => changes[name] === bus.display[name])) return;
      bus.display = { ...bus.display, ...changes };
      bus.tell("display");
      bus.keep();
    },

    point(hover) {
      if (JSON.stringify(hover) === JSON.stringify(bus.hover)) return;
      bus.hover = hover;
      bus.tell("hover");
    },

    tell(what) {
      for (const [parent, one] of mounted) {
        if (parent.isConnected) one.listener?.(what);
        else mounted.delete(parent);
      }
    },

    component(name, setup) {
      setups.set(name, setup);
    },

    mount(name, { data, parentElement, setTriggerValue }) {
      let one = mounted.get(parentElement);
      if (!one) {
        const host = element("div", { class: `loupe-${name}` });
        parentElement.append(host);
        one = { listener: null };
        one.update = setups.get(name)(host, (listener) => (one.listener = listener));
        mounted.set(parentElement, one);
      }
      one.update(data, setTriggerValue);
    },
  };

  queueMicrotask(() => {
    for (const [name, args] of waiting.splice(0)) bus.mount(name, args);
  });
  return bus;
})();
window.loupe = loupe;

function clamp(value, size) {
  return Math.max(0, Math.min(Math.round(value), size - 1));
}

// Whether two cells are the same one, for what is under the pointer.
function at(cell, kind, query, key) {
  return cell?.kind === kind && cell.query === query && cell.key === key;
}

// Make an element: element("button", {class: "x", onclick: f}, "text", child).
function element(tag, attributes = {}, ...children) {
  const node = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

// Draw again when an element has become wider or narrower, and when it gets its first width.
function followWidth(host, draw) {
  let width = 0;
  new ResizeObserver(() => {
    if (!host.clientWidth || Math.abs(host.clientWidth - width) < 4) return; // 0: not on the page
    width = host.clientWidth;
    draw();
  }).observe(host);
}

// A row of buttons of which one is pressed; `options` are [value, words] pairs.
function choice(label, options, value, choose) {
  return element(
    "div",
    { class: "loupe-choice", role: "group", "aria-label": label },
    ...options.map(([option, words]) =>
      element(
        "button",
        {
          type: "button",
          "aria-pressed": String(option === value),
          onclick: () => choose(option),
        },
        words,
      ),
    ),
  );
}
