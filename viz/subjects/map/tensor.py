"""Any tensor of a run as matrices to look at, with what its rows and columns are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Shaped
from torch import Tensor

from model.traces import HEAD_TENSORS, find_tensor, named_tensors, tensor_names
from viz.run.record import Run

_PROBABILITIES = "probabilities"
_DIMENSIONS = {
    "query": "d_k",
    "key": "d_k",
    "value": "d_v",
    "heads": "d_v",
    "scores": "key",
    "mask": "key",
    "weights": "key",
    "hidden": "d_ff",
    "logits": "target_vocab",
    "probabilities": "target_vocab",
}
_WORDS = {
    "tokens": "The embedding of each token{scaled}, before its position is added.",
    "positions": "The encoding of each position: {positions}.",
    "input": "What goes into the layer.",
    "query": "What each position asks with, in every head.",
    "key": "What each position is found by, in every head.",
    "value": "What each position gives to those that read it, in every head.",
    "scores": "Dot products of queries and keys over the square root of d_k, before the mask.",
    "mask": "Which key each query may attend to: 1 may, 0 may not.",
    "weights": "The softmax of the masked scores: each row sums to 1.",
    "heads": "Each head's mix of the values, by its weights.",
    "after_self_attn": "The residual stream after self-attention{norm}.",
    "after_cross_attn": "The residual stream after cross-attention{norm}.",
    "hidden": "The hidden layer of the feed-forward network, after its ReLU: never negative.",
    "logits": "One number for each token of the target vocabulary, before the softmax.",
    "probabilities": "The softmax of the logits: what each next token is chosen by.",
}
_OUTPUTS = {
    "source_embedding": "Embeddings and positions together: what the encoder begins with.",
    "target_embedding": "Embeddings and positions together: what the decoder begins with.",
    "encoder": "The memory: what cross-attention reads in every layer of the decoder.",
    "decoder": "What the final linear layer reads.",
    "self_attn": "All heads side by side through the output projection.",
    "cross_attn": "All heads side by side through the output projection.",
    "feed_forward": "What the feed-forward network adds.",
}
_POSITIONS = {
    "sinusoidal": "sines and cosines of many wavelengths",
    "double_sine": "sines in every dimension, as one write-up has it",
    "single_frequency": "one frequency for all dimensions, as one write-up has it",
    "learned": "learned in training",
    "none": "zeros, for this variant has none",
}


@dataclass(frozen=True, eq=False)
class TensorView:
    """One tensor, without its batch axis."""

    name: str
    sentence: str
    """What it is."""
    array: Shaped[np.ndarray, "*axes"]
    row_axis: str
    column_axis: str
    row_tokens: Sequence[str]
    column_tokens: Sequence[str] | None
    """None where columns are dimensions."""

    @property
    def matrices(self) -> tuple[tuple[str, Shaped[np.ndarray, "row column"]], ...]:
        """Its matrices with what distinguishes them: one for each head, or only one."""
        if self.array.ndim == 2:
            return (("", self.array),)
        return tuple((f"head {head}", matrix) for head, matrix in enumerate(self.array))

    @property
    def is_probability(self) -> bool:
        """Whether its values lie from 0 to 1."""
        return self.name.endswith((".weights", ".mask", "probabilities"))

    @cached_property
    def lengths(self) -> tuple[float, float]:
        """Smallest and largest value."""
        return float(self.array.min()), float(self.array.max())


def run_tensor_names(run: Run) -> tuple[str, ...]:
    """List the names of `run_tensors` in their order, computing none of them."""
    return (*tensor_names(run.info.config), _PROBABILITIES)


def run_tensors(run: Run) -> Iterator[tuple[str, Tensor]]:
    """Yield every tensor of a run by name: all that was captured, and the probabilities."""
    yield from named_tensors(run.trace)
    yield _PROBABILITIES, _probabilities(run)


def tensor_view(run: Run, name: str) -> TensorView | None:
    """Find a tensor of a run by its name; None where there is none of this name."""
    if name not in run_tensor_names(run):
        return None
    tensor = _probabilities(run) if name == _PROBABILITIES else find_tensor(run.trace, name)
    last = name.rpartition(".")[2]
    rows, columns = _tokens(run, name, last)
    values = _without_batch(tensor, last)
    if last == "mask":
        values = np.broadcast_to(values, (len(rows), values.shape[-1]))
    return TensorView(
        name=name,
        sentence=_sentence(run, name, last),
        array=values,
        row_axis="key" if last in ("key", "value") else "query" if columns else "position",
        column_axis=_DIMENSIONS.get(last, "target_vocab" if name == "output" else "d_model"),
        row_tokens=rows,
        column_tokens=columns,
    )


def _probabilities(run: Run) -> Tensor:
    return run.trace.logits.softmax(dim=-1)


def _without_batch(tensor: Tensor, last: str) -> Shaped[np.ndarray, "*axes"]:
    if last == "positions":  # has no batch axis
        return tensor.numpy()
    assert last in HEAD_TENSORS or tensor.dim() == 3
    return tensor[0].numpy()


def _tokens(run: Run, name: str, last: str) -> tuple[Sequence[str], Sequence[str] | None]:
    """Name the rows, and the columns where they are tokens.

    A decoder row is named after the token that it writes; its inputs are those already there.
    """
    source, inputs, written = run.source.tokens, run.target_tokens[:-1], run.target_tokens[1:]
    of_source = name.startswith(("source_embedding", "encoder"))
    reads_source = of_source or ".cross_attn." in name
    keys = source if reads_source else inputs
    if last in ("key", "value"):
        return keys, None
    rows = source if of_source else inputs if name.startswith("target_embedding") else written
    if last in ("scores", "mask", "weights"):
        return rows, keys
    if name in ("logits", "output", "probabilities"):
        return rows, run.info.tokenizers.target.all_tokens
    return rows, None


def _sentence(run: Run, name: str, last: str) -> str:
    config = run.info.config
    if name == "output":
        return {
            "logits": "The logits again: this variant hands them on as they are.",
            "log_softmax": "The logarithm of the softmax of the logits, which this variant gives.",
            "softmax": "The softmax of the logits, which this variant gives.",
        }[config.output]
    if last == "output":
        module = name.removesuffix(".output")
        part = module.rpartition(".")[2]
        return _OUTPUTS.get(part, "What the layer hands on: its residual stream at the end.")
    return _WORDS[last].format(
        scaled=" times √d_model" if config.scale_embeddings else "",
        positions=_POSITIONS[config.positions],
        norm=" and the norm" if config.norm_placement == "post" else "",
    )
