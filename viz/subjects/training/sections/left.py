"""The trainings that were left: by a page that was closed, or by a server that ended."""

import streamlit as st

from viz.pictures import tokens
from viz.subjects.training import actions, cache, words
from viz.subjects.training.trainings import LONGEST_LEFT, MOST_LEFT, Left


def show_left() -> None:
    """Offer them to go on, to be kept or removed; old ones make room, and the page says so."""
    found = cache.trainings().left()
    if gone := cache.trainings().sweep(found):
        st.html(tokens.notice(*words.swept_words([_describe(left) for left in gone])))
    if len(found) == len(gone):
        return
    st.html(
        tokens.heading(words.LEFT_HEADING)
        + tokens.note(words.left_note(MOST_LEFT, LONGEST_LEFT.days))
    )
    for left in found[: len(found) - len(gone)]:
        _show(left)


def _show(left: Left) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.html(tokens.note(_describe(left)))
        st.button(
            words.GO_ON,
            key=f"left_go_on_{left.id}",
            on_click=actions.go_on,
            args=(left.id,),
            disabled=left.step >= left.steps,
        )
        actions.offer_to_keep(left.id, key=f"left_keep_{left.id}")
        st.button(
            words.REMOVE, key=f"left_remove_{left.id}", on_click=actions.remove, args=(left.id,)
        )


def _describe(left: Left) -> str:
    return words.left_words(left.title, left.step, left.steps, left.exact_match, left.age)
