"""What the changes of a run did to its output, beside the same run without them."""

from difflib import SequenceMatcher
from typing import Literal, NamedTuple

import torch

from model.decoding import DecodingStep, score
from viz.run.view import View, per_view


class Stretch(NamedTuple):
    """Words that stand beside each other in one of two texts or in both."""

    state: Literal["same", "gone", "new"]
    text: str


class Effect(NamedTuple):
    """A run beside itself without its changes."""

    stretches: tuple[Stretch, ...]
    """Both texts, written over one another."""
    changed_words: int
    """Words that only one of the texts has; a word that took another's place counts once."""
    loss: tuple[float, float]
    """Of a token of the text that was written without the changes, in nats: before and after."""
    entropy: tuple[float, float]
    """Of the choice of a token, on average over what each run itself wrote, in nats."""


@per_view
def effect(view: View, before: View) -> Effect:
    """Hold the run in view beside the same one without its changes."""
    stretches = compare_words(before.run.text, view.run.text)
    written = tuple(step.token for step in before.run.steps)
    if written == tuple(step.token for step in view.run.steps):
        again = view.run.steps
    else:
        source = torch.tensor([view.run.source.ids], device=view.inputs.device)
        with torch.inference_mode():
            again = score(view.model, source, written, edits=view.run.edits)
    return Effect(
        stretches=stretches,
        changed_words=_count_changed(stretches),
        loss=(mean_loss(before.run.steps), mean_loss(again)),
        entropy=(_mean_entropy(before.run.steps), _mean_entropy(view.run.steps)),
    )


def compare_words(before: str, after: str) -> tuple[Stretch, ...]:
    """Write two texts over one another: what both have, what is gone and what is new."""
    a, b = before.split(), after.split()
    found: list[Stretch] = []
    for what, i, j, k, m in SequenceMatcher(a=a, b=b, autojunk=False).get_opcodes():
        if what == "equal":
            found.append(Stretch("same", " ".join(a[i:j])))
            continue
        if i < j:
            found.append(Stretch("gone", " ".join(a[i:j])))
        if k < m:
            found.append(Stretch("new", " ".join(b[k:m])))
    return tuple(found)


def mean_loss(steps: tuple[DecodingStep, ...]) -> float:
    """Give the mean negative log-probability of the tokens, in nats."""
    return -sum(step.log_probability for step in steps) / len(steps)


def _mean_entropy(steps: tuple[DecodingStep, ...]) -> float:
    return sum(step.entropy for step in steps) / len(steps)


def _count_changed(stretches: tuple[Stretch, ...]) -> int:
    changed, gone = 0, 0
    for state, text in stretches:
        words = len(text.split())
        if state == "new":
            changed += max(0, words - gone)
            gone = 0
        else:
            gone = words if state == "gone" else 0
            changed += gone
    return changed
