// The selection's way to Python and back, and the keys that move it. Draws nothing.

loupe.component("selection", (host) => {
  let sent = 0; // number of the last commit: an older echo must not undo a newer choice
  let timer = null;
  let last = 0;
  let trigger = () => {};
  let told = {}; // what Python was told last, or told us

  // One commit at a time: keys held down repeat faster than Python answers.
  const COMMIT_EVERY_MS = 120;
  loupe.commit = () => {
    sent++;
    clearTimeout(timer);
    const commit = () => {
      last = performance.now();
      const another = ["run", "kind", "layer", "head"].some((name) => told[name] !== loupe.selection[name]);
      const send = loupe.card?.host.isConnected && !another ? loupe.card.send : trigger;
      told = { ...loupe.selection };
      send("commit", { ...told, number: sent });
    };
    const wait = COMMIT_EVERY_MS - (performance.now() - last);
    if (wait <= 0) commit();
    else timer = setTimeout(commit, wait);
  };
  loupe.keep = () => {
    sent++;
    trigger("display", { ...loupe.display, number: sent });
  };
  loupe.go = (page, changes = {}) => {
    clearTimeout(timer);
    sent++;
    trigger("go", { ...loupe.selection, ...changes, number: sent, page });
  };

  return (data, setTriggerValue) => {
    trigger = setTriggerValue;
    sent = Math.max(sent, data.number);
    if (data.number < sent && loupe.selection?.run === data.selection.run) return;
    loupe.page = data.page;
    loupe.selection = data.selection;
    const shown = JSON.stringify(loupe.display);
    loupe.display = data.display;
    told = { ...data.selection };
    loupe.tell("selection");
    if (JSON.stringify(loupe.display) !== shown) loupe.tell("display");
  };
});

const KEYS = {
  ArrowUp: ({ query }) => ({ query: query - 1 }),
  ArrowDown: ({ query }) => ({ query: query + 1 }),
  ArrowLeft: ({ key }) => ({ key: key - 1 }),
  ArrowRight: ({ key }) => ({ key: key + 1 }),
  "[": ({ layer }) => ({ layer: layer - 1 }),
  "]": ({ layer }) => ({ layer: layer + 1 }),
  ",": ({ head }) => ({ head: head - 1 }),
  ".": ({ head }) => ({ head: head + 1 }),
};

const TYPED_INTO =
  "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [role=listbox], [role=combobox]";
const MOVED_IN =
  "input, [role=slider], [role=tablist], [role=grid], [role=menu], [data-testid=stDataFrame]";

// Whether the keyboard is in use for something else: typing, a list, a slider, a dialog.
function busy(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("[role=dialog]")) return true;
  const path = event.composedPath();
  const moves = event.key.startsWith("Arrow") || ["Home", "End"].includes(event.key);
  return path.some(
    (node) =>
      node instanceof HTMLElement &&
      (node.isContentEditable ||
        node.matches(TYPED_INTO) ||
        (moves && node.matches(MOVED_IN))),
  );
}

function pressed(event) {
  if (!loupe.selection || busy(event)) return;
  if (event.key === "?") {
    document.querySelector(".st-key-keys button")?.click();
  } else if (KEYS[event.key] && loupe.run()) {
    loupe.select(KEYS[event.key](loupe.selection));
  } else {
    return;
  }
  event.preventDefault();
}
window.loupeKeys?.abort();
window.loupeKeys = new AbortController();
document.addEventListener("keydown", pressed, { signal: window.loupeKeys.signal });
