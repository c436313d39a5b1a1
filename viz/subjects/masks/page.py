"""Masks: what each one hides, and what happens where one is off or fills in the wrong value."""

from typing import Any

import numpy as np
import streamlit as st

from sample_data.tasks import TASKS
from viz.frame.controls import choose_head, default_source
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.run.link import follow_selection
from viz.run.parcel import axis_titles
from viz.run.record import KINDS, AttentionKind, attention_name
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.masks.batch import MAX_SENTENCES, MIN_SENTENCES, LabBatch
from viz.subjects.masks.cache import empty_sources, mask_batch, mask_run
from viz.subjects.masks.effects import compare
from viz.subjects.masks.lab import FILLS, LabRun, Switches, fill_name
from viz.subjects.masks.report import batch_table, changes_table, empty_source_table, leaks_table
from viz.subjects.masks.words import fill_sentence, leak_sentences

TITLE = "Masks"
URL = "masks"

_SWITCHES = {
    "encoder_padding": "Encoder: hide padding",
    "causal": "Decoder: hide later tokens",
    "target_padding": "Decoder: hide padding",
    "cross_padding": "Cross-attention: hide padding",
}
_PARTS = {"padding": "padding mask", "causal": "causal mask", "combined": "both together"}
_EXAMPLES = 3
_MARKED = 0.005
"""Weight from which a cell that the paper's masks would hide is outlined."""


