"""Values that interventions take from elsewhere: from other runs, and averages over many runs."""

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
    """Return a function that gives interventions the values that they need.

    Args:
        config: The config of the model.
        averages: Returns the mean outputs of heads and sublayers.
        run: Returns the unchanged run of another source; for an empty one, the run in question.
    """

    def give(intervention: Intervention, name: str) -> Tensor:
        if intervention.kind == "mean":
            return average_of(averages(), config, name)
        return find_tensor(run(intervention.origin).trace, name)

    return give


def material(checkpoint: Checkpoint, text: str, target: str = "") -> Material:
    """Return the values that interventions in the run of a text need, computed on request."""

    def run(origin: str) -> Run:
        return make_run(checkpoint, origin) if origin else make_run(checkpoint, text, target=target)

    return material_of(checkpoint.info.config, lambda: average_outputs(checkpoint), run)


def average_of(means: Means, config: TransformerConfig, name: str) -> Tensor:
    """Return the mean of a captured tensor: (head, d_v) for heads, (d_model) for an output."""
    sublayer, _, last = name.rpartition(".")
    if last == "heads":
        return torch.stack([means[Part(sublayer, head)] for head in range(config.n_heads)])
    return means[Part(sublayer)]
