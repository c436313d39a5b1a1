"""The changes of the run in view on every page: their text, their effect, undo and redo."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import streamlit as st

from model.checkpoints.errors import CheckpointError
from texts import listed, say, say_of
from viz.address import history
from viz.address.changes import Change
from viz.address.dials import turned_together
from viz.frame import words
from viz.frame.wire import WireAct, WireChanges
from viz.models import listing, running
from viz.models.browser_inputs import pack_intervention
from viz.pictures import tokens
from viz.pictures.component import picture
from viz.run.effect import Effect, effect
from viz.run.inputs import Inputs
from viz.run.sending import send_run
from viz.run.view import View
from viz.run.wire import WireIntervention

_changes = picture("changes", "frame/browser/changes.js", sends={"act": WireAct})

_ACT = "changes_bar"


class Opened(NamedTuple):
    """A run with its changes, and the error of those that could not be made."""

    view: View
    wrong: str | None


def open_changed(inputs: Inputs, wrong: str | None) -> Opened:
    """Run the model with the changes that apply; if one cannot be made, run it without changes.

    Args:
        inputs: The inputs of the run.
        wrong: The error in the changes of the link.
    """
    try:
        view = running.open_view(inputs._replace(interventions=history.in_force(inputs)))
    except ValueError as error:
        if not history.in_force(inputs):
            raise
        return Opened(running.open_view(inputs), _cannot_change(str(error)))
    return Opened(view, wrong and _cannot_change(wrong))


def show_changes(opened: Opened) -> None:
    """Show the changes, if there are any, with their effect and the buttons to undo them."""
    view = opened.view
    if opened.wrong:
        st.html(tokens.notice(say("frame.changes_wrong"), opened.wrong))
        st.button(say("frame.forget_wrong"), key="forget_changes", on_click=history.forget_wrong)
    if not history.changes() and history.before() is None and history.undone() is None:
        return
    before = view.beside(view.inputs.unchanged)
    if view.inputs.interventions:
        send_run(before.parcel, place="run_before")
    with st.container(key="bar_changes"):
        _changes(key=_ACT, data=_pack(view, before), on_act_change=_act)


def _pack(view: View, before: View) -> WireChanges:
    did = effect(view, before)
    made = history.changes()
    return {
        "run": view.parcel.key,
        "before": before.parcel.key,
        "changes": [
            {
                "text": _text([made[at] for at in places], before),
                "on": made[places[0]].is_on,
                "applies": made[places[0]].applies(*view.inputs.texts),
                "made": _interventions([made[at] for at in places], view.inputs),
            }
            for places in turned_together(made)
        ],
        "stretches": [{"fate": s.fate, "text": s.text} for s in did.stretches],
        "said": words.what_changes_did(did.changed_words, given=view.run.given)
        if view.inputs.interventions
        else say("frame.nothing_changed"),
        "numbers": _numbers(did),
        "undo": _after(history.before(), view.inputs),
        "redo": _after(history.undone(), view.inputs),
    }


def _after(changes: Iterable[Change] | None, inputs: Inputs) -> list[WireIntervention] | None:
    return None if changes is None else _interventions([c for c in changes if c.is_on], inputs)


def _interventions(changes: Iterable[Change], inputs: Inputs) -> list[WireIntervention]:
    """Pack the changes that apply in a run, on or off."""
    return [pack_intervention(c.intervention) for c in changes if c.applies(*inputs.texts)]


def _text(together: Sequence[Change], before: View) -> str:
    """Describe changes that one dial made together."""
    one = together[0].intervention
    if len(together) > 1 and one.kind == "scale":
        whole = "all_scores" if one.name.endswith(".scores") else "all_embeddings"
        return say("change.says.scale", place=say_of("change", whole), amount=one.amount)
    return listed([each.intervention.text(*_tokens(each, before)) for each in together])


def _tokens(change: Change, before: View) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tokens of the text that a change was made for."""
    if change.made_for not in (None, before.inputs.texts):
        if change.made_for[0] not in listing.listed_names():
            return (), ()
        try:
            before = before.beside(Inputs(*change.made_for, before.inputs.device))
        except (ValueError, CheckpointError):
            return (), ()
    return before.run.source.tokens, before.run.target_tokens


def _numbers(did: Effect) -> list[tuple[str, str, str]]:
    named = ((say("frame.loss"), did.loss), (say("frame.entropy"), did.entropy))
    return [(name, words.nats(both[0]), words.nats(both[1])) for name, both in named if both]


def _act() -> None:
    """Carry out the reader's request in the bar."""
    asked: WireAct = st.session_state[_ACT]["act"]
    groups = turned_together(history.changes())
    index = asked.get("index")
    places = groups[index] if index is not None and index in range(len(groups)) else ()
    acts: dict[str, Callable[[], None]] = {
        "undo": history.undo,
        "redo": history.redo,
        "clear": lambda: history.keep(()),
        "switch": lambda: history.switch(places),
        "remove": lambda: history.keep(
            change for i, change in enumerate(history.changes()) if i not in places
        ),
    }
    acts[asked["do"]]()


def _cannot_change(why: str) -> str:
    """Return the message for a change that cannot be made, with the reason."""
    return say("frame.cannot_change", why=f"{why[:1].upper()}{why[1:]}")
