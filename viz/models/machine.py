"""The machine that runs the models: its devices, and its memory."""

import functools
import gc

import torch

from viz.models.guest_models import held_names

OUT_OF_MEMORY = (MemoryError, torch.OutOfMemoryError)
"""The errors of a run that does not fit into the memory."""


def devices() -> list[str]:
    """Return the devices that can run a model here, the CPU first."""
    found = ["cpu"]
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return found


def free_memory() -> None:
    """Free unused GPU memory."""
    gc.collect()
    torch.cuda.empty_cache()


@functools.cache
def settle() -> None:
    """Exclude everything loaded so far from garbage collection, once.

    Collecting the modules of torch and other packages takes longer than a run of the script, and a
    user who clicks meanwhile has to wait.
    """
    if held_names():  # the process belongs to someone else, whose objects must be collected
        return
    gc.collect()
    gc.freeze()
