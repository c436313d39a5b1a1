"""What positions do to a run: the sum that enters the model, and reruns with positions changed."""

import numpy as np
import streamlit as st

from viz.frame.controls import choose_head, palette, show_figure
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.run.parcel import axis_titles
from viz.run.record import Run, attention_name, attention_trace, axis_tokens
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.positions.cache import changed_run, order_gaps
from viz.subjects.positions.figures.addition import addition_maps, length_dots
from viz.subjects.positions.lengths import TEXTS, Text, embedding_sum, mean_length
from viz.subjects.positions.report import ratios_table, rerun_table
from viz.subjects.positions.reruns import WHERE, Change, Rerun, Where, first_choices, loss

_MAPS, _LENGTHS = "Vectors", "Lengths"
_CHANGES: dict[str, Change] = {
    "Set to zero": "zeroed",
    "Shuffled": "shuffled",
    "Reversed": "reversed",
    "Scale √d_model switched": "rescaled",
}
_WHERE: dict[Where, str] = {
    "both": "Both texts",
    "source": "Source alone",
    "target": "Target alone",
}
_SAME = 1e-4
"""What float32 may differ by between two ways to the same hidden states."""
_LONG = 96
"""Tokens from which a rerun waits to be asked for: it decodes again, maybe without a cache."""


def show_addition(run: Run) -> None:
    """Show the embeddings before and after positions are added, and how long the vectors are."""
    st.html(tokens.heading("What adding it does to this run"))
    with st.container(horizontal=True, gap="medium"):
        text: Text = st.segmented_control(
            "Text",
            TEXTS,
            default=TEXTS[0],
            required=True,
            format_func=str.capitalize,
            key="positions_sum_text",
            bind="query-params",
        )
        what = st.segmented_control(
            "Show",
            (_MAPS, _LENGTHS),
            default=_MAPS,
            required=True,
            key="positions_sum_view",
            bind="query-params",
        )
    parts = embedding_sum(run, text)
    root = f"× √{run.info.config.d_model}"
    scaled = root if parts.scales else f"{root} (not by this model)"
    vectors = {
        "embedding": parts.embedding,
        scaled: parts.scaled,
        "encoding": parts.encoding,
        "their sum": parts.output,
    }
    if what == _MAPS:
        # One scale of colours for all: a scale that this model does not use would drown the rest.
        drawn = {name: v for name, v in vectors.items() if parts.scales or name != scaled}
        show_figure(
            addition_maps(drawn, tokens=parts.tokens, palette=palette()),
            key="positions_sum_maps",
            alt=f"Embeddings of the {text}, their positions, and the sum",
        )
    else:
        lengths = {name: np.linalg.norm(v, axis=1) for name, v in vectors.items()}
        show_figure(
            length_dots(lengths, tokens=parts.tokens, palette=palette()),
            key="positions_sum_lengths",
            alt=f"Length of each {text} token's vectors",
        )
    st.html(
        ratios_table(
            [
                (
                    f"scale {root} {'on' if on else 'off'}",
                    mean_length(parts.scaled if on else parts.embedding),
                    mean_length(parts.encoding),
                    parts.ratio(scaled=on),
                    on == parts.scales,
                )
                for on in (True, False)
            ]
        )
        + tokens.badges(
            [
                (
                    parts.error < _SAME,
                    f"{text}_embedding.output is the sum",
                    f"± {parts.error:.1g}",
                )
            ]
        )
    )


def show_reruns(view: View, selection: Selection) -> None:
    """Run the sentence again with its positions changed, and compare what comes of it."""
    st.html(
        tokens.heading("The same sentence, run again with its positions changed")
        + tokens.note("A real run of this model: only what is chosen here is replaced.")
    )
    change, where, seed = _choose_change()
    choose_head(view.run, selection)
    if max(len(view.run.source.ids), len(view.run.steps)) > _LONG and not st.toggle(
        "Run this long text again", key="positions_run_long", bind="query-params"
    ):
        return
    with st.spinner("Running the changed model", show_time=True):
        changed = changed_run(view, change, where, seed)
    _show_outputs(view.run, changed)
    _show_weights(view, changed, selection)
    if change in ("zeroed", "shuffled"):
        _show_order(view, seed)


def _choose_change() -> tuple[Change, Where, int]:
    with st.container(horizontal=True, gap="medium"):
        change = _CHANGES[
            st.segmented_control(
                "Positions",
                [*_CHANGES],
                default=next(iter(_CHANGES)),
                required=True,
                key="positions_change",
                bind="query-params",
            )
        ]
        where: Where = st.segmented_control(
            "Where",
            WHERE,
            default=WHERE[0],
            required=True,
            format_func=_WHERE.__getitem__,
            key="positions_where",
            bind="query-params",
        )
        seed = 0
        if change == "shuffled":
            seed = st.number_input(
                "Seed", 0, 9999, 0, key="positions_seed", bind="query-params", width=130
            )
    return change, where, int(seed)


def _show_outputs(run: Run, changed: Rerun) -> None:
    after = changed.forced.steps
    stopped = "" if changed.finished else " …"
    st.html(
        rerun_table(
            [
                (
                    "as it is",
                    loss(run.steps),
                    first_choices(run.steps),
                    len(run.steps),
                    changed.text_before,
                ),
                ("changed", loss(after), first_choices(after), len(after), changed.text + stopped),
            ]
        )
        + tokens.note(
            "Loss and own tokens: of the target in view, forced (teacher forcing). "
            + "".join(_say_order(side, order.tolist()) for side, order in changed.orders.items())
        )
    )


def _say_order(side: str, order: list[int]) -> str:
    if order == sorted(order):
        return ""
    shown = ", ".join(map(str, order[:16])) + (" …" if len(order) > 16 else "")
    return f"The {side} positions got the encodings of positions {shown}. "


def _show_weights(view: View, changed: Rerun, selection: Selection) -> None:
    run, kind = view.run, selection.kind
    layer, head = selection.layer, selection.head
    attention = attention_trace(run, kind, layer)
    before = attention.weights[0, head].numpy()
    after = changed.weights(kind, layer, head)
    hidden = ~attention.mask[0].expand(before.shape).numpy()
    rows, columns = axis_tokens(run, kind)
    row_title, column_title = axis_titles(kind, view.parcel.languages)
    axes = {
        "group": kind,
        "row_tokens": rows,
        "column_tokens": columns,
        "row_title": row_title,
        "column_title": column_title,
    }
    st.html(tokens.heading("Attention", code=f"{attention_name(kind, layer)}[{head}]"))
    show_panels(
        (
            Panel(
                title="As it is",
                values=before,
                scale="weights",
                masked=hidden & (before == 0),
                **axes,
            ),
            Panel(
                title="Changed",
                values=after,
                scale="weights",
                masked=hidden & (after == 0),
                **axes,
            ),
            Panel(title="Difference", values=after - before, scale="signed", **axes),
        ),
        key="positions_weights",
        width=270,
        height=330,
        selects=True,
    )


def _show_order(view: View, seed: int) -> None:
    """Show whether the encoder knows the order of its tokens, with and without positions."""
    with_positions, without = order_gaps(view, seed)
    st.html(
        tokens.heading("Does the encoder know the order?")
        + tokens.note(
            "The source tokens themselves are shuffled, and the rows of encoder.output put back: "
            "the largest number is how far they then are from those of the sentence as it is."
        )
        + tokens.badges(
            [
                (without < _SAME, "without positions the rows only move", f"± {without:.1g}"),
                (
                    with_positions >= _SAME,
                    "with the positions of this model they change",
                    f"{with_positions:.2g}",
                ),
            ]
        )
    )
