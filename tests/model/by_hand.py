"""A tiny model in double precision and one sentence for it, to check computations by hand."""

import functools

import torch
from torch import Tensor

from model.attribution.passes import Pass
from model.edits import NO_EDITS, Edits
from model.traces import TransformerTrace
from model.transformer import Transformer
from tests.tiny import tiny_model

TOKENS = "source_embedding.tokens"
IDS, WRITTEN = (3, 4, 5, 3), (1, 5, 6, 8, 7)


@functools.cache
def double(variant: str = "paper") -> Transformer:
    return tiny_model(variant).double()


def traced(model: Transformer, edits: Edits = NO_EDITS) -> TransformerTrace:
    with torch.inference_mode():
        return model(torch.tensor([IDS]), torch.tensor([WRITTEN[:-1]]), edits=edits)


def asked(model: Transformer, *rows: int, edits: Edits = NO_EDITS) -> Pass:
    return Pass.of(model, IDS, WRITTEN, rows or None, edits)


def log_probabilities(model: Transformer, source: Tensor, **masks: Tensor) -> Tensor:
    """Return the log-probabilities of the written tokens for one source, by the plain forward."""
    with torch.inference_mode():
        trace = model(source[None], torch.tensor([WRITTEN[:-1]]), **masks)
    return torch.stack(
        [trace.logits[0, t].log_softmax(-1)[token] for t, token in enumerate(WRITTEN[1:])]
    )
