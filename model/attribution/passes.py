"""Runs one text and its target many times, each time with a change."""

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
"""The number of cells of one head's attention in a batch, which bounds the memory of a pass."""


@dataclass(frozen=True, eq=False)
class Pass:
    """A model, its texts, and the rows in question."""

    model: Transformer
    """The model, in evaluation mode; otherwise dropout acts."""
    source: Int[Tensor, " source"]
    """The text whose tokens are attributed to; in a decoder-only model, its text up to the row."""
    target: Int[Tensor, " target"] | None
    """The target from `<s>` on, as the rows read it; None for a model that reads one text."""
    rows: tuple[int, ...]
    written: Int[Tensor, " row"]
    """The id that each row writes, or predicts at its own position."""
    edits: Edits = NO_EDITS
    """The edits of every pass."""

    @classmethod
    def of(
        cls,
        model: Transformer,
        source: Sequence[int],
        target: Sequence[int],
        rows: Sequence[int] | None = None,
        edits: Edits = NO_EDITS,
    ) -> "Pass":
        """Select all rows of a translation, or some: row t reads ids 0 to t of its target.

        Raises ValueError if the translation lacks one of the rows.
        """
        device = model.device
        there = range(len(target) - 1)
        chosen = tuple(there if rows is None else rows)
        if not chosen or not set(chosen) <= set(there):
            raise ValueError(f"rows must be from 0 to {len(there) - 1}, got {chosen}")
        source_ids, target_ids = (torch.tensor([*ids], device=device) for ids in (source, target))
        written = target_ids[[row + 1 for row in chosen]]
        return cls(model, source_ids, target_ids[:-1], chosen, written, edits)

    @classmethod
    def of_text(
        cls, model: Transformer, ids: Sequence[int], row: int, token: int, edits: Edits = NO_EDITS
    ) -> "Pass":
        """Select the token that one row predicts, in a model that reads one text."""
        text, written = (torch.tensor(some, device=model.device) for some in ([*ids], [token]))
        return cls(model, text, None, (row,), written, edits)

    @property
    def side(self) -> Literal["source", "target"]:
        """The side of the model that reads the attributed text."""
        return "source" if self.model.config.has_encoder else "target"

    @property
    def tokens_name(self) -> str:
        """The captured name of the embeddings of that text."""
        return f"{self.side}_embedding.tokens"

    @property
    def most_at_once(self) -> int:
        """Return the largest number of sentences in a batch."""
        length = len(self.source) + (0 if self.target is None else len(self.target) + 1)
        return max(1, _MOST_CELLS // length**2)

    def log_probabilities(
        self, sources: Int[Tensor, "batch any_source"], edits: Mapping[str, Edit] | None = None
    ) -> Float[Tensor, "batch row"]:
        """Return the log-probability, in nats, of each row's token for several sources.

        Further edits apply after `self.edits`.
        """
        target = None if self.target is None else self.target.expand(len(sources), -1)
        texts = (sources, target) if self.side == "source" else (None, sources)
        trace = self.model(*texts, edits=self.edits.then(Edits(edits or {})))
        found = present(trace.logits)[:, list(self.rows)].log_softmax(dim=-1)
        return found[:, torch.arange(len(self.rows)), self.written]

    def embedded(self) -> Float[Tensor, "source d_model"]:
        """Return the embeddings of the source before positions are added."""
        with torch.no_grad():
            edits = self.edits.part(f"{self.side}_embedding")
            return self.model.embedding_of(self.side)(self.source[None], edits=edits).tokens[0]
