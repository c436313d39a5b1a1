"""The words nearest to one, and a plane of the words of the sentence, each with its nearest."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from sample_data.tasks import task_languages
from texts import named, say
from viz.frame.controls import palette
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.pictures.numbers import fixed
from viz.run.address import bound
from viz.run.head_roles import word_classes
from viz.run.view import View
from viz.subjects.embeddings import words
from viz.subjects.embeddings.cache import placed, words_of
from viz.subjects.embeddings.figures.bars import neighbour_bars
from viz.subjects.embeddings.figures.cloud import token_cloud
from viz.subjects.embeddings.figures.marks import Marks, look
from viz.subjects.embeddings.geometry import Neighbour, cosines, neighbours, pca, units
from viz.subjects.embeddings.groups import content_tokens, group
from viz.subjects.embeddings.points import Side, Vocabulary, text_ids, vocabulary_sides
from viz.subjects.embeddings.sections.pictures import show_picture

_NEAREST = 10
_TOLD = 3
"""Neighbours that are named at the top."""
_BESIDE = 6
"""Neighbours of each word of the plane."""
_MOST_OF_TEXT = 6
_MOST_PLACED = 1000
"""Words of the picture of all; t-SNE of as many takes some ten seconds."""
_PLANE, _CLOUD = "embeddings_plane", "embeddings_cloud"


class Asked(NamedTuple):
    """What the page is about: the words of one language, and one of them."""

    known: Vocabulary
    of_text: tuple[int, ...]
    """Words of the sentence, those with the nearest neighbours first."""
    chosen: int
    near: tuple[Neighbour, ...]


def asked_word(view: View) -> Asked:
    """Return the word that is asked for: usually the one of the sentence with the nearest one."""
    sides = vocabulary_sides(view.run.info)
    side = st.session_state[bound("embeddings_side", sides[0], sides)]
    known = words_of(view, side)
    of_text = _words_of_text(view, known)
    usual = known.tokens[of_text[0]]
    old_links = dict(zip(known.tokens, known.ids.tolist(), strict=True))
    key = bound(_key(side), usual, old_links, lambda token: f"{token} · {old_links[token]}")
    chosen = known.tokens.index(st.session_state[key])
    return Asked(known, of_text, chosen, neighbours(known.vectors, chosen, _NEAREST))


def _words_of_text(view: View, known: Vocabulary) -> tuple[int, ...]:
    """Find what the sentence says; any word of the model where it says none of its words."""
    tokenizer = getattr(view.run.info.tokenizers, known.side)
    said = tokenizer.tokens(text_ids(view.run, known.side))
    content = [known.index(token) for token in content_tokens(view.run.info, known.side, said)]
    found = [i for i in content if i is not None]
    found = found or [i for token in said if (i := known.index(token)) is not None] or [0]
    found = [*dict.fromkeys(found)]
    alike = cosines(known.vectors, of=found)
    alike[range(len(found)), found] = -1
    order = np.argsort(-alike.max(axis=1), kind="stable")
    return tuple(found[i] for i in order[:_MOST_OF_TEXT])


def _key(side: Side) -> str:
    return f"embeddings_{side}_token"


def show_answer(view: View, asked: Asked) -> None:
    """Answer which words are alike, by the word that is asked for."""
    known = asked.known
    said = words.answer(
        known.tokens[asked.chosen],
        known.vectors.shape[1],
        _named(known, asked.near[:_TOLD]),
        are_words=bool(getattr(word_classes(view.run.info), known.side)),
    )
    st.html(tokens.question(say("embeddings.question"), explained(said)))


def show_nearest(view: View, asked: Asked) -> None:
    """Show the nearest of one word beside a plane of the words of the sentence."""
    known, side = asked.known, asked.known.side
    with st.container(border=True, key="card_embeddings_nearest", gap="small"):
        beside, picture = st.columns([0.36, 0.64], gap="medium")
        with beside:
            with st.container(horizontal=True, gap="small"):
                names = [*dict.fromkeys(known.tokens)]
                st.selectbox(say("embeddings.word"), names, key=_key(side), width=170)
                _choose_side(view)
            _show_bars(view, asked)
        with picture:
            _show_plane(view, asked)
        said = say("embeddings.common", cosine=fixed(known.in_common, 2))
        st.html(tokens.note(said))


def _choose_side(view: View) -> None:
    sides = vocabulary_sides(view.run.info)
    if len(sides) > 1:
        languages = dict(zip(("source", "target"), task_languages(view.run.info.task), strict=True))
        choose_one(
            say("embeddings.vocabulary"),
            sides,
            lambda side: named("side", languages[side]) or languages[side],
            key="embeddings_side",
        )


def _show_plane(view: View, asked: Asked) -> None:
    """Draw the words of the sentence and the one asked for, each with its nearest."""
    known = asked.known
    heads = [*dict.fromkeys((asked.chosen, *asked.of_text))]
    near = {head: [n.token for n in neighbours(known.vectors, head, _BESIDE)] for head in heads}
    drawn = [*dict.fromkeys((*heads, *(i for found in near.values() for i in found)))]
    if len(drawn) < 3:
        st.html(tokens.note(say("embeddings.too_few")))
        return
    points, _ = pca(units(known.vectors[drawn]))
    place = {word: i for i, word in enumerate(drawn)}
    nearest = {place[head]: [place[i] for i in found] for head, found in near.items()}
    _show_cloud(view, known, drawn, points, place[asked.chosen], nearest, _PLANE)


def show_all_words(view: View, asked: Asked) -> None:
    """Show the most frequent words at once, placed by t-SNE."""
    known = asked.known
    drawn = [*range(min(len(known.ids), _MOST_PLACED))]
    if asked.chosen not in drawn:
        drawn[-1] = asked.chosen
    if len(drawn) < 6:
        st.html(tokens.note(say("embeddings.too_few")))
        return
    with st.spinner(say("embeddings.projecting"), show_time=True):
        found = placed(known.vectors[drawn])
    _show_cloud(view, known, drawn, found.points, drawn.index(asked.chosen), {}, _CLOUD)
    st.html(tokens.note(say("embeddings.trust", count=len(drawn), trust=found.trust)))


def _show_cloud(
    view: View,
    known: Vocabulary,
    drawn: Sequence[int],
    points: np.ndarray,
    selected: int,
    nearest: Mapping[int, Sequence[int]],
    key: str,
) -> None:
    names = tuple(known.tokens[i] for i in drawn)
    groups = group(view.run.info, known.side, names, known.ids[drawn].tolist())
    show_picture(
        token_cloud(
            points,
            marks=Marks(names, groups),
            selected=selected,
            nearest=nearest,
            palette=palette(),
        ),
        key=key,
        alt=say("embeddings.cloud_alt", count=len(names), chosen=names[selected]),
        on_click=partial(_take_click, key, _key(known.side), names),
    )


def _take_click(key: str, field: str, names: tuple[str, ...]) -> None:
    """Choose the word of a clicked point.

    Streamlit keeps the callback of each figure that it has ever drawn for as long as a session
    lasts, so a callback holds names and no vectors.
    """
    index = clicked_token(st.session_state[key])
    if index is not None:
        st.session_state[field] = names[index]


def clicked_token(event: Mapping[str, Any]) -> int | None:
    """Find the token in what the chart says of a click; nothing where it says that none is left."""
    points = event["selection"]["points"]
    found = np.ravel(points[0].get("customdata", [])) if points else []
    return int(found[0]) if len(found) else None


def _show_bars(view: View, asked: Asked) -> None:
    known = asked.known
    near = _named(known, asked.near)
    names, cosines = zip(*near, strict=True)
    ids = [int(known.ids[n.token]) for n in asked.near]
    groups = group(view.run.info, known.side, names, ids)
    show_picture(
        neighbour_bars(
            names,
            cosines,
            colours=[look(name, palette()).colour for name in groups],
            palette=palette(),
        ),
        key="embeddings_nearest",
        alt=words.nearest_alt(near),
    )


def _named(known: Vocabulary, near: Sequence[Neighbour]) -> list[tuple[str, float]]:
    """Give each its name, which several tokens of a folder may share: a letter and its byte."""
    return [(known.tokens[n.token], n.cosine) for n in near]
