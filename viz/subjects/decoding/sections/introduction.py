"""The opening of the Decoding page: what was written and how, and the first step shown."""

import streamlit as st

from texts import say
from viz.heads.head_roles import word_classes
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.decoding import words
from viz.subjects.decoding.cache import find_path
from viz.subjects.decoding.pictures import Played
from viz.subjects.decoding.strategy import Strategy

_IN_DOUBT = 0.01
"""The probability of the second-best token from which the model counts as hesitating."""


def telling_step(run: Run) -> int:
    """Find the first step to show: where the model hesitates, or else where it writes a pronoun.

    If there is neither, it is the first step that writes. Steps of a prompt and the end of a text
    do not count.
    """
    last = max(0, len(run.steps) - 1)
    steps = run.steps[run.n_prompt : last]
    if not steps:
        return min(run.n_prompt, last)
    second = [step.candidates(2)[1].probability for step in steps]
    best = max(range(len(steps)), key=second.__getitem__)
    if second[best] >= _IN_DOUBT:
        return run.n_prompt + best
    target, classes = run.info.tokenizers.target, word_classes(run.info).target
    pronouns = [i for i, s in enumerate(steps) if classes.get(target.token(s.token)) == "pronoun"]
    return run.n_prompt + (pronouns[-1] if pronouns else 0)


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
        told=telling_step(view.run) - path.n_prompt,
    )
    greedy = None
    if strategy.mode == "Beam":
        other = find_path(view, Strategy(), ())
        ids = other.written
        greedy = words.Greedy(target.decode(ids), other.total, target.tokens(ids))
    said = words.answer(strategy.mode, written, width=strategy.width, greedy=greedy)
    st.html(tokens.question(words.question(prompted=prompted), explained(said)))
