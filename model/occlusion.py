"""What a row loses where one source token is taken away, or another put in its place.

Each gives, in nats, the log-probability of the token that the row writes with the whole source,
less the one without: above 0 where the token helped.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.passes import TOKENS, Pass
from model.tokenizer import UNK_ID


@torch.inference_mode()
def zeroed(asked: Pass) -> Float[Tensor, "row source"]:
    """Put zeros in place of each embedding (Zeiler & Fergus 2014, 1311.2901); positions stay."""
    whole, tokens = _whole(asked), asked.embedded()

    def without(places: Int[Tensor, " place"]) -> Float[Tensor, "place row"]:
        changed = tokens * _others(asked, places)[..., None]
        sources = asked.source.expand(len(places), -1)
        return asked.log_probabilities(sources, {TOKENS: lambda _: changed})

    return (whole - torch.cat([without(some) for some in _places(asked)])).T


@torch.inference_mode()
def hidden(asked: Pass) -> Float[Tensor, "row source"]:
    """Hide each token from every row of encoder and decoder, as padding is hidden.

    NaN where it is the only token and the variant masks with minus infinity: nothing is left.
    """
    whole, config = _whole(asked), asked.model.config
    attentions = (
        *(f"encoder.layers.{i}.self_attn" for i in range(config.n_encoder_layers)),
        *(f"decoder.layers.{i}.cross_attn" for i in range(config.n_decoder_layers)),
    )

    def without(places: Int[Tensor, " place"]) -> Float[Tensor, "place row"]:
        open_keys = _others(asked, places)[:, None]
        edits = {f"{name}.mask": lambda mask: mask & open_keys for name in attentions}
        return asked.log_probabilities(asked.source.expand(len(places), -1), edits)

    return (whole - torch.cat([without(some) for some in _places(asked)])).T


@torch.inference_mode()
def unknown(asked: Pass, unk_id: int = UNK_ID) -> Float[Tensor, "row source"]:
    """Put `<unk>` in place of each token."""
    sources = asked.source.repeat(len(asked.source), 1).fill_diagonal_(unk_id)
    return _drop(asked, sources)


@torch.inference_mode()
def deleted(asked: Pass) -> Float[Tensor, "row source"]:
    """Leave each token out, so that those after it move up; NaN where it is the only one."""
    length = len(asked.source)
    if length == 1:
        return torch.full((len(asked.rows), 1), torch.nan, device=asked.source.device)
    others = _others(asked, torch.arange(length, device=asked.source.device))
    return _drop(asked, asked.source.repeat(length, 1)[others].view(length, length - 1))


@torch.inference_mode()
def swapped(asked: Pass, others: Sequence[Sequence[int]]) -> Float[Tensor, "row source"]:
    """Put other tokens in place of each, and take the mean of what each of them costs.

    Args:
        asked: The rows.
        others: For each source position the ids to put there; NaN where there are none.
    """
    found = _whole(asked).new_full((len(asked.rows), len(asked.source)), torch.nan)
    places = [place for place, ids in enumerate(others) for _ in ids]
    if not places:
        return found
    sources = asked.source.repeat(len(places), 1)
    ids = asked.source.new_tensor([id for chosen in others for id in chosen])
    sources[range(len(places)), places] = ids
    drops, at = _drop(asked, sources), torch.tensor(places, device=found.device)
    for place in set(places):
        found[:, place] = drops[:, at == place].mean(dim=1)
    return found


def _whole(asked: Pass) -> Float[Tensor, "1 row"]:
    return asked.log_probabilities(asked.source[None])


def _places(asked: Pass) -> tuple[Int[Tensor, " place"], ...]:
    places = torch.arange(len(asked.source), device=asked.source.device)
    return places.split(asked.most_at_once)


def _others(asked: Pass, places: Int[Tensor, " place"]) -> Bool[Tensor, "place source"]:
    """Give True at each position but one, for each of these."""
    return torch.arange(len(asked.source), device=places.device) != places[:, None]


def _drop(asked: Pass, sources: Int[Tensor, "changed any_source"]) -> Float[Tensor, "row changed"]:
    parts = [asked.log_probabilities(some) for some in sources.split(asked.most_at_once)]
    return (_whole(asked) - torch.cat(parts)).T
