"""What heads and sublayers give on average: one vector for all positions (Wang et al. 2022)."""

from collections.abc import Mapping
from itertools import islice

import torch
from torch import Tensor

from model.checkpoint import Checkpoint
from model.tokenizer import BOS_ID
from model.traces import named_tensors
from sample_data.tasks import TASKS, load_held_out

_SENTENCES = slice(400, 600)
"""Held-out ones, and not the first, which are looked at otherwise."""


@torch.inference_mode()
def average_outputs(checkpoint: Checkpoint) -> Mapping[str, Tensor]:
    """Average over all positions of held-out sentences, given their right targets.

    Gives, by captured name, (head, d_v) for heads and (d_model) for outputs. Raises ValueError for
    a model whose task has no held-out sentences.
    """
    info, model = checkpoint.info, checkpoint.model
    if info.task not in TASKS:
        raise ValueError("this model's task has no other sentences to average over")
    device = next(model.parameters()).device
    sums: dict[str, Tensor] = {}
    counts: dict[str, int] = {}
    for pair in islice(load_held_out(info.task), _SENTENCES.start, _SENTENCES.stop):
        encoding = info.tokenizers.encode_source(pair.source)
        target = info.tokenizers.encode_target(pair.target, source=encoding).ids[1:-1]
        source = torch.tensor([encoding.ids], device=device)
        trace = model(source, torch.tensor([(BOS_ID, *target)], device=device))
        for name, tensor in named_tensors(trace):
            if name.endswith((".heads", ".output")):
                kept = tensor[0].sum(dim=-2).double()
                sums[name] = sums[name] + kept if name in sums else kept
                counts[name] = counts.get(name, 0) + tensor.size(-2)
    return {name: (total / counts[name]).float().cpu() for name, total in sums.items()}
