"""One source and one finished target, run again and again with something changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.edits import NO_EDITS, Bypass, Edit, Edits, InTurn
from model.traces import present
from model.transformer import Transformer

TOKENS = "source_embedding.tokens"
_MOST_CELLS = 400_000
"""Cells of one head's attention in a batch, which bounds the memory of a pass."""


@dataclass(frozen=True, eq=False)
class Pass:
    """What is run, and the rows of the decoder that are asked about."""

    model: Transformer
    """In eval mode, else dropout acts."""
    source: Int[Tensor, " source"]
    target: Int[Tensor, " target_and_last"]
    """From `<s>` on. Row t reads ids 0 to t and writes id t + 1."""
    rows: tuple[int, ...]
    edits: Edits = NO_EDITS
    """In force in every pass."""

    @classmethod
    def of(
        cls,
        model: Transformer,
        source: Sequence[int],
        target: Sequence[int],
        rows: Sequence[int] | None = None,
        edits: Edits = NO_EDITS,
    ) -> "Pass":
        """Ask about some rows, or about all. Raises ValueError on rows that are not there."""
        device = model.device
        there = range(len(target) - 1)
        chosen = tuple(there if rows is None else rows)
        if not chosen or not set(chosen) <= set(there):
            raise ValueError(f"rows must be among 0 to {len(there) - 1}, got {chosen}")
        source_ids, target_ids = (torch.tensor([*ids], device=device) for ids in (source, target))
        return cls(model, source_ids, target_ids, chosen, edits)

    @property
    def written(self) -> Int[Tensor, " row"]:
        """Give the ids that the rows write."""
        return self.target[[row + 1 for row in self.rows]]

    @property
    def most_at_once(self) -> int:
        """Give how many sentences a batch may have."""
        return max(1, _MOST_CELLS // (len(self.source) + len(self.target)) ** 2)

    def logits(
        self, sources: Int[Tensor, "batch any_source"], edits: Mapping[str, Edit] | None = None
    ) -> Float[Tensor, "batch row target_vocab"]:
        """Run several sources with the one target. What is edited more comes after `self.edits`."""
        targets = self.target[:-1].expand(len(sources), -1)
        found = self.model(sources, targets, edits=self._with(edits or {})).logits
        return found[:, list(self.rows)]

    def log_probabilities(
        self, sources: Int[Tensor, "batch any_source"], edits: Mapping[str, Edit] | None = None
    ) -> Float[Tensor, "batch row"]:
        """Give the log-probability, in nats, of the token that each row writes."""
        return self._of_written(self.logits(sources, edits).log_softmax(dim=-1))

    def logits_above_mean(
        self, sources: Int[Tensor, "batch any_source"], edits: Mapping[str, Edit] | None = None
    ) -> Float[Tensor, "batch row"]:
        """Give the logit of the token that each row writes, less the mean of its row."""
        logits = self.logits(sources, edits)
        return self._of_written(logits) - logits.mean(dim=-1)

    def embedded(self) -> Float[Tensor, "source d_model"]:
        """Give the embeddings of the source as they are summed with positions."""
        with torch.no_grad():
            edits = self.edits.part("source_embedding")
            embed = present(self.model.source_embedding)
            return embed(self.source[None], edits=edits).tokens[0]

    def _of_written(
        self, values: Float[Tensor, "batch row target_vocab"]
    ) -> Float[Tensor, "batch row"]:
        return values[:, torch.arange(len(self.rows)), self.written]

    def _with(self, others: Mapping[str, Edit]) -> Edits:
        found = dict(self.edits.by_name)
        for name, edit in others.items():
            match found.get(name):
                case None | Bypass():  # what is passed over has nothing to be edited
                    found[name] = edit
                case before:
                    found[name] = InTurn((before, edit))
        return Edits(found)
