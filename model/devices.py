"""The devices that can run a model here."""

import torch


def find_device(name: str) -> torch.device:
    """Return a device by its name. Raises ValueError where nothing can be computed on it here."""
    try:
        return torch.zeros(1, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"the device must be one that this machine and its torch have, such as cpu, got {name}"
        ) from error
