"""What a model's folder says of how it writes, beside the numbers that the model gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from model.files.json_fields import shorten


@dataclass(frozen=True)
class WritingRules:
    """Which tokens may be written where."""

    first: int | None = None
    """The one that every text begins with, after the start token."""
    never: tuple[int, ...] = ()
    """Those that no text has."""

    def allowed(
        self, scores: Float[Tensor, "*rows vocab"], index: int
    ) -> Float[Tensor, "*rows vocab"]:
        """Return the scores of the tokens that may be written at a step, and minus infinity else.

        As in transformers, the one that must be written has the score 0.
        """
        if self.first is not None and index == 0:
            scores = torch.full_like(scores, -torch.inf)
            scores[..., self.first] = 0
        elif self.never:
            scores = scores.clone()
            scores[..., list(self.never)] = -torch.inf
        return scores


NO_RULES = WritingRules()


def read_rules(said: Mapping[str, Any], *, vocab_size: int) -> WritingRules:
    """Read them as transformers does, from generation_config.json, or config.json without one.

    Raises ValueError, in a sentence, on those that are not followed here.
    """
    first, banned = said.get("forced_bos_token_id"), said.get("bad_words_ids") or []
    ends = said.get("eos_token_id")
    ends = ends if isinstance(ends, list) else [ends]
    is_list = isinstance(banned, list) and all(
        isinstance(ids, list) and len(ids) == 1 and _is_id(ids[0], vocab_size) for ids in banned
    )
    if not is_list:
        raise ValueError(
            "bad_words_ids must list single tokens, each in a list of its own, to be followed, "
            f"got {shorten(banned)}"
        )
    if first is not None and not _is_id(first, vocab_size):
        raise ValueError(f"forced_bos_token_id must be the id of one token, got {shorten(first)}")
    return WritingRules(first, tuple(id for (id,) in banned if id not in ends))


def _is_id(value: object, vocab_size: int) -> bool:
    return type(value) is int and 0 <= value < vocab_size
