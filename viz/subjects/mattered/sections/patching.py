"""Activation patching with two sentences: which cells of the model carry the difference."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st
from markupsafe import Markup

from model.attribution.patching import Contest, PatchingError
from model.attribution.sublayers import sublayers
from model.transformer import Transformer
from texts import say
from viz.address import history
from viz.address.address import bound, is_unread, open_link
from viz.pictures import tokens
from viz.run.inputs import Inputs
from viz.run.view import View
from viz.subjects.mattered import cache
from viz.subjects.mattered.circuit import find_circuit
from viz.subjects.mattered.kept_changes import as_patch
from viz.subjects.mattered.packing import Pair, lay_out, pack_patching
from viz.subjects.mattered.pictures import PATCHING, asked_cut, show_patching
from viz.subjects.mattered.words import patching as words
from viz.subjects.mattered.work import count_runs, takes_long

OTHER = "other_sentence"
_MADE_FOR = "other_sentence_for"
_REFUSED = "patch_refused"
_ASKED = "texts_to_patch"
_LONGEST = 400
"""The largest number of characters of the other sentence."""


def show_two_sentences(view: View) -> None:
    """Follow the difference between the sentence in view and another one through the model."""
    st.html(tokens.heading(say("mattered.patching")))
    inputs = view.inputs
    if inputs.interventions:
        st.html(tokens.note(say("mattered.without_changes")))
    view = cache.without_changes(view)
    text = type_other(view, say("mattered.other"), cache.suggestion)
    if not text.strip():
        st.html(tokens.note(say("mattered.type_other")))
        return
    try:
        other = cache.encoding_of(view, text)
    except ValueError as error:
        st.html(tokens.notice(say("mattered.cannot_patch"), f"{begun(str(error))}."))
        return
    try:
        which = cache.sentence_contest(view, text)
        if is_worth_asking(view.model, (which,), (inputs.unchanged, text)):
            return
        with st.spinner(say("mattered.patching_now"), show_time=True):
            found = cache.patching(view, text)
    except PatchingError as error:
        st.html(
            tokens.notice(
                say("mattered.cannot_patch"), say("mattered.swap_a_word", why=begun(str(error)))
            )
        )
        return
    pair = Pair(view.run, other, found)
    _show_way(pair)
    show_patching(pack_patching(pair), on_keep_change=partial(_keep, pair, text, inputs))
    if st.session_state.pop(_REFUSED, False):
        st.html(tokens.note(say("mattered.cannot_keep")))


def _show_way(pair: Pair) -> None:
    """Describe what differs, and the path of the difference through the model."""
    run, found = pair.run, pair.found
    differences = found.clean_difference, found.corrupt_difference
    st.html(tokens.note(words.lead(pair.answer, pair.other_answer, differences)))
    attentions = [part for part in sublayers(run.info.config) if part.is_attention]
    circuit = find_circuit(found, attentions)
    said = words.steps(circuit, pair.columns(True), pair.columns(False))
    items = tokens.joined(Markup("<li>{}</li>").format(each) for each in said)
    st.html(Markup('<ol class="mattered-said-list">{}</ol>').format(items))
    st.html(tokens.note(say("mattered.grids_note")))
    if None in found.contest.partners or len(pair.other.ids) != len(run.source.ids):
        st.html(tokens.note(say("mattered.other_length")))


def _keep(pair: Pair, other: str, inputs: Inputs) -> None:
    """Put the other sentence's value of the chosen cell into the run."""
    _, cells = lay_out(pair)
    number = asked_cut(PATCHING, "keep", len(cells))
    if number is None:
        return
    made = as_patch(cells[number], pair.found.contest, other)
    if made is None:
        st.session_state[_REFUSED] = True
    else:
        history.add((made,), inputs)


def type_other(view: View, label: str, suggestion: Callable[[View], str]) -> str:
    """Let the reader type another sentence; each new sentence above suggests one that fits it."""
    if st.session_state.get(_MADE_FOR) != view.inputs and not is_unread(OTHER):
        open_link({OTHER: None})
    st.session_state[_MADE_FOR] = view.inputs
    key = bound(OTHER, suggestion(view)[:_LONGEST], longest=_LONGEST)
    return st.text_input(label, key=key, max_chars=_LONGEST)


def is_worth_asking(model: Transformer, contests: Sequence[Contest], what: object) -> bool:
    """Offer to run a large model so often; return whether the reader still has to ask for it.

    Args:
        model: The patched model.
        contests: The pairs.
        what: The name of the request; once it is made, it is not offered again.
    """
    if not takes_long(model, contests) or st.session_state.get(_ASKED) == what:
        return False
    place = st.empty()
    runs = count_runs(model, contests)
    if not place.button(say("mattered.run_it", count=runs), key="patch_texts"):
        return True
    place.empty()
    st.session_state[_ASKED] = what
    return False


def begun(text: str) -> str:
    """Return a text as a sentence begins."""
    return f"{text[0].upper()}{text[1:]}"
