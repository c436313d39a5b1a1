"""The devices that can run a model here, and the precision of its numbers."""

import torch


def find_device(name: str) -> torch.device:
    """Return a device by its name. Raises ValueError if this machine cannot compute on it."""
    try:
        return torch.zeros(1, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"the device must be one that this machine and its torch have, such as cpu, got {name}"
        ) from error


def short_type(dtype: torch.dtype) -> str | None:
    """Name a number type shorter than float32; return None for others."""
    return str(dtype).removeprefix("torch.") if dtype.itemsize < 4 else None
