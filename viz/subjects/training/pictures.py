"""A training that plays in the browser: the attention of a head beside curves with a cursor."""

from collections.abc import Callable

import streamlit as st

from viz.pictures.component import picture
from viz.run.axes import AttentionKind
from viz.subjects.training.packing import pack_lapse
from viz.subjects.training.time_lapse import TimeLapse
from viz.subjects.training.wire import WireHeadOfLapse

_SENT = {"head": WireHeadOfLapse, "rest": int}
_lapse = picture("lapse", "subjects/training/browser/lapse.js", sends=_SENT)


def show_lapse(
    lapse: TimeLapse,
    kind: AttentionKind,
    layer: int,
    head: int,
    *,
    languages: tuple[str, str],
    key: str,
    at: int | None = None,
    follow: bool = False,
    on_choice: Callable[[], None] | None = None,
    on_stop: Callable[[], None] | None = None,
) -> None:
    """Show a training at one of its snapshots, the last one unless `at` names a step.

    With `follow`, snapshots that come later are shown as they come. `on_choice` is called after a
    head was chosen in the picture, `on_stop` after the player came to rest elsewhere.
    """
    data = pack_lapse(lapse, kind, languages)
    data["meta"] |= {"layer": layer, "head": head, "at": at, "follow": follow}
    _lapse(
        key=key,
        data=data,
        on_head_change=on_choice or _ignore,
        on_rest_change=on_stop or _ignore,
    )


def chosen_head(key: str) -> tuple[int, int]:
    """Return the (layer, head) that a callback was called for."""
    chosen = st.session_state[key]["head"]
    return chosen["layer"], chosen["head"]


def rested_at(key: str) -> int:
    """Return the step at which the player came to rest."""
    return st.session_state[key]["rest"]


def _ignore() -> None:
    """Do nothing with what the browser reports."""
