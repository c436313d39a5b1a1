"""The controls in the sidebar, which all pages share, and their first values."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.errors import CheckpointError
from sample_data.tasks import TASKS, construction_title
from texts import LANGUAGES, accepted, language_name, say
from viz.address import address
from viz.address.language import LANGUAGE, browser_language
from viz.address.link import forget_selection
from viz.frame import words
from viz.frame.hub_field import OPEN
from viz.frame.link_choices import choose_one
from viz.frame.own_models import show_own_models
from viz.frame.source_texts import FIRST_TEXTS, default_source
from viz.frame.titles import checkpoint_titles
from viz.models import listing, machine, opening
from viz.models.folders import named_model
from viz.pictures import tokens

if TYPE_CHECKING:
    from model.foreign.huggingface import Opened

TASK = "task"
"""Task of the last checkpoint that was run."""
_TEXTS = "texts"
"""The latest source and target of each task."""

_CHECKPOINT = "checkpoint"
_CHECKPOINT_BEFORE = "checkpoint_before"
_ARRIVED = "arrived"
_OWN_MODEL = OPEN
"""The last entry of the list, which is not a checkpoint."""


def take_named() -> None:
    """List the cached model that the link names, or begin with the model of the command line.

    A link with any other parameter is left as it is.
    """
    asked = address.said(_CHECKPOINT)
    is_new = not st.session_state.get(_ARRIVED)
    st.session_state[_ARRIVED] = True
    if asked:
        listing.open_cached(asked)
    elif is_new and set(st.query_params) <= {LANGUAGE}:
        address.put(_CHECKPOINT, named_model())


def choose_checkpoint(names: Sequence[str]) -> str:
    """Let the reader choose a checkpoint by its title; a new one starts at its best head."""
    asked = address.said(_CHECKPOINT)
    if asked is not None and asked not in names:
        st.warning(say("frame.no_such_checkpoint", name=tokens.quoted(asked)))
    key = address.bound(_CHECKPOINT, names[0], names)
    st.session_state[_CHECKPOINT_BEFORE] = st.session_state[key]
    chosen = st.selectbox(
        say("frame.checkpoint"),
        (*names, _OWN_MODEL),
        format_func=(checkpoint_titles(names) | {_OWN_MODEL: say("frame.own_model")}).__getitem__,
        key=key,
        on_change=_follow_checkpoint,
    )
    if st.session_state.pop(_OWN_MODEL, False):
        show_own_models(switch_to)
    return chosen


def switch_to(name: str) -> None:
    """Choose another checkpoint, as its list does; for use as a callback."""
    listing.open_cached(name)
    st.session_state[_CHECKPOINT] = name
    _follow_checkpoint()


def choose_device() -> str:
    """Let the reader choose a device, if there is more than one."""
    found = machine.devices()
    if len(found) == 1:
        return found[0]
    return choose_one(
        say("frame.device"), found, words.DEVICES.__getitem__, key="device", first=found[0]
    )


def choose_language() -> None:
    """Let the reader choose the language of the interface."""
    choose_one(
        say("frame.language"),
        LANGUAGES,
        lambda name: language_name(accepted(name)),
        key=LANGUAGE,
        first=browser_language(),
        is_named=False,
    )


def describe_model(opened: "Opened", title: str, device: str) -> None:
    """Show the name of the model, its size, device and scores."""
    config = opened.info.config
    facts = words.model_facts(
        title,
        layers=(config.n_encoder_layers, config.n_decoder_layers),
        heads=config.n_heads,
        parameters=opened.model.n_parameters,
        device=device,
        precision=opened.model.precision,
    )
    st.html(tokens.note(facts))
    if opened.info.commit:
        st.html(tokens.note(say("frame.own_model_commit", commit=opened.info.commit)))
    if not isinstance(opened, Checkpoint):
        st.html(tokens.note(words.recorded_difference(opened.model.differs)))
    scores = opened.info.scores
    if scores.get("sentences") and "exact_match" in scores:
        kinds = [
            (construction_title(kind["name"]), kind["exact_match"])
            for kind in scores.get("constructions", ())
        ]
        weakest = min(kinds, key=lambda kind: kind[1], default=None)
        said = words.model_scores(scores["exact_match"], scores["sentences"], weakest)
        st.html(tokens.note(said))


def describe_missing(opened: "Opened") -> None:
    """Show which parts of a recorded model ran but were not recorded."""
    if not isinstance(opened, Checkpoint):
        model = opened.model
        for said in words.missing_parts(model.missing, model.layer_numbers):
            st.html(tokens.note(said))


def _follow_checkpoint() -> None:
    """Start a new checkpoint at its best head; start another task at its latest texts.

    Without such texts, an example of another task becomes one of the new task; typed text stays.
    """
    name = st.session_state[_CHECKPOINT]
    if name == _OWN_MODEL:
        st.session_state[_CHECKPOINT] = st.session_state[_CHECKPOINT_BEFORE]
        st.session_state[_OWN_MODEL] = True
        return
    forget_selection()
    try:
        info = opening.read_info(name)
    except CheckpointError:
        return
    latest: dict[str, tuple[str, str]] = st.session_state.setdefault(_TEXTS, {})
    before = st.session_state.get(TASK)
    if before and "source" in st.session_state:
        latest[before] = (st.session_state["source"], st.session_state.get("target", ""))
    if info.task in latest and info.task != before:
        st.session_state["source"], st.session_state["target"] = latest[info.task]
        return
    others = [task for task in TASKS.values() if task.name != info.task]
    examples = {example for task in others for example in (*task.examples, *task.beyond)}
    examples |= set(FIRST_TEXTS.values())
    if st.session_state.get("source") in examples:
        st.session_state["source"] = default_source(info)
        st.session_state["target"] = ""
