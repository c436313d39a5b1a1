"""One head of attention: who reads whom, and how much."""

import streamlit as st

from sample_data.tasks import TASKS
from viz.components import tokens
from viz.controls import open_head, palette, show_figure
from viz.figures.attention import attention_map, head_tiles
from viz.run import (
    HeadChecks,
    Run,
    Selection,
    all_heads,
    check_head,
    head_view,
    probability,
    strongest_keys,
)

TITLE = "Attention"
ICON = None

_WIDE = 20
"""Columns with which a map no longer fits beside the other cards on a small screen."""
_ROUNDING = 1e-5
"""What float32 may differ by."""


def render(run: Run, selection: Selection) -> None:
    """Show what went in and came out, all heads of one kind, and the selected one."""
    _show_sentences(run)
    view = head_view(run, selection)
    titles = _axis_titles(run, selection)
    figure = attention_map(
        view.weights,
        mask=view.mask,
        query_tokens=view.query_tokens,
        key_tokens=view.key_tokens,
        query_title=titles[0],
        key_title=titles[1],
        palette=palette(),
    )
    wide = len(view.key_tokens) > _WIDE
    with st.container(horizontal=True, gap="small"):
        with st.container(
            key="beside_wide" if wide else "beside", horizontal=wide, width="content", gap="small"
        ):
            with st.container(border=True, key="card_heads", width="content", gap="xsmall"):
                _show_heads(run, selection)
            with st.container(border=True, key="card_reading", width="content", gap="xsmall"):
                st.html(tokens.heading("What each row reads most"))
                st.html(tokens.readings(strongest_keys(view)))
        with st.container(border=True, key="card_head", width="content", gap="xsmall"):
            rows, columns = view.weights.shape
            st.html(tokens.heading("One head", code=view.name, shape=f"{rows} × {columns}"))
            alt = f"{view.name}: rows are {titles[0]}, columns are {titles[1]}"
            show_figure(figure, key="attention_map", alt=alt)
            _show_checks(run, selection)


def _show_sentences(run: Run) -> None:
    source, target = _languages(run)
    with st.container(border=True, key="card_sentences", gap="small"):
        st.html(tokens.sentence(run.text or "(the model wrote no words)"))
        st.html(tokens.heading(f"{source} tokens read") + tokens.source_chips(run.source))
        st.html(
            tokens.heading(f"{target} tokens written, each over a bar of its probability")
            + tokens.output_chips(run.target_tokens[1:], [probability(step) for step in run.steps])
        )
        if not run.info.config.causal_mask:
            st.html(
                tokens.note(
                    "This variant has no causal mask: while it was trained it could read each "
                    "next token off the target. While it decodes there is none to read."
                )
            )
        if not run.finished:
            st.html(tokens.note(f"Stopped after {len(run.steps)} tokens, before an </s>."))


def _show_heads(run: Run, selection: Selection) -> None:
    st.html(tokens.heading(f"All heads, {selection.kind}"))
    show_figure(
        head_tiles(
            all_heads(run, selection.kind),
            selected=(selection.layer, selection.head),
            palette=palette(),
        ),
        key="attention_heads",
        alt=f"The weights of all heads of {selection.kind}, one square a head",
        on_click=open_head,
    )
    st.html(
        tokens.note(
            "Each square is one head (H) of one layer (L), rows reading columns as in the large "
            "map. Stronger colour is more weight, on a scale from 0 to 1. Click one to open it."
        )
    )


def _show_checks(run: Run, selection: Selection) -> None:
    st.html(tokens.badges(_badges(check_head(run, selection))))
    if selection.kind != "encoder self-attention" and not run.info.config.causal_mask:
        st.html(
            tokens.note(
                "Without a causal mask this map is of the finished sentence, while each step of "
                "the decoding saw only the tokens written until then."
            )
        )


def _badges(checks: HeadChecks) -> list[tuple[bool, str, str]]:
    hidden = checks.masked_cells
    masked = (True, "nothing is masked here", "0 cells")
    if hidden and checks.largest_masked_weight == 0:
        masked = (True, "masked weights are exactly 0", f"{hidden} cells")
    elif hidden:
        masked = (False, "weight leaks through the mask", f"{checks.largest_masked_weight:.2g}")
    return [
        (checks.row_sum_error < _ROUNDING, "rows sum to 1", f"± {checks.row_sum_error:.1g}"),
        masked,
        (
            checks.float64_error < _ROUNDING,
            "agrees with float64 from q, k and mask",
            f"± {checks.float64_error:.1g}",
        ),
    ]


def _axis_titles(run: Run, selection: Selection) -> tuple[str, str]:
    source, target = _languages(run)
    if selection.kind == "encoder self-attention":
        return f"query: {source} token that reads", f"key: {source} token read"
    query = f"query: {target} token being written"
    if selection.kind == "cross-attention":
        return query, f"key: {source} token read"
    return query, f"key: {target} token already there"


def _languages(run: Run) -> tuple[str, str]:
    task = TASKS.get(run.info.task)
    return (task.source_language, task.target_language) if task else ("Source", "Target")
