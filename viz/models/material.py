"""What an intervention puts in place that is from elsewhere: other runs, and averages over many."""

from collections.abc import Callable

import torch
from torch import Tensor

from model.attribution.cuts import Means
from model.attribution.sublayers import Part
from model.checkpoints.checkpoint import Checkpoint
from model.config import TransformerConfig
from model.interventions.kinds import Intervention, Material
from model.traces import find_tensor
from viz.models.averages import average_outputs
from viz.run.making import make_run
from viz.run.record import Run


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


def average_of(means: Means, config: TransformerConfig, name: str) -> Tensor:
    """Return the average of a captured tensor: (head, d_v) of heads, (d_model) of an output."""
    sublayer, _, last = name.rpartition(".")
    if last == "heads":
        return torch.stack([means[Part(sublayer, head)] for head in range(config.n_heads)])
    return means[Part(sublayer)]
