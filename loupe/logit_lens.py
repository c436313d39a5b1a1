"""What each depth of a model would say if it were the last: the logit lens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from loupe.effects import TOLD
from loupe.metrics import own, trace_of, words_of
from loupe.native import Opened
from loupe.run import Run
from model.traces import find_tensor, present


@dataclass(frozen=True, eq=False, repr=False)
class Lens:
    """What each depth of a model would say if it were the last."""

    logits: Float[Tensor, "depth row vocab"]
    names: tuple[str, ...]
    """Of the states, as captured, from the embedding on."""
    vocabulary: Callable[[int], str]
    """The text of an id."""

    @property
    def probabilities(self) -> Float[Tensor, "depth row vocab"]:
        """Their softmax."""
        return self.logits.softmax(dim=-1)

    def top(self, count: int = TOLD) -> tuple[tuple[tuple[tuple[str, float], ...], ...], ...]:
        """List for each depth and row the most probable tokens, each with its probability."""
        shares, ids = self.probabilities.topk(count)
        return tuple(
            tuple(
                tuple(zip(map(self.vocabulary, each), some, strict=True))
                for each, some in zip(*pair, strict=True)
            )
            for pair in zip(ids.tolist(), shares.tolist(), strict=True)
        )

    def __repr__(self) -> str:
        last = (rows[-1] for rows in self.top())
        said = (", ".join(f"{token} {share:.3f}" for token, share in found) for found in last)
        pairs = zip(self.names, said, strict=True)
        return "\n".join(("the last row:", *(f"{name}  {each}" for name, each in pairs)))


def lens(model: Opened, run: Run, *, rows: slice | Sequence[int] = slice(None)) -> Lens:
    """Read the state after each layer by the last norm and the generator: the logit lens.

    After nostalgebraist 2020. The last depth gives the logits of the run.

    Args:
        model: That of the run, as in `patch`.
        run: What `loupe.trace` gave, edited or not.
        rows: Positions that are read: all logits of a long text take much memory.

    Raises:
        TypeError: On a model of other kinds.
        LookupError: On a model that predicts nothing.
    """
    whole, trace = own(model), trace_of(run)
    inner, side = whole.model, "target" if trace.decoder else "source"
    stack = present(inner.decoder or inner.encoder)
    reader = "decoder" if trace.decoder else "encoder"
    depths = len(trace.stack_of(side).layers)
    names = (f"{side}_embedding.output", *(f"{reader}.layers.{i}.output" for i in range(depths)))
    with torch.no_grad():
        states = torch.cat([find_tensor(trace, name)[:, rows] for name in names])
        logits, _ = inner.generate(stack.finish(states.to(inner.device)))
    return Lens(logits, names, words_of(whole).token)
