"""The machine that the models run on: its devices, and its memory."""

import functools
import gc

import torch

from viz.models.guest_models import held_names

OUT_OF_MEMORY = (MemoryError, torch.OutOfMemoryError)
"""The errors that are raised if a run does not fit into the memory."""


def devices() -> list[str]:
    """List the devices that can run a model here, the processor first."""
    found = ["cpu"]
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return found


def free_memory() -> None:
    """Free the memory of a GPU that nothing uses."""
    gc.collect()
    torch.cuda.empty_cache()


@functools.cache
def settle() -> None:
    """Exclude everything loaded so far from garbage collection, once.

    Over the modules of torch and the others it takes longer than a run of the script, and whoever
    clicks meanwhile waits for it.
    """
    if held_names():  # the process is someone else's, and what they make is to be collected
        return
    gc.collect()
    gc.freeze()