@st.fragment
def render(view: View) -> None:
    """Show a padded batch, its masks, and what changes when one of them is switched."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    with st.container(border=True, key="card_batch", gap="small"):
        texts = _choose_texts(view)
        try:
            batch = mask_batch(view.inputs.checkpoint, texts, view.inputs.device)
        except ValueError as error:
            st.html(tokens.notice("This batch cannot be run", str(error)))
            return
        sentence = _choose_sentence(batch)
    with st.container(border=True, key="card_switches", gap="small"):
        switches = _choose_switches(Switches.of(view.run.info.config))
    baseline = mask_run(view.inputs, texts, Switches.of(view.run.info.config))
    changed = mask_run(view.inputs, texts, switches)
    with st.container(border=True, key="card_masks", gap="small"):
        _show_masks(changed, sentence, view.parcel.languages)
    with st.container(border=True, key="card_effect", gap="small"):
        choose_head(view.run, selection)
        _show_effect(baseline, changed, selection, sentence, view.parcel.languages)
    with st.container(border=True, key="card_leaks", gap="small"):
        _show_leaks(changed)
    with st.container(border=True, key="card_changes", gap="small"):
        st.html(
            tokens.heading("The output, against that under the variant's own masks")
            + changes_table(compare(baseline, changed), batch)
        )
    with st.container(border=True, key="card_empty", gap="small"):
        _show_empty_source(view)


def _choose_texts(view: View) -> tuple[str, ...]:
    task = TASKS.get(view.run.info.task)
    others = [e for e in task.examples if e != view.run.source_text] if task else []
    shorter = sorted(others, key=len)[:: max(1, len(others) // 2)]
    texts = [view.run.source_text, *shorter, default_source(view.run.info)][:_EXAMPLES]
    written = st.text_area(
        f"The batch: {MIN_SENTENCES} to {MAX_SENTENCES} sentences, one a line",
        "\n".join(texts),
        key="batch",
        bind="query-params",
        height="content",
    )
    return tuple(line.strip() for line in written.splitlines() if line.strip())


def _choose_sentence(batch: LabBatch) -> int:
    numbers = range(len(batch.source_lengths))
    place = st.empty()
    sentence = st.segmented_control(
        "Sentence in view",
        numbers,
        default=len(numbers) - 1,
        required=True,
        format_func=lambda number: f"Sentence {number + 1}",
        key="sentence",
        label_visibility="collapsed",
    )
    place.html(
        tokens.heading("Read, and written for each alone; padded to one length")
        + batch_table(batch, sentence)
    )
    return sentence


def _choose_switches(own: Switches) -> Switches:
    """Let each mask be switched; as the variant has it to begin with."""
    st.html(tokens.heading("Masks in force"))
    chosen: dict[str, Any] = {}
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        for name, words in _SWITCHES.items():
            chosen[name] = st.toggle(words, getattr(own, name), key=name, bind="query-params")
        names = [fill_name(fill) for fill in FILLS]
        fill = st.segmented_control(
            "A hidden score becomes",
            names,
            default=fill_name(own.fill),
            required=True,
            key="fill",
            bind="query-params",
        )
        chosen["fill"] = FILLS[names.index(fill)]
        st.button("As the variant has them", key="own_masks", on_click=_reset, args=(own,))
    switches = Switches(**chosen)
    if switches == own:
        st.html(tokens.note("These are the masks of the variant itself: switch one to compare."))
    return switches


def _reset(own: Switches) -> None:
    for name in _SWITCHES:
        st.session_state[name] = getattr(own, name)
    st.session_state["fill"] = fill_name(own.fill)


def _show_masks(run: LabRun, sentence: int, languages: tuple[str, str]) -> None:
    st.html(
        tokens.heading(f"What may be read in sentence {sentence + 1}")
        + tokens.note(
            "Filled: may be read. Hatched: hidden. A key must pass both masks; only the decoder's "
            "self-attention has later tokens to hide."
        )
    )
    for column, kind in zip(st.columns(len(KINDS)), KINDS, strict=True):
        panels: list[Panel] = []
        masks = run.masks[kind]
        parts = {"padding": masks.padding, "causal": masks.causal, "combined": masks.combined}
        for name, mask in parts.items():
            allowed = mask[sentence].cpu().numpy()
            panels.append(
                Panel(
                    title=f"{kind[0].upper()}{kind[1:]}: {_PARTS[name]}",
                    note=f"{int((~allowed).sum())} of {allowed.size} hidden",
                    values=allowed.astype(np.float32),
                    scale="mask",
                    masked=~allowed,
                    **_axes(run, kind, sentence, languages),
                )
            )
        with column:
            show_panels(panels, key=f"masks_{kind}", width=330, height=270, cell=16)


def _show_effect(
    baseline: LabRun,
    changed: LabRun,
    selection: Selection,
    sentence: int,
    languages: tuple[str, str],
) -> None:
    kind = selection.kind
    place = (selection.layer, selection.head, sentence)
    name = f"{attention_name(kind, selection.layer)}[{selection.head}]"
    st.html(tokens.heading(f"Sentence {sentence + 1} before and after", code=name))
    before, after = baseline.weights(kind, *place), changed.weights(kind, *place)
    hidden_before = ~baseline.masks[kind].combined[sentence].cpu().numpy()
    hidden = ~changed.masks[kind].combined[sentence].cpu().numpy()
    axes = _axes(changed, kind, sentence, languages)
    leaking = _leaking(changed, kind, sentence, after)
    show_panels(
        (
            Panel(
                title="Scores before the mask",
                values=changed.scores(kind, *place),
                scale="signed",
                **axes,
            ),
            Panel(
                title=f"With the mask, {fill_name(changed.switches.fill)} where hidden",
                values=changed.masked_scores(kind, *place),
                scale="signed",
                masked=hidden,
                **axes,
            ),
            Panel(
                title="Weights, as the variant masks",
                values=before,
                scale="weights",
                masked=hidden_before & (before == 0),
                **axes,
            ),
            Panel(
                title="Weights now",
                note=f"{len(leaking)} cells leak" if leaking else "no cell leaks",
                values=after,
                scale="weights",
                masked=hidden & (after == 0),
                marks=leaking,
                **axes,
            ),
            Panel(title="Change of the weights", values=after - before, scale="signed", **axes),
        ),
        key="effect",
    )


def _axes(
    run: LabRun, kind: AttentionKind, sentence: int, languages: tuple[str, str]
) -> dict[str, Any]:
    rows, columns = run.batch.labels(kind, sentence)
    row_title, column_title = axis_titles(kind, languages)
    return {
        "group": f"{kind} {sentence}",
        "row_tokens": rows,
        "column_tokens": columns,
        "row_title": row_title,
        "column_title": column_title,
    }


def _leaking(
    run: LabRun, kind: AttentionKind, sentence: int, weights: np.ndarray
) -> list[tuple[int, int]]:
    """Cells of real rows that the paper's masks would hide, and that have weight."""
    rows, columns = run.batch.labels(kind, sentence)
    hidden = np.array([[key == "<pad>" for key in columns] for _ in rows])
    if kind == "decoder self-attention":
        hidden |= np.triu(np.ones_like(hidden), k=1)
    real = np.array([row != "<pad>" for row in rows])[:, None]
    return [(int(q), int(k)) for q, k in np.argwhere(hidden & real & (weights > _MARKED))]


def _show_leaks(run: LabRun) -> None:
    st.html(
        tokens.heading("Where weight goes that must not: the worst row of any head")
        + leaks_table(run)
        + tokens.joined(tokens.note(text) for text in leak_sentences(run).values())
        + tokens.note(fill_sentence(run))
    )


def _show_empty_source(view: View) -> None:
    st.html(
        tokens.heading("A row whose keys are all hidden")
        + tokens.note(
            "Tried with a source of nothing but <pad> beside the sentence in the sidebar. Softmax "
            "over no key has no answer: −∞ gives NaN, a finite fill spreads evenly, and a variant "
            "that masks nothing reads the padding."
        )
    )
    every = st.toggle("Compare all variants of this task", key="every_variant", bind="query-params")
    with st.spinner("Running the variants", show_time=True):
        results = empty_sources(view.inputs, every=every)
    st.html(empty_source_table(results) + tokens.joined(_verdicts(results)))


def _verdicts(results: tuple) -> list[str]:
    return [tokens.note(f"{name}: {result.verdict}") for name, result in results if result.own]
