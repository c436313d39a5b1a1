"""The pictures of words that the browser draws: points in a plane, and the nearest as bars."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st
from jaxtyping import Float

from viz.pictures.component import picture
from viz.subjects.embeddings.figures.marks import Marks, looks
from viz.subjects.embeddings.wire import WireCloud, WireNearest, WireWord

_SENT = {"choose": WireWord}
_cloud = picture("cloud", "subjects/embeddings/browser/cloud.js", sends=_SENT)
_nearest = picture("nearest", "subjects/embeddings/browser/nearest.js", sends=_SENT)


def show_cloud(
    points: Float[np.ndarray, "token 2"],
    *,
    marks: Marks,
    selected: int,
    nearest: Mapping[int, Sequence[int]],
    of_text: Sequence[int],
    key: str,
    field: str,
) -> None:
    """Show words as points; a click on one puts its word into a field.

    The selected word has a ring. Words with given neighbours have lines to these, and bold labels,
    as have the words of the text.
    """
    words = tuple(marks.tokens)
    data: WireCloud = {
        "points": points.tolist(),
        "words": words,
        "groups": list(marks.groups),
        "chosen": selected,
        "heads": [*dict.fromkeys((*nearest, *of_text))],
        "near": [(head, other) for head, found in nearest.items() for other in found],
        "looks": looks(marks.names),
    }
    _cloud(key=key, data=data, on_choose_change=partial(_take_word, key, field, words))


def show_bars(
    word: str, near: Sequence[tuple[str, float]], groups: Sequence[str], *, field: str
) -> None:
    """Show the words nearest to one, with their cosines; a click puts a word into a field."""
    key, words = "embeddings_bars", tuple(name for name, _ in near)
    data: WireNearest = {
        "of": word,
        "words": words,
        "groups": list(groups),
        "cosines": [cosine for _, cosine in near],
        "looks": looks(Marks(words, groups).names),
    }
    _nearest(key=key, data=data, on_choose_change=partial(_take_word, key, field, words))


def _take_word(key: str, field: str, names: tuple[str, ...]) -> None:
    """Choose the clicked word.

    Streamlit keeps the callback of each picture for as long as a session lasts, so a callback holds
    names and no vectors.
    """
    chosen: WireWord = st.session_state[key]["choose"]
    if 0 <= chosen["at"] < len(names):
        st.session_state[field] = names[chosen["at"]]
