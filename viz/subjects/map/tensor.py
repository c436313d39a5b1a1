"""Any tensor of a run as matrices, with the meaning of its rows and columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Shaped
from torch import Tensor

from model.tensor_names import AXES, HEAD_TENSORS
from model.traces import find_tensor
from texts import say
from viz.run.record import Run
from viz.run.tensors import PROBABILITIES, probabilities, run_tensor_names

_OVER_WORDS = ("logits", "output", PROBABILITIES)
"""The tensors whose columns are the words of a vocabulary."""


@dataclass(frozen=True, eq=False)
class TensorView:
    """One tensor, without its batch axis."""

    name: str
    array: Shaped[np.ndarray, "*axes"]
    row_axis: str
    """Its name in third-party code, as the other is in Loupe's."""
    column_axis: str
    row_tokens: Sequence[str]
    column_tokens: Sequence[str] | None
    """None if columns are dimensions."""

    @property
    def matrices(self) -> tuple[tuple[str, Shaped[np.ndarray, "row column"]], ...]:
        """Its matrices with their names: one for each head, or only one."""
        if self.array.ndim == 2:
            return (("", self.array),)
        return tuple((say("map.head", head=head), one) for head, one in enumerate(self.array))

    @property
    def is_probability(self) -> bool:
        """Whether its values lie from 0 to 1."""
        return self.name.endswith((".weights", ".mask", "probabilities"))

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        return float(self.array.min()), float(self.array.max())


def tensor_view(run: Run, name: str) -> TensorView | None:
    """Find a tensor of a run by its name; None if there is none of this name."""
    if name not in run_tensor_names(run):
        return None
    tensor = probabilities(run) if name == PROBABILITIES else find_tensor(run.trace, name)
    last = name.rpartition(".")[2]
    rows, columns = _tokens(run, name, last)
    values = _without_batch(tensor, last)
    if last == "mask":
        values = np.broadcast_to(values, (len(rows), values.shape[-1]))
    return TensorView(
        name=name,
        array=values,
        row_axis="key" if last in ("key", "value") else "query" if columns else "position",
        column_axis=_column_axis(run, name, last),
        row_tokens=rows,
        column_tokens=columns,
    )


def _column_axis(run: Run, name: str, last: str) -> str:
    if name in _OVER_WORDS:
        return "target_vocab" if run.anatomy.translates else "vocab"
    return AXES[last][-1]


def _without_batch(tensor: Tensor, last: str) -> Shaped[np.ndarray, "*axes"]:
    if last == "positions":  # has no batch axis
        return tensor.numpy()
    assert last in HEAD_TENSORS or last == "bias" or tensor.dim() == 3
    return tensor[0].numpy()


def _tokens(run: Run, name: str, last: str) -> tuple[Sequence[str], Sequence[str] | None]:
    """Name the rows, and the columns if they are tokens.

    A decoder row is named after the token that it writes; its inputs are the tokens before. In a
    model of one text, a row is named after its own token.
    """
    source, inputs, written = run.texts["source"], run.target_tokens[:-1], run.target_tokens[1:]
    if not run.anatomy.translates:  # rows are named after the tokens that they read
        source, written = source or inputs, inputs
    of_source = name.startswith(("source_embedding", "encoder"))
    reads_source = of_source or ".cross_attn." in name
    keys = source if reads_source else inputs
    if last in ("key", "value"):
        return keys, None
    rows = source if of_source else inputs if name.startswith("target_embedding") else written
    if name not in _OVER_WORDS and AXES[last][-1] == "key":
        return rows, keys
    if name in _OVER_WORDS:
        tokenizer = run.info.tokenizers.target
        rows = rows if run.anatomy.writes else source
        return rows, tokenizer.tokens(range(tokenizer.vocab_size))
    return rows, None
