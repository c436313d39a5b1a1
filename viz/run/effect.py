"""What the changes of a run did to its output, beside the same run without them."""

from typing import NamedTuple

import torch

from model.decoding import DecodingStep, score
from viz.run.rewording import Stretch, rewording, swaps
from viz.run.view import View, per_view


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
    texts = before.run.text, view.run.text
    written = tuple(step.token for step in before.run.steps)
    if written == tuple(step.token for step in view.run.steps):
        again = view.run.steps
    else:
        source = torch.tensor([view.run.source.ids], device=view.inputs.device)
        with torch.inference_mode():
            again = score(view.model, source, written, edits=view.run.edits)
    return Effect(
        stretches=rewording(*texts),
        changed_words=_count_changed(*texts),
        loss=(mean_loss(before.run.steps), mean_loss(again)),
        entropy=(_mean_entropy(before.run.steps), _mean_entropy(view.run.steps)),
    )


def mean_loss(steps: tuple[DecodingStep, ...]) -> float:
    """Give the mean negative log-probability of the tokens, in nats."""
    return -sum(step.log_probability for step in steps) / len(steps)


def _mean_entropy(steps: tuple[DecodingStep, ...]) -> float:
    return sum(step.entropy for step in steps) / len(steps)


def _count_changed(before: str, after: str) -> int:
    return sum(max(len(old.split()), len(new.split())) for old, new in swaps(before, after))
