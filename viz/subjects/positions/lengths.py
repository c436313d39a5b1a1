"""What adding positions does to the embeddings of one run: vectors before, scaled, and after."""

import copy
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import nn

from model.traces import EmbeddingTrace
from viz.run.record import Run

Text = Literal["source", "target"]
TEXTS: tuple[Text, ...] = ("source", "target")


@dataclass(frozen=True, eq=False)
class Sum:
    """One embedded text, in the steps of section 3.4 and 3.5."""

    tokens: tuple[str, ...]
    embedding: Float[np.ndarray, "position d_model"]
    """Rows of the embedding matrix, before any scale."""
    scaled: Float[np.ndarray, "position d_model"]
    """Times sqrt(d_model), whether the variant does so or not."""
    encoding: Float[np.ndarray, "position d_model"]
    segment: Float[np.ndarray, "position d_model"] | None
    """What is added for the kind of text, where the model does so."""
    output: Float[np.ndarray, "position d_model"]
    """What the stack reads: the sum as captured, after a norm where there is one."""
    scales: bool
    """Whether the variant scales."""
    norm: nn.Module | None
    """Of the sum, in double precision."""

    @property
    def error(self) -> float:
        """Largest difference of the captured sum from the parts added in double precision."""
        tokens = self.scaled if self.scales else self.embedding
        total = tokens + self.encoding + (0 if self.segment is None else self.segment)
        if self.norm is not None:
            with torch.inference_mode():
                total = self.norm(torch.from_numpy(total)).numpy()
        return float(np.abs(total - self.output).max())


def embedding_trace(run: Run, text: Text) -> EmbeddingTrace:
    """Find one text's embedding in the trace."""
    return run.trace.embedding_of(text)


def embedding_sum(run: Run, text: Text, norm: nn.Module | None = None) -> Sum:
    """Take the parts of one text's embedding out of the trace; `norm` is that of the sum."""
    config = run.info.config
    traced = embedding_trace(run, text)
    tokens = traced.tokens[0].double().numpy()
    root = math.sqrt(config.d_model)
    return Sum(
        tokens=run.texts[text][: len(tokens)],
        embedding=tokens / root if config.scale_embeddings else tokens,
        scaled=tokens if config.scale_embeddings else tokens * root,
        encoding=traced.positions.double().numpy(),
        segment=None if traced.segments is None else traced.segments[0].double().numpy(),
        output=traced.output[0].double().numpy(),
        scales=config.scale_embeddings,
        norm=None if norm is None else copy.deepcopy(norm).cpu().double(),
    )


def mean_length(vectors: Float[np.ndarray, "position d_model"]) -> float:
    """Mean Euclidean length of the rows."""
    return float(np.linalg.norm(vectors, axis=1).mean())
