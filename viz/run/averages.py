"""What heads and sublayers give on average: one vector for all positions (Wang et al. 2022)."""

import torch
from torch import Tensor

from model.attribution.cuts import Means, Part, mean_outputs
from model.attribution.text_ablation import mean_heads
from model.checkpoints.checkpoint import Checkpoint
from model.config import TransformerConfig
from model.text.corpus import make_example
from sample_data.atlas import MEAN_FIRST, MEAN_LAST
from sample_data.one_text.tasks import TEXT_TASKS, load_held_out_texts
from sample_data.one_text.training import encode_texts
from sample_data.tasks import TASKS, load_held_out
from texts import say


def average_outputs(checkpoint: Checkpoint) -> Means:
    """Average over held-out sentences, given their right targets, and all positions of them.

    Raises ValueError for a model whose task has no such sentences.
    """
    info = checkpoint.info
    if task := TEXT_TASKS.get(info.task):
        texts = load_held_out_texts(info.task)[MEAN_FIRST:MEAN_LAST]
        vocabulary = info.tokenizers.target.vocabulary
        return mean_heads(checkpoint.model, encode_texts(texts, task, vocabulary))
    if info.task not in TASKS:
        raise ValueError(say("run.no_average"))
    pairs = load_held_out(info.task)[MEAN_FIRST:MEAN_LAST]
    examples = [make_example(info.tokenizers, pair.source, pair.target) for pair in pairs]
    return mean_outputs(checkpoint.model, examples)


def average_of(means: Means, config: TransformerConfig, name: str) -> Tensor:
    """Return the average of a captured tensor: (head, d_v) of heads, (d_model) of an output."""
    sublayer, _, last = name.rpartition(".")
    if last == "heads":
        return torch.stack([means[Part(sublayer, head)] for head in range(config.n_heads)])
    return means[Part(sublayer)]
