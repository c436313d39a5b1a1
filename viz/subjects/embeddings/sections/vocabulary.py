"""A vocabulary's embeddings as a cloud of points, and the tokens nearest to a chosen one."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.frame.controls import palette
from viz.frame.expander import fold
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.address import bound
from viz.run.record import Run
from viz.run.view import View, per_view
from viz.subjects.embeddings import words
from viz.subjects.embeddings.figures.bars import neighbour_bars
from viz.subjects.embeddings.figures.cloud import token_cloud
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.geometry import Neighbour, kept_neighbours, neighbours
from viz.subjects.embeddings.points import Side, Vocabulary, text_ids, vocabulary, vocabulary_sides
from viz.subjects.embeddings.projection import Projection, Settings
from viz.subjects.embeddings.sections.method import choose_method, choose_settings, project
from viz.subjects.embeddings.sections.pictures import choose_marks, show_picture

_NEAREST = 10
_TOLD = 3
"""Neighbours that are named at the top."""
_CLOUD = "embeddings_cloud"


def show_answer(view: View) -> None:
    """Answer which words are alike, by the rarest token of the source."""
    side = vocabulary_sides(view.run.info.config)[0]
    anatomy = view.run.anatomy
    if not anatomy.translates:
        token, near = nearest_of_all(view, side)
        said = say(
            "embeddings.answer_write" if anatomy.writes else "embeddings.answer_read",
            token=token,
            listed=words.near_words(near),
        )
        st.html(tokens.question(say("embeddings.question"), explained(said)))
        return
    shown = vocabulary(view.run, view.ran, side)
    token = _order(view.run, side, shown)[0]
    near = neighbours(shown.vectors, token, min(_TOLD, len(shown.ids) - 1))
    values = {
        "token": shown.tokens[token],
        "listed": words.near_words([(shown.tokens[i], cosine) for i, cosine in near]),
    }
    if shown.left_out:
        said = say("embeddings.answer_drawn", count=len(shown.ids), **values)
    else:
        said = say("embeddings.answer_translate", **values)
    st.html(tokens.question(say("embeddings.question"), explained(said)))


@per_view
def nearest_of_all(view: View, side: Side) -> tuple[str, list[tuple[str, float]]]:
    """Find the tokens nearest to the last of the text that is a word, in the whole vocabulary."""
    tokenizer = getattr(view.run.info.tokenizers, side)
    ids = text_ids(view.run, side)
    token = next((i for i in reversed(ids) if i not in tokenizer.specials.all), ids[-1])
    embedding = view.ran.embedding_of(side)
    vectors = embedding.weight.detach().float().cpu().numpy()[: tokenizer.vocab_size]
    near = neighbours(vectors, token, min(_TOLD, len(vectors) - 1))
    return tokenizer.token(token), [(tokenizer.token(i), cosine) for i, cosine in near]


def show_vocabulary(view: View) -> None:
    """Show the embeddings of one side, projected, beside the neighbours of one token."""
    run = view.run
    with st.container(horizontal=True, gap="medium"):
        side = _choose_side(run)
        shown = vocabulary(run, view.ran, side)
        method, dimensions = choose_method()
        marks = choose_marks(run, side, shown.tokens, shown.ids.tolist())
    settings = choose_settings(method, dimensions, len(shown.ids))
    picture, beside = st.columns([0.68, 0.32], gap="medium")
    with beside:
        chosen = _choose_token(run, side, shown)
        near = neighbours(shown.vectors, chosen, min(_NEAREST, len(shown.ids) - 1))
        _show_neighbours(marks, chosen, near)
        if shown.left_out:
            size = len(shown.ids) + shown.left_out
            st.html(tokens.note(words.among_words(len(shown.ids), size)))
    with picture:
        found = project(shown.vectors, settings)
        if found is None:
            return
        _show_cloud(side, shown, marks, chosen, near, settings, found)

    def show_trust() -> None:
        st.html(_about(run, side, shown))
        _show_trust(shown, chosen, len(near), settings, found)

    fold(say("embeddings.trust_heading"), show_trust, key="embeddings_trust")


def _choose_side(run: Run) -> Side:
    sides = vocabulary_sides(run.info.config)
    if len(sides) == 1:
        return sides[0]
    return choose_one(
        say("embeddings.vocabulary"),
        sides,
        lambda side: say_of("embeddings.side", side),
        key="embeddings_side",
    )


def _about(run: Run, side: Side, shown: Vocabulary) -> str:
    rows, d_model = shown.vectors.shape
    tied = words.tying_words(run.info.config, side)
    left_out = words.left_out_words(shown.left_out, by_frequency=run.anatomy.translates)
    shape = say("embeddings.shape", rows=rows, columns=d_model)
    heading = tokens.heading(say("embeddings.vocabulary_heading"), code=shown.name, shape=shape)
    return heading + tokens.note(f"{tied} {left_out}".rstrip())


def _choose_token(run: Run, side: Side, shown: Vocabulary) -> int:
    """Let a token be found by its name, or clicked; the rarest of the text comes first."""
    labels = _labels(shown)
    ordered = [labels[i] for i in _order(run, side, shown)]
    label = st.selectbox(
        say("embeddings.token"), ordered, key=bound(_token_key(side), ordered[0], ordered)
    )
    return labels.index(label)


def _order(run: Run, side: Side, shown: Vocabulary) -> list[int]:
    """Put the tokens of the text first, the rarest of them leading."""
    of_text = np.flatnonzero(np.isin(shown.ids, text_ids(run, side)))[::-1].tolist()
    return list(dict.fromkeys([*of_text, *range(len(shown.ids))]))


def _labels(shown: Vocabulary) -> list[str]:
    """Name each token by itself and its id: two may look alike."""
    return [f"{token} · {i}" for token, i in zip(shown.tokens, shown.ids.tolist(), strict=True)]


def _token_key(side: Side) -> str:
    return f"embeddings_{side}_token"


def _show_neighbours(marks: Marks, chosen: int, near: Sequence[Neighbour]) -> None:
    st.html(tokens.heading(say("embeddings.nearest", token=marks.tokens[chosen])))
    looks = marks.looks(palette())
    groups = [marks.groups[i] for i, _ in near]
    names, cosines = [marks.tokens[i] for i, _ in near], [cosine for _, cosine in near]
    show_picture(
        neighbour_bars(
            names,
            cosines,
            colours=[looks[name].colour for name in groups],
            groups=groups,
            palette=palette(),
        ),
        key="embeddings_nearest",
        alt=words.nearest_alt(names, cosines),
    )


def _show_cloud(
    side: Side,
    shown: Vocabulary,
    marks: Marks,
    chosen: int,
    near: Sequence[Neighbour],
    settings: Settings,
    found: Projection,
) -> None:
    labels = _labels(shown)

    def take_click() -> None:
        index = clicked_token(st.session_state[_CLOUD])
        if index is not None:
            st.session_state[_token_key(side)] = labels[index]

    show_picture(
        token_cloud(
            found.points,
            marks=marks,
            norms=np.linalg.norm(shown.vectors, axis=1),
            titles=words.axis_titles(settings, found),
            selected=chosen,
            neighbours=[i for i, _ in near],
            palette=palette(),
        ),
        key=_CLOUD,
        alt=say("embeddings.cloud_alt", count=len(found.points), chosen=marks.tokens[chosen]),
        on_click=take_click,
    )


def clicked_token(event: Mapping[str, Any]) -> int | None:
    """Find the token in what the chart says of a click; nothing where it says that none is left."""
    points = event["selection"]["points"]
    found = np.ravel(points[0].get("customdata", [])) if points else []
    return int(found[0]) if len(found) else None


def _show_trust(
    shown: Vocabulary, chosen: int, count: int, settings: Settings, found: Projection
) -> None:
    kept = kept_neighbours(shown.vectors, found.points, chosen, count)
    st.html(
        tokens.note(words.kept_words(shown.tokens[chosen], kept, count))
        + tokens.note(words.trust_words(settings, found, shown.vectors.shape[1]))
    )
