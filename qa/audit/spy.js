// Runs before any script of the page: writes down the words that are drawn on each canvas, and where.
(() => {
  const drawn = new WeakMap();
  for (const name of ["width", "height"]) {
    const kept = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, name);
    Object.defineProperty(HTMLCanvasElement.prototype, name, {
      ...kept,
      set(value) {
        drawn.set(this, []); // setting a size empties a canvas
        kept.set.call(this, value);
      },
    });
  }
  const prototype = CanvasRenderingContext2D.prototype;
  const { clearRect, fillText } = prototype;
  prototype.clearRect = function (x, y, width, height) {
    if (width >= this.canvas.clientWidth && height >= this.canvas.clientHeight)
      drawn.set(this.canvas, []);
    return clearRect.call(this, x, y, width, height);
  };
  prototype.fillText = function (text, x, y, ...rest) {
    const { a, b, c, d, e, f } = this.getTransform();
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    const words = drawn.get(this.canvas) ?? [];
    words.push({ text, x: (a * x + c * y + e) / ratio, y: (b * x + d * y + f) / ratio });
    drawn.set(this.canvas, words);
    return fillText.call(this, text, x, y, ...rest);
  };
  window.auditWords = (canvas) => drawn.get(canvas) ?? [];

  // All elements of the page, those in shadow trees included.
  const everything = function* (root) {
    for (const node of root.querySelectorAll("*")) {
      yield node;
      if (node.shadowRoot) yield* everything(node.shadowRoot);
    }
  };
  window.auditAll = (selector) =>
    [...everything(document)].filter((node) => node.matches(selector) && isSeen(node));
  const isSeen = (node) => {
    for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
      if (!(at instanceof Element)) break;
      const { display, visibility } = getComputedStyle(at);
      if (display === "none" || (at === node && visibility === "hidden")) return false;
    }
    return true;
  };

  // What an element says to those who see it, on one line.
  window.auditText = (node) => {
    const parts = [];
    const walk = (at) => {
      if (at.nodeType === Node.TEXT_NODE) parts.push(at.textContent);
      if (at instanceof Element) {
        if (["STYLE", "SCRIPT"].includes(at.tagName)) return;
        if (getComputedStyle(at).display === "none" || at.classList.contains("loupe-unseen"))
          return;
        if (["P", "DIV", "LI", "TD", "TH", "H1", "H2", "H3", "DT", "DD"].includes(at.tagName))
          parts.push(" ");
      }
      if (at.classList?.contains("katex-html")) return; // the formula stands there a second time
      for (const child of at.shadowRoot ? [at.shadowRoot, ...at.childNodes] : at.childNodes)
        walk(child);
    };
    walk(node);
    return parts.join("").replace(/\s+/g, " ").trim();
  };

  window.auditRuns = () => {
    const plain = (stack) => ({ ...stack, codes: Array.from(stack.codes) });
    return Object.fromEntries(
      [...(window.loupe?.runs ?? [])].map(([key, run]) => [
        key,
        {
          ...run,
          kinds: Object.fromEntries(Object.entries(run.kinds).map(([k, s]) => [k, plain(s)])),
          heads: Object.fromEntries([...run.heads].map(([k, c]) => [k, Array.from(c)])),
        },
      ]),
    );
  };

  // The run in view as the browser's own model made it: its tensors by name, shapes and bytes.
  window.auditTrace = () => {
    const { run } = window.loupe.selection;
    const { tensors, touched, answer } = window.loupe.traces.get(run);
    const steps = window.loupe.runs.get(run).told.steps.map((step) => ({ ...step })); // each is ranked now
    const packed = (data) => {
      const bytes = new Uint8Array(Float32Array.from(data).buffer);
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    };
    const { text, sentence, written, interventions } = answer;
    return {
      ...{ text, sentence, written: [...written], steps, interventions, touched: [...touched] },
      tensors: Object.fromEntries(
        Object.entries(tensors).map(([name, { heads, rows, columns, data }]) => [
          name,
          [[heads, rows, columns], packed(data)],
        ]),
      ),
    };
  };

  // A heat map as it was painted: its colours at the centres of the cells, its words, its geometry.
  window.auditMaps = (selector) =>
    window.auditAll(selector).flatMap((frame) => {
      const canvas = frame.querySelector("canvas");
      const { shape } = frame;
      if (!canvas || !shape?.cell) return [];
      const ratio = canvas.width / shape.width;
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const colour = (row, column) => {
        const x = Math.floor((shape.x + (column + 0.5) * shape.cell) * ratio);
        const y = Math.floor((shape.y + (row + 0.5) * (shape.high ?? shape.cell)) * ratio);
        const start = 4 * (y * canvas.width + x);
        return [pixels[start], pixels[start + 1], pixels[start + 2]];
      };
      const named = frame.querySelector("[aria-label]")?.getAttribute("aria-label") ?? "";
      return [
        {
          label: named,
          shape: { ...shape },
          words: window.auditWords(canvas),
          colours: Array.from({ length: shape.rows }, (_, r) =>
            Array.from({ length: shape.columns }, (_, c) => colour(r, c)),
          ),
        },
      ];
    });

  window.auditPalette = () => {
    const ground = document.querySelector(".stApp") ?? document.body;
    const probe = document.createElement("i");
    probe.style.forcedColorAdjust = "none";
    ground.append(probe);
    const read = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
    };
    const scale = (name) => [0, 1, 2, 3, 4, 5, 6].map((i) => read(`${name}-${i}`));
    const found = { scale: scale("scale"), diverging: scale("diverging") };
    probe.remove();
    return found;
  };

  // A Plotly figure's data and the titles of its axes, typed arrays as plain lists.
  window.auditPlots = () => {
    const plain = (value) => {
      if (ArrayBuffer.isView(value)) return Array.from(value);
      if (value?.bdata !== undefined && value._inputArray) return Array.from(value._inputArray);
      if (Array.isArray(value)) return value.map(plain);
      if (value && typeof value === "object")
        return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
      return value;
    };
    const keep = ["type", "mode", "name", "x", "y", "text", "customdata", "hovertemplate", "marker"];
    return window.auditAll(".js-plotly-plot").map((plot) => ({
      data: (plot._fullData ?? plot.data).map((trace, i) =>
        Object.fromEntries(keep.map((k) => [k, plain(trace[k] ?? plot.data[i]?.[k])])),
      ),
      titles: ["xaxis", "yaxis"].map((axis) => plot._fullLayout?.[axis]?.title?.text ?? ""),
      ticks: ["xaxis", "yaxis"].map((axis) => plain(plot._fullLayout?.[axis]?.ticktext) ?? null),
    }));
  };
})();
