"""Runs a model once and keeps what it computed."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from loupe.own import as_checkpoint, trace_own
from loupe.run import Run
from model.checkpoint import Checkpoint
from model.edits import Edits
from model.transformer import Transformer


def trace(
    model: Checkpoint | nn.Module,
    tokenizer: object = None,
    text: str | None = None,
    *,
    target: str | None = None,
    edits: Mapping[str, Callable[[Tensor], Tensor]] | None = None,
) -> Run:
    """Run a model once on a text and keep all that it computes.

    The model is left as it is: its mode, its hooks, its gradients, and the state of torch's random
    numbers. Nothing that is recorded has gradients.

        run = loupe.trace(model, tokenizer, "a text")
        run["decoder.layers.1.self_attn.weights"]

    Args:
        model: What `loupe.load` gives.
        tokenizer: What splits the text. A checkpoint of Loupe has its own: there the text may stand
            in its place.
        text: What the model reads.
        target: What a model with an encoder and a decoder is to write, or what a decoder alone is
            to go on with. Without it the former writes by itself.
        edits: Functions by captured name, `NAME` for a whole tensor or `NAME[HEAD]` for a head of
            it: each is given the tensor and gives what takes its place while the model runs.

    Raises:
        TypeError: On a model or a tokenizer of a kind that cannot be run.
        ValueError: On a text without a token, a text too long for the model, a name in the edits
            that is not captured.
    """
    if text is None and isinstance(tokenizer, str):
        tokenizer, text = None, tokenizer
    if text is None:
        raise TypeError("a text is missing: loupe.trace(model, tokenizer, text)")
    changes = Edits(edits or {})
    with torch.no_grad():
        if isinstance(model, Checkpoint | Transformer):
            return trace_own(as_checkpoint(model, tokenizer), text, target, changes)
    raise TypeError(
        f"a model must be a torch module or a checkpoint of Loupe, got {type(model).__name__}"
    )
