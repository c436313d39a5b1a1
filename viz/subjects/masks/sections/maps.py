"""The masks of one sentence, and one head's scores and weights under them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.run.record import AttentionKind, attention_name
from viz.run.selection import Selection
from viz.subjects.masks import words
from viz.subjects.masks.lab import LabRun, fill_name

Titles = Callable[[AttentionKind], tuple[str, str]]
"""Says in words what the rows and the columns of a kind of attention are."""

_Place = tuple[AttentionKind, int, int, int]
"""Kind, layer, head and sentence."""


def show_head(
    baseline: LabRun,
    changed: LabRun,
    place: _Place,
    titles: Titles,
) -> None:
    """Draw the weights of one head now, beside those before a switch, or what may be read."""
    kind, layer, head, sentence = place
    name = f"{attention_name(kind, layer)}[{head}]"
    begun = say_of("masks.kind_begun", kind)
    title = say("masks.head_title", kind=begun, layer=layer, head=head)
    st.html(tokens.heading(title, code=name))
    axes = _axes(changed, kind, sentence, titles)
    before, now, _ = _weight_panels(baseline, changed, place, axes)
    if baseline.switches == changed.switches:
        allowed = changed.masks_of(kind, sentence)
        before = _mask_panel(
            say("masks.may_read"), allowed.get("combined", allowed["padding"]), axes
        )
    panels = (before, now)
    show_panels(panels, key="masks_head", width=240, height=300, cell=20)


def show_masks(run: LabRun, sentence: int, titles: Titles) -> None:
    """Draw what each mask hides from each kind of attention, where it can hide anything."""
    st.html(tokens.note(words.masks_note(run.kinds)))
    panels = [
        _mask_panel(
            words.mask_title(kind, name, run.model.config.window),
            mask,
            _axes(run, kind, sentence, titles),
        )
        for kind in run.kinds
        for name, mask in run.masks_of(kind, sentence).items()
    ]
    show_panels(panels, key="masks", width=260, height=270, cell=16)


def show_effect(
    baseline: LabRun,
    changed: LabRun,
    selection: Selection,
    sentence: int,
    titles: Titles,
) -> None:
    """Draw the scores and the weights of the selected head, before and after the switches."""
    kind = selection.kind
    place = (kind, selection.layer, selection.head, sentence)
    name = f"{attention_name(kind, selection.layer)}[{selection.head}]"
    st.html(tokens.heading(say("masks.before_and_after", sentence=sentence + 1), code=name))
    axes = _axes(changed, kind, sentence, titles)
    show_panels(
        (*_score_panels(changed, place, axes), *_weight_panels(baseline, changed, place, axes)),
        key="effect",
    )


def _score_panels(run: LabRun, place: _Place, axes: dict[str, Any]) -> tuple[Panel, ...]:
    hidden = _hidden(run, place)
    before = Panel(title=say("masks.scores"), values=run.scores(*place), scale="signed", **axes)
    masked = Panel(
        title=say("masks.masked_scores", fill=fill_name(run.switches.fill)),
        values=run.masked_scores(*place),
        scale="signed",
        masked=hidden,
        **axes,
    )
    return before, masked


def _weight_panels(
    baseline: LabRun, changed: LabRun, place: _Place, axes: dict[str, Any]
) -> tuple[Panel, ...]:
    before, after = baseline.weights(*place), changed.weights(*place)
    leaking = changed.leaking_cells(*place)
    return (
        Panel(
            title=say("masks.weights_before"),
            values=before,
            scale="weights",
            masked=_hidden(baseline, place) & (before == 0),
            **axes,
        ),
        Panel(
            title=say("masks.weights_now"),
            note=say("masks.leaking", count=len(leaking)) if leaking else say("masks.no_leak"),
            values=after,
            scale="weights",
            masked=_hidden(changed, place) & (after == 0),
            marks=leaking,
            **axes,
        ),
        Panel(title=say("masks.weights_change"), values=after - before, scale="signed", **axes),
    )


def _mask_panel(title: str, allowed: np.ndarray, axes: dict[str, Any]) -> Panel:
    return Panel(
        title=title,
        note=say("masks.hidden_cells", hidden=int((~allowed).sum()), count=allowed.size),
        values=allowed.astype(np.float32),
        scale="mask",
        masked=~allowed,
        **axes,
    )


def _hidden(run: LabRun, place: _Place) -> np.ndarray:
    kind, _, _, sentence = place
    return ~run.masks[kind].combined[sentence].cpu().numpy()


def _axes(run: LabRun, kind: AttentionKind, sentence: int, titles: Titles) -> dict[str, Any]:
    rows, columns = run.batch.labels(kind, sentence)
    row_title, column_title = titles(kind)
    return {
        "group": f"{kind} {sentence}",
        "row_tokens": rows,
        "column_tokens": columns,
        "row_title": row_title,
        "column_title": column_title,
    }
