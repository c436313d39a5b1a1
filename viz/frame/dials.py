"""Dials on a page: widgets that change constants of the model, and so the run in view."""

from collections.abc import Iterable, Sequence

import streamlit as st

from texts import say
from viz.address import history
from viz.address.dials import Dial, constants, sublayers
from viz.frame.wire import WireDial
from viz.models.browser_inputs import pack_intervention
from viz.pictures import tokens
from viz.pictures.component import picture
from viz.pictures.glossary import explained
from viz.run.inputs import Inputs
from viz.run.view import View

_dials = picture("dials", "frame/browser/dials.js")


def show_dials(view: View, names: Sequence[str] | None = None) -> None:
    """Show dials at their values in the run in view: the named ones of the model, or all."""
    before = view.beside(view.inputs.unchanged).run
    lengths = {
        side: before.trace.embedding_of(side).output.size(1) for side in before.anatomy.sides
    }
    known = constants(view.run.info.config, lengths)
    shown = [known[name] for name in names or known if name in known]
    st.html(tokens.note(say("frame.dials_note")))
    with st.container(key="dials"):
        for dial in shown:
            _show(dial, view.inputs)
    _send(shown, "constants")


def show_sublayers(view: View) -> None:
    """Show a switch for each sublayer, which is on if the sublayer is unchanged."""
    st.html(tokens.note(explained(say("frame.sublayers_note"))))
    made = history.in_force(view.inputs)
    shown = sublayers(view.run.info.config)
    with st.container(horizontal=True, gap="medium"):
        for dial in shown:
            key = _key(dial)
            st.session_state[key] = dial.place_of(made) == dial.usual
            st.toggle(dial.title, key=key, on_change=_switch, args=(dial, view.inputs))
    _send(shown, "sublayers")


def _send(dials: Iterable[Dial], name: str) -> None:
    """Send the changes of each dial to the browser, which shows them before Python has run them."""
    _dials(key=f"turned_{name}", data={"dials": [_pack(dial) for dial in dials]})


def _pack(dial: Dial) -> WireDial:
    made = [[pack_intervention(one) for one in place.interventions] for place in dial.places]
    return {"place": _key(dial).replace(".", "-"), "changes": made}


def _show(dial: Dial, inputs: Inputs) -> None:
    key = _key(dial)
    st.session_state[key] = dial.places.index(dial.place_of(history.in_force(inputs)))
    st.segmented_control(
        dial.title,
        range(len(dial.places)),
        format_func=lambda number: dial.places[number].label,
        required=True,
        key=key,
        on_change=_turn,
        args=(dial, inputs),
    )


def _turn(dial: Dial, inputs: Inputs) -> None:
    place = dial.places[st.session_state[_key(dial)]]
    history.exchange(dial.interventions(), place.interventions, inputs)


def _switch(dial: Dial, inputs: Inputs) -> None:
    is_on = st.session_state[_key(dial)]
    made = () if is_on else dial.interventions()
    history.exchange(dial.interventions(), made, inputs)


def _key(dial: Dial) -> str:
    return f"dial_{dial.name}"
