"""What is measured of a run of a model: a number of its logits."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from loupe.native import Opened, Reading, run_own
from loupe.run import Run
from model.checkpoints.checkpoint import Checkpoint
from model.edits import Edits
from model.foreign.recording import PickedTrace
from model.memory.chunks import chunks_of
from model.text.words import Words, single_id
from model.traces import TransformerTrace, present

Token = str | int
"""A token's text, with the space before it where it has one, or its id."""
Metric = Callable[[Float[Tensor, "position vocab"]], Tensor] | Token | tuple[Token, Token]
"""What is measured: a function from a run's logits to one number; or the logit of a token in the
last row, or by how much it leads that of another one there."""
Numbers = Callable[[Float[Tensor, "position vocab"]], Tensor]


def own(model: Opened) -> Checkpoint:
    """Return a model whose parts are Loupe's. Raises TypeError on others."""
    if not isinstance(model, Checkpoint):
        raise TypeError(
            "a model must be one of Loupe, or a folder that is poured into one, as loupe.load "
            f"gives them, got {type(model).__name__}"
        )
    return model


def trace_of(run: Run) -> TransformerTrace:
    """Return what a run of such a model recorded. Raises TypeError on others, and on a part."""
    if isinstance(run.record, PickedTrace):
        raise TypeError("a run must have all its tensors, got one of the names that were asked for")
    if not isinstance(run.record, TransformerTrace):
        raise TypeError("a run must be of a model of Loupe, got one of a module's own code")
    return run.record


def words_of(model: Checkpoint) -> Words:
    """Return the tokenizer of what is predicted."""
    tokenizers = model.info.tokenizers
    return tokenizers.target if model.model.config.has_decoder else tokenizers.source


def id_of(model: Checkpoint, token: Token) -> int:
    """Find the id of a token that is predicted. Raises ValueError where there is none."""
    words = words_of(model)
    if isinstance(token, int):
        if not 0 <= token < words.vocab_size:
            raise ValueError(f"a token must be 0 to {words.vocab_size - 1}, got {token}")
        return token
    return single_id(words, token)


def numbers_of(model: Opened, metric: Metric) -> Numbers:
    """Make a function from logits to one number of what is to be measured."""
    if callable(metric):
        return metric
    asked = metric if isinstance(metric, tuple) else (metric,)
    ids = [id_of(own(model), token) for token in asked]
    return lambda logits: logits[-1, ids[0]] - (logits[-1, ids[1]] if len(ids) > 1 else 0)


def logits_of(trace: TransformerTrace) -> Float[Tensor, "position vocab"]:
    """Return the logits of one text. Raises LookupError where a model predicts nothing."""
    return present(trace.logits)[0]


@torch.no_grad()
def by_runs(
    model: Checkpoint,
    reading: Reading,
    items: Sequence,
    edits_of: Callable[[Sequence], Edits],
    measure: Numbers,
) -> Float[Tensor, " item"]:
    """Measure a run for each item, many in a batch; as float64, as small differences are taken."""
    sizes = len(reading.source or ()), len(reading.rows or ())
    found: list[float] = []
    for chunk in chunks_of(model.model.config, items, *sizes):
        trace = run_own(model.model, reading, edits_of(chunk), len(chunk))
        found += [float(measure(logits)) for logits in present(trace.logits)]
    return torch.tensor(found, dtype=torch.float64)
