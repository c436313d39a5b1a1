"""The actions on a training of the page, and the page's answers."""

import streamlit as st

from model.checkpoints.errors import CheckpointError
from texts import say
from viz.address.address import put
from viz.address.link import forget_selection, go_to
from viz.frame.download import offer_file
from viz.models.own_checkpoints import kept_names
from viz.models.places import kept_folder
from viz.models.saved_checkpoints import KeptFolderFullError, keep, pack, why_unwritable
from viz.pictures import tokens
from viz.subjects.training import cache
from viz.subjects.training.live_training import LiveTraining, TrainingRefusedError
from viz.subjects.training.plan import Plan, shown_pair
from viz.work.visit import session_id

_ANSWER = "live_said"
"""The answer to the last click, which is shown once."""
_KEPT = "live_kept"
"""The name of the checkpoint that was kept last, and the plan of its training."""


def show_answer() -> None:
    """Show the answer to the last click, and offer to open the kept checkpoint."""
    if answer := st.session_state.pop(_ANSWER, None):
        st.html(tokens.notice(*answer))
    name, plan = st.session_state.get(_KEPT, ("", None))
    if name in kept_names() and st.button(
        say("training.open", name=name), key="live_open", on_click=_open, args=(name, plan)
    ):
        st.rerun()  # the inputs are in the sidebar


def offer_start(plan: Plan, *, another: bool = False) -> None:
    """Offer to train a new model: the first one, or another."""
    label = say("training.train_another" if another else "training.train")
    st.button(label, key="live_start", type="primary", on_click=_start, args=(plan,))


def offer_to_take_away(training: LiveTraining) -> None:
    """Offer to keep or download the current model; nothing if its files are gone."""
    try:
        packed = pack(training.checkpoint)
    except OSError:
        return
    if st.button(say("training.keep"), key="live_keep", on_click=_keep, args=(training,)):
        st.rerun()  # the sidebar's list has a new entry
    offer_file(
        say("training.download"),
        packed,
        file_name=f"{training.plan.name}.zip",
        mime="application/zip",
        key="live_download",
    )


def _start(plan: Plan) -> None:
    try:
        training = cache.trainings().start(plan, session_id())
    except TrainingRefusedError as refused:
        st.session_state[_ANSWER] = (say("training.not_now"), str(refused))
    else:
        put("training", training.id)


def _keep(training: LiveTraining) -> None:
    try:
        name = keep(training.checkpoint)
    except (KeptFolderFullError, CheckpointError) as error:
        st.session_state[_ANSWER] = (say("training.not_kept"), str(error))
    except OSError as error:
        why = why_unwritable(error, kept_folder())
        st.session_state[_ANSWER] = (say("training.not_kept"), why)
    else:
        st.session_state[_KEPT] = (name, training.plan)
        st.session_state[_ANSWER] = (say("training.kept"), say("training.kept_said", name=name))


def _open(name: str, plan: Plan) -> None:
    """Choose a kept checkpoint in the sidebar, with a command that it knows, and open its page."""
    forget_selection()
    st.session_state["checkpoint"] = name
    st.session_state["source"] = shown_pair(plan).source
    st.session_state["target"] = ""
    go_to("attention")
