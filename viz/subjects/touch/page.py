"""The Touch page: lines of attention to pull by hand, and the text that the model then writes."""

from functools import partial

import streamlit as st

from model.interventions.plugged import source_of
from model.traces import present
from texts import say
from viz.address.link import follow_selection
from viz.frame.expander import fold
from viz.models.browser_inputs import model_of, pack_intervention
from viz.pictures import tokens
from viz.pictures.freshness import show_made_for
from viz.pictures.glossary import explained
from viz.pictures.tokens import say_markup
from viz.run.record import Run
from viz.run.requirements import all_of, predicting, running_again
from viz.run.sending import is_whole
from viz.run.view import View
from viz.subjects.touch import cache, words
from viz.subjects.touch.actions import begin, last_number, take_change, take_wrong
from viz.subjects.touch.pictures import show_hand
from viz.subjects.touch.pulls import Pull
from viz.subjects.touch.wire import WireHand

URL = "touch"
NEEDS = all_of(predicting, running_again)


def render(view: View) -> None:
    """Show the lines of one row, the translation, and the effect of changes by hand."""
    before = view.beside(view.inputs.unchanged)
    pull = cache.pull_of(before)
    begin(before, pull)
    chosen = follow_selection(view.run, view.parcel.key, URL)
    made_for: dict[str, str | int] = {"run": view.parcel.key}
    if view.run.interventions and not view.run.given:
        said = _outcome(view.run, before.run)
    else:
        said = words.invitation(view.run, chosen, pull)
        made_for |= {"kind": chosen.kind, "query": chosen.query}
    with st.container(key="touch_said"):
        st.html(tokens.question(say("touch.question"), explained(said)))
    show_made_for(made_for, "touch_said", key="made_touch_said")
    if wrong := take_wrong():
        st.html(tokens.notice(say("touch.wrong"), wrong))
    if model_of(view) is None:
        if not (_is_whole(view) and _is_whole(before)):
            st.html(tokens.notice(say("touch.too_long"), say("touch.too_long_why")))
            return
        st.html(tokens.note(say("touch.anew")))
    elif any(source_of(made.kind) for made in view.run.interventions):
        st.html(tokens.note(say("touch.anew_changed")))
    show_hand(pack_hand(view, before, pull, last_number()), on_change=partial(take_change, view))
    fold(say("touch.why_heading"), _show_why, key="touch_why")


def pack_hand(view: View, before: View, pull: Pull | None, number: int) -> WireHand:
    """Pack facts about a run and the same run without changes.

    The browser has both runs: `viz/frame/changes.py` sends the one without changes.

    Args:
        view: The run in view.
        before: The same run without changes.
        pull: A pull that is worth a try.
        number: The number of the last change that the browser reported.
    """
    return {
        "run": view.parcel.key,
        "before": before.parcel.key,
        "isPrompted": view.run.n_prompt > 0,
        "interventions": [pack_intervention(made) for made in view.run.interventions],
        "pull": pull and {"row": pull.row, "held": pull.held, "to": pull.to},
        "number": number,
    }


def _outcome(run: Run, before: Run) -> str:
    writes = run.anatomy.writes
    same = before.text == run.text if writes else _guesses(before) == _guesses(run)
    return words.outcome(same=same, writes=writes)


def _guesses(run: Run) -> list[int]:
    """Return the ids that an encoder-only model predicts at each position."""
    return present(run.trace.logits)[0].argmax(dim=-1).tolist()


def _is_whole(view: View) -> bool:
    """Return whether the browser has the unreduced weights of a run."""
    return all(is_whole(view.parcel, kind) for kind in view.run.anatomy.names)


def _show_why() -> None:
    st.html(say_markup("touch.why"))
