"""The picture of the nouns, by the gender and the number that French gives them."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from texts import say
from viz.frame.figure import palette
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.embeddings import words
from viz.subjects.embeddings.figures.nouns import DrawnNouns, noun_cuts
from viz.subjects.embeddings.probe import NounPlane
from viz.subjects.embeddings.sections.nearest import Asked, choose_side
from viz.subjects.embeddings.sections.pictures import show_picture

_NOUNS = "embeddings_nouns"


def show_nouns(view: View, asked: Asked, plane: NounPlane) -> None:
    """Show the nouns held out of the probes, and how many are on the right side."""
    side = asked.known.side
    chosen = asked.known.tokens[asked.chosen]
    with st.container(border=True, key="card_embeddings_nouns", gap="small"):
        places, drawn = _drawn(plane, asked.said, chosen)
        show_picture(
            noun_cuts(
                plane.points[places],
                drawn,
                selected=drawn.words.index(chosen) if chosen in drawn.words else None,
                palette=palette(),
            ),
            key=_NOUNS,
            alt=words.nouns_alt(plane),
            on_click=partial(_take_click, asked.key, tuple(drawn.words)),
        )
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            choose_side(view)
        st.html(tokens.note(words.measured(plane, side)))
        if drawn.used:
            st.html(tokens.note(say("embeddings.hollow")))


def _drawn(plane: NounPlane, said: frozenset[str], chosen: str) -> tuple[np.ndarray, DrawnNouns]:
    """Choose the held-out nouns, the nouns of the sentence, and the chosen word."""
    wanted = [word in said or word == chosen for word in plane.words]
    places = np.flatnonzero(plane.is_shown | np.array(wanted, bool))
    names = [plane.words[i] for i in places]
    nouns = [plane.nouns[i] for i in places]
    return places, DrawnNouns(
        words=names,
        groups=["la" if noun.form.is_feminine else "le" for noun in nouns],
        told=[words.of_noun(name, noun) for name, noun in zip(names, nouns, strict=True)],
        of_text=[i for i, name in enumerate(names) if name in said],
        used=[i for i, place in enumerate(places) if not plane.is_shown[place]],
    )


def _take_click(field: str, names: tuple[str, ...]) -> None:
    """Choose the word of a clicked point.

    Streamlit keeps the callback of each figure that it has ever drawn for as long as a session
    lasts, so a callback holds names and no vectors.
    """
    index = clicked_token(st.session_state[_NOUNS])
    if index is not None:
        st.session_state[field] = names[index]


def clicked_token(event: Mapping[str, Any]) -> int | None:
    """Find the token in the chart's message about a click; None if the selection is empty."""
    points = event["selection"]["points"]
    found = np.ravel(points[0].get("customdata", [])) if points else []
    return int(found[0]) if len(found) else None
