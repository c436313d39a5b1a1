"""The pinned run, which others can be compared with; a link can contain it."""

import json

import streamlit as st

from model.text.normalised import printable
from texts import say
from viz.address.changes import Change, read_changes, write_changes
from viz.run.inputs import Inputs

LONGEST_LINK = 8_000
"""Most characters of a pinned run in an address."""
_PINNED = "pinned"


def pinned() -> Inputs | None:
    """Return the run that was pinned in this session."""
    return st.session_state.get(_PINNED)


def pin(inputs: Inputs | None) -> None:
    """Pin a run; None removes the pin."""
    st.session_state[_PINNED] = inputs


def offer_pin(inputs: Inputs) -> None:
    """Let the run in view be pinned, on any page."""
    is_pinned = pinned() == inputs
    st.button(
        say("frame.pinned") if is_pinned else say("frame.pin"),
        key="pin_run",
        help=say("frame.pin_help"),
        disabled=is_pinned,
        on_click=_pin_and_say,
        args=(inputs,),
    )


def _pin_and_say(inputs: Inputs) -> None:
    pin(inputs)
    st.toast(say("frame.pinned_said"))


def write_pin(inputs: Inputs) -> str | None:
    """Write a run for a link; return None if it is too long for a link."""
    changes = write_changes(map(Change, inputs.interventions))
    parts = [inputs.checkpoint, inputs.source, inputs.target, changes]
    text = json.dumps(parts, ensure_ascii=False)
    return text if len(text) <= LONGEST_LINK else None


def read_pin(text: str, device: str) -> Inputs | None:
    """Read a run from a link; return None if the text is not a run."""
    if len(text) > LONGEST_LINK:
        return None
    try:
        match json.loads(text):
            case [str(name), str(source), str(target), str(written)]:
                name, source, target = map(printable, (name, source, target))
                changes = read_changes(written, name, source, target)
                interventions = tuple(change.intervention for change in changes)
                return Inputs(name, source, target, device, interventions)
    except (ValueError, RecursionError):
        return None
    return None
