"""The options of a trace: edits, the comparison with a plain pass, and the tensors to keep."""

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
    """The options of `loupe.trace`, apart from the text."""

    edits: Edits = NO_EDITS
    check: bool | None = None
    """Whether to compare with a plain pass; None to do so in a model's first pass only."""
    keep: Keep = ALL
    record: tuple[str, ...] | None = None
    """Patterns for the ends of paths of modules whose outputs are recorded; None by default."""
    grad: bool = False
    """Whether recorded tensors keep the graph by which torch differentiates."""

    @contextmanager
    def running(self, parameters: Iterable[nn.Parameter]) -> Iterator[None]:
        """Run a model with these parameters, with a graph from its first tensor on or without.

        Restores afterwards whether each parameter requires gradients.
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
