"""One checkpoint of each variant of a task, and the gradients of deep models, measured once."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from model.presets import PRESETS
from viz.models.own_checkpoints import checkpoint_names, info_of
from viz.run.result_cache import cached
from viz.subjects.variants.gradients import DEEP_LAYERS, gradient_lengths


def checkpoints_by_variant(task: str) -> dict[str, str]:
    """Return the first checkpoint of each variant of a task; broken ones are left out."""
    found: dict[str, str] = {}
    for name in checkpoint_names():
        info = info_of(name)
        if info and info.task == task and info.variant in PRESETS:
            found.setdefault(info.variant, name)
    return {variant: found[variant] for variant in PRESETS if variant in found}


@cached
def deep_gradients() -> Mapping[str, Float[np.ndarray, " layer"]]:
    """Measure the gradients of a new deep decoder, by where its norms stand."""
    return {placement: gradient_lengths(placement, DEEP_LAYERS) for placement in ("post", "pre")}
