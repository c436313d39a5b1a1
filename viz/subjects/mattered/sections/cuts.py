"""Every head and sublayer cut in turn (ablation): the answer in words, and the map of all cuts."""

from functools import partial
from typing import cast, get_args

import streamlit as st

from model.attribution.sublayers import How
from texts import say, say_of
from viz.address import history
from viz.address.selection import Selection
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.view import View
from viz.subjects.mattered import cache
from viz.subjects.mattered.actions import choose_cut, follow_cut
from viz.subjects.mattered.damage import Losses
from viz.subjects.mattered.kept_changes import as_change
from viz.subjects.mattered.packing import pack_losses
from viz.subjects.mattered.pictures import asked_cut, show_cuts
from viz.subjects.mattered.words.cuts import answer

_HOW = "cut_how"
_CUTS = "mattered_cuts"
_KEPT = "mattered_kept"


def show_answer(view: View) -> None:
    """Answer which part was needed, by zero ablation."""
    said = answer(_losses(view, "zero"))
    asked = say("mattered.question" if view.run.anatomy.translates else "mattered.question_of_text")
    st.html(tokens.question(asked, explained(said)))


def show_all_cuts(view: View, selection: Selection, *, is_new: bool) -> None:
    """Show the loss without each part, and the text then written.

    Args:
        view: The run.
        selection: The selection in it.
        is_new: Whether a link was opened that names no head.
    """
    if st.session_state.pop(_KEPT, False):
        st.rerun()  # the whole page, because the run has changed
    with st.container(border=True, key="card_mattered", gap="small"):
        st.html(tokens.note(say("mattered.map_note")))
        above = st.container(gap="small")
        how = _choose_how(view)
        losses = _losses(view, how)
        chosen = follow_cut(losses, selection, is_new=is_new)
        with above:
            show_cuts(
                pack_losses(losses, chosen, view.parcel.key),
                key=_CUTS,
                on_keep_change=partial(_keep, view, losses),
                on_choose_change=partial(_choose, losses),
            )
    st.html(tokens.note(say("mattered.caution")))


def _losses(view: View, how: How) -> Losses:
    """Cut every part in turn, which takes a large model a minute."""
    with st.spinner(say("mattered.cutting"), show_time=True):
        return cache.losses(view, how)


def _keep(view: View, losses: Losses) -> None:
    """Make a cut a change of the run."""
    number = asked_cut(_CUTS, "keep", len(losses.of))
    if number is not None:
        history.add([as_change(losses.of[number].part, losses.how)], view.inputs)
        st.session_state[_KEPT] = True


def _choose(losses: Losses) -> None:
    """Put a cut in view of another head than the selected one."""
    number = asked_cut(_CUTS, "choose", len(losses.of))
    if number is not None:
        choose_cut(losses, number)


def _choose_how(view: View) -> How:
    """Let the reader choose the replacement for the parts that are cut."""
    offered = [how for how in get_args(How) if how != "mean" or cache.has_average(view)]
    chosen = choose_one(
        say("mattered.how"), offered, lambda how: say_of("mattered.how", how), key=_HOW
    )
    return cast("How", chosen)
