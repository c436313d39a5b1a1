"""Runs a model once and keeps what it computed."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn

from loupe.foreign import (
    Inputs,
    is_of_transformers,
    leaving_random_numbers,
    on_device,
    trace_any,
    trace_transformers,
)
from loupe.native import Opened, as_checkpoint, trace_own
from loupe.records import Tokens
from loupe.run import Run
from loupe.texts import ReadText, read_text, sort_out
from model.checkpoints.checkpoint import Checkpoint
from model.edits import Edits
from model.foreign.huggingface import RecordedFolder
from model.transformer import Transformer

_NO_TEXT = "a text is missing: loupe.trace(model, tokenizer, text)"


def trace(
    model: Opened | nn.Module,
    tokenizer: object = None,
    text: str | None = None,
    *,
    target: str | None = None,
    edits: Mapping[str, Callable[[Tensor], Tensor]] | None = None,
    inputs: Inputs | None = None,
    record: Sequence[str] | None = None,
) -> Run:
    """Run a model once on a text and keep what it computes, each tensor under its name.

    The model is left as it is: its mode, its hooks, its gradients, and the state of torch's random
    numbers. While it runs it is in evaluation mode. Nothing that is recorded has gradients.

    Args:
        model: What `loupe.load` gives, a model of transformers, or any torch module that attends
            by `F.scaled_dot_product_attention`, `nn.MultiheadAttention` or a softmax of its own.
        tokenizer: What splits the text: of transformers or tokenizers, an object with `encode`, or
            a function from a text to ids. With `inputs` it may be a list of the tokens themselves.
            A checkpoint of Loupe has its own: there the text may stand in its place.
        text: What the model reads: one string.
        target: What a model that reads one text and writes another is to write; without it, it
            writes by itself.
        edits: Functions by captured name, `NAME` for a whole tensor or `NAME[HEAD]` for a head of
            it: each is given the tensor and gives what takes its place while the model runs.
        inputs: In place of a text, what the model is called with: a tensor, several, or several by
            name. Beside a text, more of them.
        record: Modules whose outputs are kept beside the attention, by the ends of their paths:
            `["h.*", "lm_head"]` gives `transformer.h.0.output` and the like. Without it, the layers
            and the whole model where no residual stream is proven. A model of Loupe keeps all.

    Raises:
        TypeError: On a model or a tokenizer of a kind that cannot be run, two texts of which none
            is named, a list of texts, a string for `record`.
        ValueError: On a text without a token, a model whose attention cannot be seen, a name in
            the edits or in `record` that nothing has.
    """
    tokenizer, text = sort_out(tokenizer, text, target)
    changes = Edits(edits or {})
    if isinstance(record, str):
        raise TypeError(f"record must be a list of patterns, got {record!r}")
    if isinstance(model, Checkpoint | RecordedFolder | Transformer):
        if text is None:
            raise TypeError(_NO_TEXT)
        whole = model if isinstance(model, RecordedFolder) else as_checkpoint(model, tokenizer)
        with torch.no_grad():
            return trace_own(whole, text, target, changes)
    if not isinstance(model, nn.Module):
        raise TypeError(
            f"a model must be a torch module or a checkpoint of Loupe, got {type(model).__name__}"
        )
    if text is None and inputs is None:
        raise TypeError(f"{_NO_TEXT}, or inputs=...")
    with torch.no_grad(), leaving_random_numbers(model):
        return _trace_foreign(model, tokenizer, text, target, changes, inputs, record)


def _trace_foreign(
    model: nn.Module,
    tokenizer: object,
    text: str | None,
    target: str | None,
    edits: Edits,
    inputs: Inputs | None,
    record: Sequence[str] | None,
) -> Run:
    model = getattr(model, "_orig_mod", model)  # what torch.compile was given
    read = None if text is None else on_device(model, read_text(tokenizer, text))
    if is_of_transformers(model):
        named = inputs if isinstance(inputs, Mapping) else {}
        if inputs is not None and not isinstance(inputs, Mapping):
            named = {getattr(model, "main_input_name", "input_ids"): inputs}
        return trace_transformers(model, tokenizer, read, target, edits, named, record)
    aim = None
    if target is not None:
        aim = on_device(model, read_text(tokenizer, target, as_target=True))
    texts = [each for each in (read, aim) if each]
    names, ids = _named(tokenizer, read, aim), [each.ids for each in texts]
    return trace_any(model, names, ids, edits, {} if inputs is None else inputs, record)


def _named(tokenizer: object, read: ReadText | None, aim: ReadText | None) -> Tokens:
    if isinstance(tokenizer, list | tuple):
        return Tokens(tuple(map(str, tokenizer)), ())
    return Tokens(read.tokens if read else (), aim.tokens if aim else ())
