"""Spoils one function of the app as it is imported: Python runs this before the app's own code.

The folder of this file is put on the path of the server's process by `audit.planted`, which names
the fault in the environment. Nothing in the app reads that name or knows of this.
"""

import os
import sys
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

Wrapper = Callable[..., Any]


def _axes(encode: Wrapper) -> Wrapper:
    """Queries for keys: each square matrix is sent transposed."""

    def wrong(weights: Any, mask: Any) -> Any:  # noqa: ANN401 - whatever the app passes
        square = weights.shape[-1] == weights.shape[-2]
        return encode(weights.swapaxes(-1, -2), mask.T) if square else encode(weights, mask)

    return wrong


def _heads(encode: Wrapper) -> Wrapper:
    """The last head for the first."""
    return lambda weights, mask: encode(weights[::-1] if weights.ndim == 3 else weights, mask)


def _row_sum(encode: Wrapper) -> Wrapper:
    """Rows that sum to .98."""
    return lambda weights, mask: encode(weights * 0.98, mask)


def _no_scale(of_config: property) -> property:
    """Scores that are not divided by the square root of d_k."""
    del of_config
    return property(lambda _: 1.0)


def _probabilities(pack: Wrapper) -> Wrapper:
    """Each probability under the token of the step before."""

    def wrong(*inputs: Any, **named: Any) -> Any:  # noqa: ANN401
        parcel = pack(*inputs, **named)
        meta = parcel.data["meta"]
        meta["probabilities"] = [*meta["probabilities"][1:], *meta["probabilities"][:1]]
        return parcel

    return wrong


def _nats(spread: Wrapper) -> Wrapper:
    """Entropy in nats under the name of bits."""

    def wrong(*inputs: Any) -> Any:  # noqa: ANN401
        found = spread(*inputs)
        return found | {"entropy": found["entropy"] * 0.6931471805599453}

    return wrong


def _other_head(all_heads: Wrapper) -> Wrapper:
    """A file of one head with the numbers of its neighbour."""

    def wrong(*inputs: Any) -> Any:  # noqa: ANN401
        import numpy as np

        return np.roll(all_heads(*inputs), 1, axis=1)

    return wrong


_FAULTS: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "axes": ("viz.run.codes", "encode_weights", _axes),
    "heads": ("viz.run.codes", "encode_weights", _heads),
    "row sum": ("viz.run.codes", "encode_weights", _row_sum),
    "scale": ("model.config", "TransformerConfig.scale", _no_scale),
    "probabilities": ("viz.run.parcel", "pack_run", _probabilities),
    "unit": ("viz.run.head_summary", "_spread", _nats),
    "export": ("viz.frame.saving", "all_heads", _other_head),
}
"""By its name: the module, what of it, and what makes it wrong."""


class _Spoiler(MetaPathFinder, Loader):
    def __init__(self, module: str, name: str, spoil: Callable[[Any], Any]) -> None:
        self.module, self.name, self.spoil = module, name, spoil

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:  # noqa: ANN401, ARG002
        if fullname != self.module:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is None or spec.loader is None:
            return None
        self.loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        *path, last = self.name.split(".")
        holder: Any = module
        for part in path:
            holder = getattr(holder, part)
        setattr(holder, last, self.spoil(vars(holder)[last]))


if (_named := os.environ.get("AUDIT_PLANTED")) in _FAULTS:
    sys.meta_path.insert(0, _Spoiler(*_FAULTS[_named]))
