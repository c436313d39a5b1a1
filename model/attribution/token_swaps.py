"""What a row loses where other tokens are put in the place of one."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from model.attribution.passes import Pass


@torch.inference_mode()
def swapped(asked: Pass, others: Sequence[Sequence[int]]) -> Float[Tensor, "row source"]:
    """Put other tokens in place of each, and take the mean of what each of them costs.

    In nats, the log-probability of the token that the row writes with the source as it is, less the
    one with another token: above 0 where the token helped.

    Args:
        asked: The rows.
        others: For each source position the ids to put there; NaN where there are none.
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
