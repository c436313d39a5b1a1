"""How the page opens: what was written and how, and sentences on which other ways differ."""

import streamlit as st

from texts import say, say_of
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.view import View
from viz.subjects.decoding import words
from viz.subjects.decoding.cache import find_path, found_examples
from viz.subjects.decoding.choices import begin_with
from viz.subjects.decoding.pictures import Played
from viz.subjects.decoding.strategy import Strategy


def show_answer(view: View, strategy: Strategy, played: Played) -> None:
    """Answer how the sentence is written, by the strategy's own path."""
    target, path = view.run.info.tokenizers.target, played.base
    steps = path.steps[path.n_prompt :]
    if not steps:
        said = explained(say("decoding.only_read", count=len(path.steps) + 1))
        st.html(tokens.question(words.question(prompted=True), said))
        return
    prompted = not view.run.info.config.has_encoder
    written = words.Written(
        text=target.decode(path.written),
        tokens=target.tokens(path.written),
        probabilities=[step.probabilities[step.token].item() for step in steps],
        ranks=[step.rank for step in steps],
        total=path.total,
        vocabulary=len(path.steps[0].logits),
        first=path.n_prompt,
        prompted=prompted,
    )
    greedy = None
    if strategy.mode == "Beam":
        other = find_path(view, Strategy(), ())
        ids = other.written
        greedy = words.Greedy(target.decode(ids), other.total, target.tokens(ids))
    said = words.answer(strategy.mode, written, width=strategy.width, greedy=greedy)
    st.html(tokens.question(words.question(prompted=prompted), explained(said)))


def offer_examples(view: View) -> None:
    """Offer sentences on which beam search finds more, or a sample goes astray."""
    if not view.run.anatomy.translates:
        return
    found = found_examples(view)
    if found is None:
        if view.run.info.task:  # of a model of others nobody could have
            st.html(tokens.note(say("decoding.not_searched", checkpoint=view.inputs.checkpoint)))
        return
    settings = {"beam_width": found.width, "length_penalty": found.length_penalty}
    with st.container(horizontal=True, gap="small", key="decoding_examples"):
        for sort, mode, widgets in (("beam", "Beam", settings), ("sampling", "Sampling", {})):
            for example in getattr(found, sort)[:1]:
                said = say_of("decoding.example", sort, source=words.shortened(example.source))
                st.button(
                    tokens.markdown(said),
                    key=f"decoding_{sort}_example",
                    on_click=begin_with(example.source, mode, **widgets),
                )
    for sort in ("beam", "sampling"):
        if not getattr(found, sort):
            st.html(tokens.note(say_of("decoding.none_found", sort, searched=found.searched)))
