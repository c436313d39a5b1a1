// Spoils what the browser makes of what it got: the name of the fault is put in front of this file.
((fault) => {
  const prototype = CanvasRenderingContext2D.prototype;
  const shapeOf = (canvas) => canvas.parentElement?.shape;
  const faults = {
    // Each run under the key of the next one: what is in view is what was there before.
    "stale run"() {
      let kept;
      Object.defineProperty(window, "loupe", {
        get: () => kept,
        set(loupe) {
          kept = loupe;
          const { set } = loupe.runs;
          let before;
          loupe.runs.set = (key, run) => {
            set.call(loupe.runs, key, before ?? run);
            before = run;
          };
        },
      });
    },
    // The words beside a map, one row too low.
    "drawn labels"() {
      const { fillText } = prototype;
      prototype.fillText = function (text, x, y, ...rest) {
        const shape = shapeOf(this.canvas);
        const isRow = shape && this.textAlign === "right";
        return fillText.call(this, text, x, isRow ? y + (shape.high ?? shape.cell) : y, ...rest);
      };
    },
    // The cells of a map, one row too low.
    "drawn cells"() {
      const { fillRect } = prototype;
      prototype.fillRect = function (x, y, width, height) {
        const shape = shapeOf(this.canvas);
        const isCell = shape && width <= shape.cell && height <= (shape.high ?? shape.cell);
        return fillRect.call(this, x, isCell ? y + (shape.high ?? shape.cell) : y, width, height);
      };
    },
    // A sentence that names the reader as what is read.
    sentence() {
      const { replaceChildren } = Element.prototype;
      Element.prototype.replaceChildren = function (...parts) {
        if (this.classList.contains("reading-answer"))
          for (const part of parts)
            if (part.classList?.contains("loupe-key")) part.textContent = "nothing of it";
        return replaceChildren.apply(this, parts);
      };
    },
    // Digits cut off where they are to be rounded.
    rounding() {
      const { toFixed } = Number.prototype;
      Number.prototype.toFixed = function (digits = 0) {
        const unit = 10 ** digits;
        return toFixed.call(Math.trunc(Number(this) * unit) / unit, digits);
      };
    },
  };
  faults[fault]?.();
})
