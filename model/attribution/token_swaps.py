"""The loss of a row when other tokens replace one of the source."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from model.attribution.passes import Pass


@torch.inference_mode()
def swapped(asked: Pass, others: Sequence[Sequence[int]]) -> Float[Tensor, "row source"]:
    """Replace each source token by other tokens, and average the cost.

    The cost is the log-probability, in nats, of the token that the row writes with the original
    source, minus the one with the replacement. It is above 0 if the original token helped.

    Args:
        asked: The rows.
        others: For each source position, the ids of the replacements; the result is NaN if there
            are none.
    """
    whole = asked.log_probabilities(asked.source[None])
    found = whole.new_full((len(asked.rows), len(asked.source)), torch.nan)
    places = [place for place, ids in enumerate(others) for _ in ids]
    if not places:
        return found
    sources = asked.source.repeat(len(places), 1)
    ids = asked.source.new_tensor([id for chosen in others for id in chosen])
    sources[range(len(places)), places] = ids
    parts = [asked.log_probabilities(some) for some in sources.split(asked.most_at_once)]
    drops, at = (whole - torch.cat(parts)).T, torch.tensor(places, device=found.device)
    for place in set(places):
        found[:, place] = drops[:, at == place].mean(dim=1)
    return found
