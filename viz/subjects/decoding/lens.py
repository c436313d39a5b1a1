"""The logit lens: hidden states of every depth, read as the last (nostalgebraist 2020)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.decoding.distribution import best_first, log_softmax
from model.traces import present

if TYPE_CHECKING:  # only types
    from model.transformer import Transformer


@dataclass(frozen=True, eq=False)
class Lens:
    """The prediction of each depth at each step, and how it ranks the written token."""

    names: tuple[str, ...]
    """The names of the depths: the embedding, then the layers."""
    top_tokens: Int[Tensor, "depth step best"]
    top_probabilities: Float[Tensor, "depth step best"]
    ranks: Int[Tensor, "depth step"]
    """The rank of the written token, which is 1 if the depth would write it."""
    probabilities: Float[Tensor, "depth step"]
    """The probability of the written token."""


@torch.inference_mode()
def read_lens(
    model: "Transformer",
    states: Float[Tensor, "depth step d_model"],
    written: Sequence[int],
    best: int = 5,
) -> Lens:
    """Apply the final norm, if the model has one, and the final projection to states."""
    kept_as = next(
        model.parameters()
    )  # a run's tensors are float32, whatever the model's precision
    tokens = torch.tensor(written)
    best = min(best, model.config.target_vocab_size)
    tops, shares, ranks, probabilities = [], [], [], []
    for state in states:
        logits, _ = model.generate(present(model.decoder).finish(state.to(kept_as)[None]))
        found = log_softmax(logits[0].float().cpu())
        mine = found.gather(1, tokens[:, None])
        order = torch.stack([best_first(row, best) for row in found])
        tops.append(order)
        shares.append(found.gather(1, order).exp())
        ranks.append(_rank(found, mine, tokens))
        probabilities.append(mine[:, 0].exp())
    return Lens(
        names=("embedding", *(f"layer {i}" for i in range(len(states) - 1))),
        top_tokens=torch.stack(tops),
        top_probabilities=torch.stack(shares),
        ranks=torch.stack(ranks),
        probabilities=torch.stack(probabilities),
    )


def _rank(
    found: Float[Tensor, "step target_vocab"],
    mine: Float[Tensor, "step 1"],
    tokens: Int[Tensor, " step"],
) -> Int[Tensor, " step"]:
    """Rank each id from 1: after more probable ids, and after equally probable lower ids."""
    lower = torch.arange(found.size(1)) < tokens[:, None]
    return ((found > mine) | ((found == mine) & lower)).sum(dim=1) + 1
