"""The average outputs of the heads and sublayers of a model over held-out sentences."""

from collections.abc import Hashable

from model.attribution.cuts import Means, mean_outputs
from model.checkpoints.checkpoint import Checkpoint
from model.text.corpus import make_example
from sample_data.one_text.tasks import TEXT_TASKS, load_held_out_texts
from sample_data.one_text.training import encode_texts
from sample_data.tasks import TASKS, load_held_out
from texts import say
from viz.run.inputs import Stamp
from viz.run.result_cache import cached

_MEAN_FIRST, _MEAN_LAST = 400, 700
"""Held-out sentences for the averages; pages show other ones."""


def average_outputs(checkpoint: Checkpoint) -> Means:
    """Average the outputs of heads and sublayers, over sentences and positions (Wang et al. 2022).

    The sentences are held out, with their correct targets given.

    Raises ValueError for a model whose task has no such sentences.
    """
    info = checkpoint.info
    if task := TEXT_TASKS.get(info.task):
        texts = load_held_out_texts(info.task)[_MEAN_FIRST:_MEAN_LAST]
        vocabulary = info.tokenizers.target.vocabulary
        return mean_outputs(checkpoint.model, encode_texts(texts, task, vocabulary))
    if info.task not in TASKS:
        raise ValueError(say("run.no_average"))
    pairs = load_held_out(info.task)[_MEAN_FIRST:_MEAN_LAST]
    examples = [make_example(info.tokenizers, pair.source, pair.target) for pair in pairs]
    return mean_outputs(checkpoint.model, examples)


def _averages(checkpoint: Checkpoint, _stamp: Stamp) -> Means:
    return average_outputs(checkpoint)


def _key(checkpoint: Checkpoint, _stamp: Stamp) -> Hashable:
    return _stamp, str(checkpoint.model.device)


averages = cached(_averages, _key)
"""Return the averages, once for each stamp of a model. Raises ValueError as `average_outputs`."""
