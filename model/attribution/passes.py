"""One text and what is written of it, run again and again with something changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.edits import NO_EDITS, Edit, Edits
from model.traces import present
from model.transformer import Transformer

_MOST_CELLS = 400_000
"""Cells of one head's attention in a batch, which bounds the memory of a pass."""


@dataclass(frozen=True, eq=False)
class Pass:
    """What is run, and the rows that are asked about."""

    model: Transformer
    """In eval mode, else dropout acts."""
    source: Int[Tensor, " source"]
    """The text whose tokens are asked about: of a decoder alone its own, up to the row."""
    target: Int[Tensor, " target"] | None
    """From `<s>` on, as the rows read it; None of a model of one text."""
    rows: tuple[int, ...]
    written: Int[Tensor, " row"]
    """The id that each row writes, or puts at its place."""
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
        """Ask about some rows of a translation, or about all: row t reads ids 0 to t of its target.

        Raises ValueError on rows that are not there.
        """
        device = model.device
        there = range(len(target) - 1)
        chosen = tuple(there if rows is None else rows)
        if not chosen or not set(chosen) <= set(there):
            raise ValueError(f"rows must be among 0 to {len(there) - 1}, got {chosen}")
        source_ids, target_ids = (torch.tensor([*ids], device=device) for ids in (source, target))
        written = target_ids[[row + 1 for row in chosen]]
        return cls(model, source_ids, target_ids[:-1], chosen, written, edits)

    @classmethod
    def of_text(
        cls, model: Transformer, ids: Sequence[int], row: int, token: int, edits: Edits = NO_EDITS
    ) -> "Pass":
        """Ask about the token that one row of a model of one text speaks of."""
        text, written = (torch.tensor(some, device=model.device) for some in ([*ids], [token]))
        return cls(model, text, None, (row,), written, edits)

    @property
    def side(self) -> Literal["source", "target"]:
        """The side of the model that reads the text asked about."""
        return "source" if self.model.config.has_encoder else "target"

    @property
    def tokens_name(self) -> str:
        """Name of its embeddings, as captured."""
        return f"{self.side}_embedding.tokens"

    @property
    def most_at_once(self) -> int:
        """Return how many sentences a batch may have."""
        length = len(self.source) + (0 if self.target is None else len(self.target) + 1)
        return max(1, _MOST_CELLS // length**2)

    def log_probabilities(
        self, sources: Int[Tensor, "batch any_source"], edits: Mapping[str, Edit] | None = None
    ) -> Float[Tensor, "batch row"]:
        """Return the log-probability, in nats, of each row's token for several sources.

        What is edited more comes after `self.edits`.
        """
        target = None if self.target is None else self.target.expand(len(sources), -1)
        texts = (sources, target) if self.side == "source" else (None, sources)
        trace = self.model(*texts, edits=self.edits.then(Edits(edits or {})))
        found = present(trace.logits)[:, list(self.rows)].log_softmax(dim=-1)
        return found[:, torch.arange(len(self.rows)), self.written]

    def embedded(self) -> Float[Tensor, "source d_model"]:
        """Return the embeddings of the source as they are summed with positions."""
        with torch.no_grad():
            edits = self.edits.part(f"{self.side}_embedding")
            return self.model.embedding_of(self.side)(self.source[None], edits=edits).tokens[0]
