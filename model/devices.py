"""The devices that can run a model here, and in which numbers it computes."""

import torch


def find_device(name: str) -> torch.device:
    """Return a device by its name. Raises ValueError where nothing can be computed on it here."""
    try:
        return torch.zeros(1, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"the device must be one that this machine and its torch have, such as cpu, got {name}"
        ) from error


def short_type(dtype: torch.dtype) -> str | None:
    """Name a type of numbers that is shorter than float32; None where it is not."""
    return str(dtype).removeprefix("torch.") if dtype.itemsize < 4 else None
