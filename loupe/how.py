"""How a model is traced: what is changed, compared and kept."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import nn

from model.edits import NO_EDITS, Edits
from model.foreign.recording.keeping import ALL, Keep
from model.foreign.recording.shared_settings import Held


@dataclass(frozen=True)
class How:
    """What `loupe.trace` is asked for beside a text."""

    edits: Edits = NO_EDITS
    check: bool | None = None
    """Whether a plain pass is compared; None where the first pass of a model alone is."""
    keep: Keep = ALL
    record: tuple[str, ...] | None = None
    """Patterns of ends of paths: what such modules give is recorded. None where nobody chose."""
    grad: bool = False
    """Whether what is recorded keeps the graph by which torch differentiates."""

    @contextmanager
    def running(self, parameters: Iterable[nn.Parameter]) -> Iterator[None]:
        """Let a model of these parameters run: with a graph from its first tensor on, or without.

        Whether they require gradients is put back after.
        """
        if not self.grad:
            with torch.no_grad():
                yield
            return
        learned = [each for each in parameters if each.is_floating_point()]
        with (
            torch.inference_mode(mode=False),
            torch.enable_grad(),
            _requiring.each(learned, "requires_grad", new=True),
        ):
            yield


_requiring = Held()
