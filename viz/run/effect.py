"""The effect of a run's changes on its output, compared with the same run without them."""

from typing import NamedTuple

import torch

from model.decoding.greedy import score
from model.decoding.steps import DecodingStep, steps_of
from model.traces import present
from viz.run.text_diff import Stretch, rewording, swaps
from viz.run.view import View, per_view


class Effect(NamedTuple):
    """A run compared with the same run without its changes."""

    stretches: tuple[Stretch, ...]
    """Both texts, merged into one."""
    changed_words: int
    """Words that only one of the texts has; a word and its replacement count once."""
    loss: tuple[float, float] | None
    """Mean loss of the tokens that were written without the changes, in nats: before and after. For
    a model that only reads, of the tokens that it predicted at each place; None if it does not
    predict."""
    entropy: tuple[float, float] | None
    """Mean entropy of the choice of a token, over the text that each run wrote itself, in nats."""


@per_view
def effect(view: View, before: View) -> Effect:
    """Compare the run in view with the same run without its changes."""
    texts = before.run.text, view.run.text
    if not before.run.steps:
        return _of_reading(view, before)
    was, now = (run.steps[run.n_prompt :] for run in (before.run, view.run))
    return Effect(
        stretches=rewording(*texts),
        changed_words=_count_changed(*texts),
        loss=(mean_loss(was), mean_loss(_again(view, before))) if was else None,
        entropy=(_mean_entropy(was), _mean_entropy(now)) if was and now else None,
    )


def _of_reading(view: View, before: View) -> Effect:
    """Compare the predictions at each place of a model that only reads with those before."""
    ours, theirs = _guesses(view), _guesses(before)
    if not theirs or not ours:
        return Effect((), 0, None, None)
    ids = [step.token for step in theirs]
    again = steps_of(_logits(view), ids)
    decode = view.run.info.tokenizers.source.decode
    texts = decode(ids), decode([step.token for step in ours])
    return Effect(
        stretches=rewording(*texts),
        changed_words=_count_changed(*texts),
        loss=(mean_loss(theirs), mean_loss(again)),
        entropy=(_mean_entropy(theirs), _mean_entropy(ours)),
    )


def _guesses(view: View) -> tuple[DecodingStep, ...]:
    if view.run.trace.logits is None:
        return ()
    logits = _logits(view)
    return steps_of(logits, logits.argmax(dim=-1).tolist())


def _logits(view: View) -> torch.Tensor:
    return present(view.run.trace.logits)[0].float()


def _again(view: View, before: View) -> tuple[DecodingStep, ...]:
    """Return the steps of the changed model for the text that was written without the changes."""
    run, ids = view.run, before.run.target_ids
    if ids == run.target_ids:
        return run.steps[run.n_prompt :]
    source = None
    if run.info.config.has_encoder:
        source = torch.tensor([run.source.ids], device=view.model.device)
    with torch.inference_mode():
        steps = score(view.model, source, ids[1:], bos_id=ids[0], edits=run.edits)
    return steps[before.run.n_prompt :]


def mean_loss(steps: tuple[DecodingStep, ...]) -> float:
    """Return the mean negative log-probability of the tokens, in nats."""
    return -sum(step.log_probability for step in steps) / len(steps)


def _mean_entropy(steps: tuple[DecodingStep, ...]) -> float:
    return sum(step.entropy for step in steps) / len(steps)


def _count_changed(before: str, after: str) -> int:
    return sum(max(len(old.split()), len(new.split())) for old, new in swaps(before, after))
