"""Token embeddings and their positions (sections 3.4 and 3.5 of the paper)."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from model.config import Positions
from model.dropout import Dropout
from model.edits import NO_EDITS, Edits
from model.positions import FORMULAS, fixed_positions
from model.traces import EmbeddingTrace


class Embedding(nn.Module):
    """A vector for each id, scaled by sqrt(d_model) or not, plus one for each position.

    If there are kinds of text, such as the two sentences of a pair, a vector for the kind is added.
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        *,
        positions: Positions = "sinusoidal",
        max_length: int = 512,
        position_offset: int = 0,
        skipped: int | None = None,
        segments: int = 0,
        scaled: bool = True,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocab_size, d_model))
        self.position_kind: Positions = positions
        self.scale = math.sqrt(d_model) if scaled else 1.0
        self.dropout = Dropout(dropout)
        self.position_offset = position_offset
        self.skipped = skipped
        """The id of tokens that get the row before the first position and are not counted."""
        rows = position_offset + max_length
        self.learned = nn.Embedding(rows, d_model) if positions == "learned" else None
        self.segments = nn.Embedding(segments, d_model) if segments else None
        self.norm = norm
        self._table_size = max_length if positions in FORMULAS else 0, d_model
        self.make_table()
        self.initialise()

    def forward(
        self, ids: Int[Tensor, "batch position"], *, start: int = 0, edits: Edits = NO_EDITS
    ) -> EmbeddingTrace:
        """Embed a sequence whose first id is at position `start`; all ids are of the first kind."""
        tokens = functional.embedding(ids, self.weight)
        if self.scale != 1.0:
            tokens = tokens * self.scale
        tokens = edits.apply("tokens", tokens)
        positions = edits.apply("positions", self._positions_of(ids, start))
        output, segments = tokens, None
        if self.segments is not None:
            segments = self.segments.weight[0].expand_as(tokens)
            segments = edits.apply("segments", segments)
            output = output + segments  # before the positions, as BERT's own code rounds
        output = output + positions
        if self.norm is not None:
            output = self.norm(output)
        output = edits.apply("output", self.dropout(output))
        return EmbeddingTrace(tokens=tokens, positions=positions, segments=segments, output=output)

    def make_table(self) -> None:
        """Compute positions that are not learned, again if the model was built without data.

        A model on the meta device gets a table without data: see `model.memory.meta_models`.
        """
        if self.learned is not None:
            return
        if self.weight.is_meta:
            table = torch.empty(self._table_size, device="meta")
        else:
            table = fixed_positions(self.position_kind, *self._table_size).to(self.weight)
        self.register_buffer("table", table, persistent=False)

    def initialise(self) -> None:
        """Initialise embeddings so that each scaled token has unit variance."""
        nn.init.normal_(self.weight, std=1 / self.scale)
        for added in (self.learned, self.segments):
            if added is not None:
                nn.init.normal_(added.weight, std=math.sqrt(0.5))  # the variance of a sine

    def _positions_of(
        self, ids: Int[Tensor, "batch position"], start: int
    ) -> Float[Tensor, "*batch position d_model"]:
        """Return the encodings of a sequence, or of each text if skipped ids make them differ."""
        encodings = self.positions(start, start + ids.size(1))
        counted = ids != self.skipped
        if self.skipped is None or self.learned is None or counted.all():
            return encodings
        rows = self.position_offset - 1 + counted.cumsum(dim=1) * counted
        return self.learned.weight[rows.squeeze(0)]

    def positions(self, start: int, stop: int) -> Float[Tensor, "position d_model"]:
        """Return the encodings of positions `start` to `stop` - 1.

        Raises ValueError beyond the table of learned positions; formulas have no limit.
        """
        if self.learned is not None:
            most = self.learned.num_embeddings - self.position_offset
            if stop > most:
                raise ValueError(
                    f"this model learned {most} positions, got a sequence of {stop} tokens"
                )
            return self.learned.weight[self.position_offset + start : self.position_offset + stop]
        table = self.get_buffer("table")
        if stop > len(table):
            table = fixed_positions(self.position_kind, stop, table.size(1)).to(table)
        return table[start:stop]
