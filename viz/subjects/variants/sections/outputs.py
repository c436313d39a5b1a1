"""The same sentence through several variants: which, and what each writes."""

from collections.abc import Sequence

import streamlit as st

from texts import say
from viz.pictures import tokens
from viz.run import session
from viz.run.address import bound
from viz.run.view import Inputs, View
from viz.subjects.variants.tables import outputs_table
from viz.subjects.variants.titles import MOST_TELLING, PAPER
from viz.subjects.variants.words import labels


def choose_variants(view: View, names: dict[str, str]) -> list[str]:
    """Let the variants be chosen; the paper's beside the one in view to begin with."""
    own = view.run.info.variant
    other = own if own in names and own != PAPER else MOST_TELLING
    first = [name for name in (PAPER, other) if name in names]
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        st.html(tokens.heading(say("variants.side_by_side")), width="content")
        return st.multiselect(
            say("variants.variants"),
            [*names],
            key=bound("variants", first if len(first) > 1 else [*names][:2], names),
            label_visibility="collapsed",
            placeholder=say("variants.placeholder"),
        )


def open_views(view: View, names: dict[str, str], target: str | None = None) -> list[View]:
    """Run each checkpoint on the view's sentence; the one in view is not replaced by its twin."""
    own = view.run.info.variant
    given = view.inputs.target if target is None else target
    found: list[View] = []
    for variant, name in names.items():
        checkpoint = view.inputs.checkpoint if variant == own else name
        inputs = Inputs(checkpoint, view.inputs.source, given, view.inputs.device)
        try:
            found.append(session.open_view(inputs))
        except ValueError as error:
            st.html(tokens.notice(say("variants.cannot_run_this", variant=variant), str(error)))
    return found


def show_outputs(views: Sequence[View]) -> None:
    """Show what each wrote, and how it was scored."""
    infos = [v.run.info for v in views]
    unmasked = [info.variant for info in infos if not info.config.causal_mask]
    st.html(outputs_table([v.run for v in views]) + tokens.note(labels.outputs_note(unmasked)))
