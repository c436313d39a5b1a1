"""Fingerprints of models: short texts that differ if the weights do."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

_SAMPLED = 8
"""Places sampled along each axis of a weight, or up to twice as many."""
_State = tuple[tuple[int, int], ...]
_known: WeakKeyDictionary[Any, tuple[_State, str]] = WeakKeyDictionary()


def fingerprint(model: Any) -> str:  # noqa: ANN401 - whatever has parameters
    """Compute a text that differs between models with different weights, from samples of them.

    It is computed once, and again when torch has changed a weight in place.
    """
    weights = [each.detach() for each in model.parameters() if not each.is_meta]
    state = tuple((each.data_ptr(), _version(each)) for each in weights)
    known = _known.get(model)
    if known is None or known[0] != state:
        known = state, _computed(weights)
        _known[model] = known
    return known[1]


def _version(weight: Tensor) -> int:
    return 0 if weight.is_inference() else weight._version


def _computed(weights: Iterable[Tensor]) -> str:
    digest = hashlib.blake2b(digest_size=12)
    with torch.inference_mode(mode=False), torch.no_grad():
        for shape, sample in _samples(weights):
            digest.update(repr(shape).encode())
            digest.update(sample.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _samples(weights: Iterable[Tensor]) -> Iterator[tuple[tuple[int, ...], Tensor]]:
    for weight in weights:
        places = tuple(slice(None, None, max(1, size // _SAMPLED)) for size in weight.shape)
        sample = weight[places].reshape(-1)
        wide = torch.view_as_real(sample) if sample.is_complex() else sample
        yield tuple(weight.shape), wide.float()
