"""The trainings that were left: by a page that was closed, or by a server that ended."""

import streamlit as st

from texts import say
from viz.pictures import tokens
from viz.subjects.training import actions, cache, words
from viz.subjects.training.trainings import LONGEST_LEFT, MOST_LEFT, Left


def show_left() -> None:
    """Offer them to go on, to be kept or removed; old ones make room, and the page says so."""
    found = cache.trainings().left()
    if gone := cache.trainings().sweep(found):
        said = say("training.swept", count=len(gone))
        st.html(tokens.notice(said, "; ".join(_describe(left) for left in gone)))
    if len(found) == len(gone):
        return
    st.html(
        tokens.heading(say("training.left"))
        + tokens.note(say("training.left_note", most=MOST_LEFT, days=LONGEST_LEFT.days))
    )
    for left in found[: len(found) - len(gone)]:
        _show(left)


def _show(left: Left) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.html(tokens.note(_describe(left)))
        st.button(
            say("training.go_on"),
            key=f"left_go_on_{left.id}",
            on_click=actions.go_on,
            args=(left.id,),
            disabled=left.step >= left.steps,
        )
        actions.offer_to_keep(left.id, key=f"left_keep_{left.id}")
        st.button(
            say("training.remove"),
            key=f"left_remove_{left.id}",
            on_click=actions.remove,
            args=(left.id,),
        )


def _describe(left: Left) -> str:
    return words.left_words(left.longest, left.step, left.steps, left.exact_match, left.age)
