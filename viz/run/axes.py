"""The attentions of a run: their names, their layers, and the tokens of their axes."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float

from model.anatomy import SITE_NAMES, Anatomy, SiteName, attention_in
from model.config import Side, TransformerConfig
from model.traces import AttentionTrace, TransformerTrace

AttentionKind = SiteName
KINDS: tuple[AttentionKind, ...] = SITE_NAMES
"""Those of an encoder-decoder; the anatomy of a model names the ones that it has."""

AxisText = tuple[Side, int]
"""A text, and the index of its first token on the axis."""
RowName = Literal["reads", "writes"]
"""The token that names a row: the one that reads, or the one that is written from it."""


@runtime_checkable
class Traced(Protocol):
    """The attentions of a run; `viz/run/record.py` has the whole run."""

    @property
    def info(self) -> Any:  # noqa: ANN401 - the file of a checkpoint describes it
        """The description of the model."""
        ...

    @property
    def anatomy(self) -> Anatomy:
        """The parts of the model."""
        ...

    @property
    def trace(self) -> TransformerTrace:
        """The activations of the run."""
        ...

    @property
    def texts(self) -> Mapping[Side, tuple[str, ...]]:
        """The tokens of each text."""
        ...

    @property
    def word_classes(self) -> Mapping[str, str]:
        """Parts of speech of the source's words, by the word in lower case, as far as known."""
        ...


def layer_count(config: TransformerConfig, kind: AttentionKind) -> int:
    """Count the layers that have this kind of attention."""
    if kind == "encoder self-attention":
        return config.n_encoder_layers
    return config.n_decoder_layers


def attention_trace(run: Traced, kind: AttentionKind, layer: int) -> AttentionTrace:
    """Return one multi-head attention of a run. Raises LookupError if the model lacks it."""
    return attention_in(run.trace, kind, layer)


def attention_name(kind: AttentionKind, layer: int) -> str:
    """Return the name of its weights in a trace."""
    stack = "encoder" if kind == "encoder self-attention" else "decoder"
    attention = "cross_attn" if kind == "cross-attention" else "self_attn"
    return f"{stack}.layers.{layer}.{attention}.weights"


def axis_tokens(run: Traced, kind: AttentionKind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tokens that name the rows and the columns of one kind of attention."""
    texts = run.texts
    return name_axes(kind, texts["source"], texts["target"], run.anatomy.site(kind).rows)


def name_axes(
    kind: AttentionKind,
    source: tuple[str, ...],
    target: tuple[str, ...],
    named: RowName = "writes",
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tokens of rows and columns; the target goes from `<s>` to the last token."""
    texts = {"source": (source, len(source)), "target": (target, len(target) - 1)}
    rows, columns = (
        texts[side][0][first : first + texts[side][1]] for side, first in axis_texts(kind, named)
    )
    return rows, columns


def axis_texts(kind: AttentionKind, named: RowName = "writes") -> tuple[AxisText, AxisText]:
    """Return the text of the rows and of the columns, each with the index of its first token.

    A decoder row that is named after the token that it writes has a text that begins after `<s>`;
    the keys of decoder self-attention are the tokens written so far.
    """
    written: AxisText = ("target", 1 if named == "writes" else 0)
    rows: AxisText = ("source", 0) if kind == "encoder self-attention" else written
    columns: AxisText = ("target", 0) if kind == "decoder self-attention" else ("source", 0)
    return rows, columns


def all_heads(run: Traced, kind: AttentionKind) -> Float[np.ndarray, "layer head query key"]:
    """Return the weights of every head of one kind."""
    layers = range(layer_count(run.info.config, kind))
    return torch.cat([attention_trace(run, kind, layer).weights for layer in layers]).numpy()
