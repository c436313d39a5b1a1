"""What an intervention puts in place that is from elsewhere: other runs, and averages over many."""

from collections.abc import Callable

import torch
from torch import Tensor

from model.attribution.cuts import Means, Part, mean_outputs
from model.checkpoints.checkpoint import Checkpoint
from model.config import TransformerConfig
from model.interventions.kinds import Intervention, Material
from model.text.corpus import make_example
from model.traces import find_tensor
from sample_data.one_text.tasks import TEXT_TASKS, load_held_out_texts
from sample_data.one_text.training import encode_texts
from sample_data.tasks import TASKS, load_held_out
from texts import say
from viz.run.making import make_run
from viz.run.record import Run

_MEAN_FIRST, _MEAN_LAST = 400, 700
"""Held-out sentences over which outputs are averaged: not those of which pages show something."""


def material_of(
    config: TransformerConfig, averages: Callable[[], Means], run: Callable[[str], Run]
) -> Material:
    """Return what interventions need.

    Args:
        config: Of the model.
        averages: Gives what heads and sublayers give on average.
        run: Gives the unchanged run of another source; of an empty one, the run in question.
    """

    def give(intervention: Intervention, name: str) -> Tensor:
        if intervention.kind == "mean":
            return average_of(averages(), config, name)
        return find_tensor(run(intervention.origin).trace, name)

    return give


def material(checkpoint: Checkpoint, text: str, target: str = "") -> Material:
    """Return what interventions in the run of a text need, computed when it is asked for."""

    def run(origin: str) -> Run:
        return make_run(checkpoint, origin) if origin else make_run(checkpoint, text, target=target)

    return material_of(checkpoint.info.config, lambda: average_outputs(checkpoint), run)


def average_outputs(checkpoint: Checkpoint) -> Means:
    """Average what heads and sublayers give, over sentences and positions (Wang et al. 2022).

    The sentences are held out, and given their right targets.

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


def average_of(means: Means, config: TransformerConfig, name: str) -> Tensor:
    """Return the average of a captured tensor: (head, d_v) of heads, (d_model) of an output."""
    sublayer, _, last = name.rpartition(".")
    if last == "heads":
        return torch.stack([means[Part(sublayer, head)] for head in range(config.n_heads)])
    return means[Part(sublayer)]
