"""The words nearest to one, and a plane of the words of the sentence, each with its nearest."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from sample_data.tasks import task_languages
from texts import named, say
from viz.address.address import bound
from viz.frame.link_choices import choose_one
from viz.heads.head_roles import word_classes
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.pictures.numbers import fixed
from viz.run.view import View
from viz.subjects.embeddings import words
from viz.subjects.embeddings.cache import placed, words_of
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.geometry import Neighbour, cosines, neighbours, pca, units
from viz.subjects.embeddings.groups import content_tokens, group
from viz.subjects.embeddings.pictures import show_bars, show_cloud
from viz.subjects.embeddings.points import Side, Vocabulary, text_ids, vocabulary_sides
from viz.subjects.embeddings.probe import NounPlane

_NEAREST = 10
_TOLD = 3
"""The number of neighbours named at the top."""
_BESIDE = 6
"""The number of neighbours of each word of the plane."""
_MOST_OF_TEXT = 6
_MOST_PLACED = 1000
"""The number of words in the picture of all; t-SNE of so many takes some ten seconds."""
ZOOMS = (1, 2, 4, 8)
_PLANE, _CLOUD = "embeddings_plane", "embeddings_cloud"


class Asked(NamedTuple):
    """The subject of the page: the words of one language, and one of them."""

    known: Vocabulary
    key: str
    """The name of the field that asks for the word."""
    said: frozenset[str]
    """All tokens of the sentence."""
    of_text: tuple[int, ...]
    """The words of the sentence: verbs first, and in each class those with the nearest neighbours
    first."""
    chosen: int
    near: tuple[Neighbour, ...]


def asked_word(view: View) -> Asked:
    """Return the chosen word, at first the verb of the sentence with the nearest neighbour."""
    sides = vocabulary_sides(view.run.info)
    side = st.session_state[bound("embeddings_side", sides[0], sides)]
    known = words_of(view, side)
    said = getattr(view.run.info.tokenizers, side).tokens(text_ids(view.run, side))
    of_text = _words_of_text(view, known, said)
    usual = known.tokens[of_text[0]]
    old_links = dict(zip(known.tokens, known.ids.tolist(), strict=True))
    key = bound(_key(side), usual, old_links, lambda token: f"{token} · {old_links[token]}")
    chosen = known.tokens.index(st.session_state[key])
    near = neighbours(known.vectors, chosen, _NEAREST)
    return Asked(known, key, frozenset(said), of_text, chosen, near)


def _words_of_text(view: View, known: Vocabulary, said: Sequence[str]) -> tuple[int, ...]:
    """Find the words of the sentence; any word of the model if it knows none of them."""
    content = [known.index(token) for token in content_tokens(view.run.info, known.side, said)]
    found = [i for i in content if i is not None]
    found = found or [i for token in said if (i := known.index(token)) is not None] or [0]
    found = [*dict.fromkeys(found)]
    alike = cosines(known.vectors, of=found)
    alike[range(len(found)), found] = -1
    classes = getattr(word_classes(view.run.info), known.side)
    others = [classes.get(known.tokens[i]) != "verb" for i in found]
    order = np.lexsort((-alike.max(axis=1), others))
    return tuple(found[i] for i in order[:_MOST_OF_TEXT])


def _key(side: Side) -> str:
    return f"embeddings_{side}_token"


def show_answer(view: View, asked: Asked, plane: NounPlane | None) -> None:
    """State what nouns encode; if little is known of nouns, which words are similar."""
    numbers = asked.known.vectors.shape[1]
    if plane is not None:
        question = say("embeddings.question_nouns")
        said = words.answer_of_nouns(plane, asked.known.side, numbers)
    else:
        question = say("embeddings.question")
        are_words = bool(getattr(word_classes(view.run.info), asked.known.side))
        said = f"{words.answer(numbers, are_words=are_words)} {_say_nearest(asked)}"
    st.html(tokens.question(question, explained(said)))


def _say_nearest(asked: Asked) -> str:
    known = asked.known
    return words.nearest(known.tokens[asked.chosen], _named(known, asked.near[:_TOLD]))


def show_nearest(view: View, asked: Asked, plane: NounPlane | None) -> None:
    """Show the nearest of one word beside a plane of the words of the sentence."""
    known = asked.known
    with st.container(border=plane is None, key="card_embeddings_nearest", gap="small"):
        if plane is not None:
            st.html(tokens.note(_say_nearest(asked)))
        beside, picture = st.columns([0.36, 0.64], gap="medium")
        with beside:
            with st.container(horizontal=True, gap="small"):
                names = [*dict.fromkeys(known.tokens)]
                st.selectbox(say("embeddings.word"), names, key=asked.key, width=170)
                if plane is None:
                    choose_side(view)
            _show_bars(view, asked)
        with picture:
            _show_plane(view, asked)
        notes = [say("embeddings.common", cosine=fixed(known.in_common, 2))]
        if plane is not None and plane.near.is_better:
            notes.insert(0, words.near_gender(plane))
        st.html(tokens.note(" ".join(notes)))


def choose_side(view: View) -> None:
    """Let the reader choose the language, if the model has words of two."""
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
    """Draw the words of the sentence and the chosen one, each with its nearest."""
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
    _show_cloud(view, asked, drawn, points, nearest, _PLANE)


def show_all_words(view: View, asked: Asked) -> None:
    """Show the most frequent words placed by t-SNE, or those around the chosen one."""
    known = asked.known
    drawn = [*range(min(len(known.ids), _MOST_PLACED))]
    if asked.chosen not in drawn:
        drawn[-1] = asked.chosen
    if len(drawn) < 6:
        st.html(tokens.note(say("embeddings.too_few")))
        return
    with st.spinner(say("embeddings.projecting"), show_time=True):
        found = placed(known.vectors[drawn])
    times = choose_one(
        say("embeddings.zoom"),
        ZOOMS,
        lambda times: say("embeddings.times", count=times),
        key="embeddings_zoom",
    )
    seen = _around(found.points, drawn.index(asked.chosen), times)
    shown = [drawn[i] for i in seen]
    _show_cloud(view, asked, shown, found.points[seen], {}, _CLOUD)
    st.html(tokens.note(say("embeddings.trust", count=len(drawn), trust=found.trust)))


def _around(points: np.ndarray, middle: int, times: int) -> list[int]:
    """List the points in the part of the plane around one of them, at some magnification."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = (high - low) / times
    start = np.clip(points[middle] - size / 2, low, high - size)
    within = (points >= start - 1e-9) & (points <= start + size + 1e-9)
    return np.flatnonzero(within.all(axis=1)).tolist()


def _show_cloud(
    view: View,
    asked: Asked,
    drawn: Sequence[int],
    points: np.ndarray,
    nearest: Mapping[int, Sequence[int]],
    key: str,
) -> None:
    known, selected = asked.known, drawn.index(asked.chosen)
    names = tuple(known.tokens[i] for i in drawn)
    groups = group(view.run.info, known.side, names, known.ids[drawn].tolist())
    show_cloud(
        points,
        marks=Marks(names, groups),
        selected=selected,
        nearest=nearest,
        of_text=[i for i, word in enumerate(drawn) if word in asked.of_text],
        key=key,
        field=asked.key,
    )


def _show_bars(view: View, asked: Asked) -> None:
    known = asked.known
    near = _named(known, asked.near)
    ids = [int(known.ids[n.token]) for n in asked.near]
    groups = group(view.run.info, known.side, [name for name, _ in near], ids)
    show_bars(known.tokens[asked.chosen], near, groups, field=asked.key)


def _named(known: Vocabulary, near: Sequence[Neighbour]) -> list[tuple[str, float]]:
    """Name each token; several of a model may share a name, such as a letter and its byte."""
    return [(known.tokens[n.token], n.cosine) for n in near]
