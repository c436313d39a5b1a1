"""Runs a model once and keeps what it computed."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import cast, overload

import torch
from torch import Tensor, nn

from loupe.batches import Runs, runs_of
from loupe.foreign import (
    Inputs,
    asked_of,
    is_of_transformers,
    leaving_random_numbers,
    on_device,
    trace_any,
    trace_together,
    trace_transformers,
)
from loupe.how import How
from loupe.loading import load
from loupe.native import Opened, as_checkpoint, read_own, trace_own, trace_own_together
from loupe.records import Tokens
from loupe.run import Run
from loupe.texts import ReadText, read_text, sort_out
from model.checkpoints.checkpoint import Checkpoint
from model.edits import Edits
from model.foreign.huggingface import RecordedFolder
from model.foreign.recording import Keep
from model.transformer import Transformer

NO_TEXT = "a text is missing: loupe.trace(model, tokenizer, text)"


_Pair = tuple[str | None, str | None]
"""A text and its target."""


@overload
def trace(
    model: Opened | nn.Module | str | Path,
    tokenizer: object = None,
    text: str | None = None,
    *,
    target: str | None = None,
    edits: Mapping[str, Callable[[Tensor], Tensor]] | None = None,
    inputs: Inputs | None = None,
    record: Sequence[str] | None = None,
    check: bool | None = None,
    names: str | Sequence[str] | None = None,
    device: str | torch.device | None = None,
    grad: bool = False,
) -> Run: ...


@overload
def trace(
    model: Opened | nn.Module | str | Path,
    tokenizer: object,
    text: list[str] | tuple[str, ...],
    *,
    target: Sequence[str] | None = None,
    edits: Mapping[str, Callable[[Tensor], Tensor]] | None = None,
    record: Sequence[str] | None = None,
    check: bool | None = None,
    names: str | Sequence[str] | None = None,
    device: str | torch.device | None = None,
    grad: bool = False,
) -> Runs: ...


def trace(
    model: Opened | nn.Module | str | Path,
    tokenizer: object = None,
    text: str | list[str] | tuple[str, ...] | None = None,
    *,
    target: str | Sequence[str] | None = None,
    edits: Mapping[str, Callable[[Tensor], Tensor]] | None = None,
    inputs: Inputs | None = None,
    record: Sequence[str] | None = None,
    check: bool | None = None,
    names: str | Sequence[str] | None = None,
    device: str | torch.device | None = None,
    grad: bool = False,
) -> Run | Runs:
    """Run a model once on a text and keep what it computes, each tensor under its name.

    Of a list of texts it gives a sequence of runs, each the same as that of the text alone, up to
    rounding. They are computed in one pass where the model can do that: checkpoints of Loupe, and
    models of transformers that take an `attention_mask`; else, or with edits, with a graph or with
    `record`, one by one.

    The model is left as it is: its mode, its hooks, its gradients, and the state of torch's random
    numbers. While it runs it is in evaluation mode.

    Args:
        model: What `loupe.load` gives or takes, a model of transformers, or any torch module that
            attends by `F.scaled_dot_product_attention`, `nn.MultiheadAttention` or a softmax of its
            own.
        tokenizer: What splits the text: of transformers or tokenizers, an object with `encode`, or
            a function from a text to ids. With `inputs` it may be a list of the tokens themselves.
            A checkpoint of Loupe has its own: there the text may stand in its place.
        text: What the model reads: one string, or a list of them.
        target: What a model that reads one text and writes another is to write, of several texts a
            list of as many; without it, it writes by itself.
        edits: Functions by captured name, `NAME` for a whole tensor or `NAME[HEAD]` for a head of
            it: each is given the tensor and gives what takes its place while the model runs.
        inputs: In place of a text, what the model is called with: a tensor, several, or several by
            name. Beside a text, more of them.
        record: Modules whose outputs are kept beside the attention, by the ends of their paths:
            `["h.*", "lm_head"]` gives `transformer.h.0.output` and the like. Without it, the layers
            and the whole model where no residual stream is proven. A model of Loupe keeps all.
        check: Whether code that is not Loupe's runs a second time, unrecorded, for `run.differs`.
            By default it does so when a model is first traced, and where its modules, its device
            or its precision have changed since.
        names: Patterns of names, as `run.names` takes them: the tensors that fit are kept and no
            others, outputs of modules included, which a long text may need. Of a checkpoint of
            Loupe the pass itself needs room for all.
        device: Where the tensors are kept: of code that is not Loupe's each is brought there as
            soon as it is computed. By default they stay where the model is.
        grad: Whether the tensors keep the graph by which torch differentiates, for `run.gradient`.
            Else nothing that is recorded has gradients.

    Returns:
        Tensors by name, a batch of one first: states (batch position d_model), queries, keys,
        values and heads (batch head position size), scores and weights (batch head query key),
        logits (batch position vocab). Scores are as the softmax reads them, but for the mask.

    Raises:
        TypeError: On a model or a tokenizer of a kind that cannot be run, two texts of which none
            is named, a string for `record`.
        ValueError: On another number of targets than of texts, a text without a token, a model
            whose attention cannot be seen, a name in the edits, or a pattern in `record` or among
            the names, that nothing has, a device for tensors that keep their graph.
    """
    if grad and device is not None:
        raise ValueError("gradients are taken where the model is: give grad without device")
    if isinstance(record, str):
        raise TypeError(f"record must be a list of patterns, got {record!r}")
    picked = (names,) if isinstance(names, str) else names
    where = None if device is None else torch.device(device)
    keep = Keep(None if picked is None else tuple(picked), where)
    chosen = None if record is None else tuple(record)
    how = How(Edits(edits or {}), check, keep, chosen, grad)
    if text is None and inputs is None and isinstance(tokenizer, list | tuple):
        tokenizer, text = None, tokenizer
    is_one = not isinstance(text, list | tuple)
    if is_one:
        tokenizer, text = sort_out(tokenizer, text, target)
        pairs = [(text, cast(str | None, target))]
    elif inputs is not None:
        raise ValueError("inputs are for one run: give several texts without them")
    else:
        pairs = _pairs(tokenizer, text, target)
    whose = opened(model, tokenizer)
    learned = whose if isinstance(whose, nn.Module) else whose.model
    with how.running(learned.parameters()):
        if not isinstance(whose, nn.Module):
            runs = _of_own(whose, pairs, how)
        else:
            if pairs[0][0] is None and inputs is None:
                raise TypeError(f"{NO_TEXT}, or inputs=...")
            with leaving_random_numbers(whose):
                runs = _of_foreign(whose, tokenizer, pairs, how, inputs)
    return runs[0] if is_one else runs


def _pairs(tokenizer: object, texts: Sequence[object], targets: object) -> list[_Pair]:
    """Put several texts beside their targets."""
    aims = targets if isinstance(targets, list | tuple) else [targets] * len(texts)
    if not texts or len(aims) != len(texts) or isinstance(targets, str):
        given = len(aims) if isinstance(targets, list | tuple) else type(targets).__name__
        raise ValueError(
            "several texts are at least one, and their targets as many or none, got "
            f"{len(texts)} and {given}"
        )
    for text, aim in zip(texts, aims, strict=True):
        sort_out(tokenizer, text, aim)
    return cast(list[_Pair], list(zip(texts, aims, strict=True)))


def opened(model: object, tokenizer: object) -> Opened | nn.Module:
    """Return a checkpoint, a folder, or third-party code, ready to run.

    A name or a path is opened as `loupe.load` does.
    """
    if isinstance(model, str | Path):
        return load(model)
    if isinstance(model, RecordedFolder):
        return model
    if isinstance(model, Checkpoint | Transformer):
        return as_checkpoint(model, tokenizer)
    if not isinstance(model, nn.Module):
        raise TypeError(
            "a model must be a torch module, a checkpoint of Loupe, or the name or path of one, "
            f"got {type(model).__name__}"
        )
    return getattr(model, "_orig_mod", model)  # what torch.compile was given


def _of_own(whole: Opened, pairs: Sequence[_Pair], how: How) -> Runs:
    if any(text is None for text, _ in pairs):
        raise TypeError(NO_TEXT)
    read = [read_own(whole, str(text), target, how.edits) for text, target in pairs]
    own = whole if isinstance(whole, Checkpoint) else None
    return runs_of(
        own and own.model,
        [len(each.source or ()) + len(each.rows or ()) for each in read],
        lambda i: trace_own(whole, read[i], how),
        lambda: trace_own_together(own, read, how) if own else [],
        how,
    )


def _of_foreign(
    model: nn.Module,
    tokenizer: object,
    pairs: Sequence[_Pair],
    how: How,
    inputs: Inputs | None,
) -> Runs:
    texts = [
        None if text is None else on_device(model, read_text(tokenizer, text)) for text, _ in pairs
    ]
    if not is_of_transformers(model):
        aims = [
            None if aim is None else on_device(model, read_text(tokenizer, aim, as_target=True))
            for _, aim in pairs
        ]
        given = {} if inputs is None else inputs
        runs = []
        for read, aim in zip(texts, aims, strict=True):
            ids = [each.ids for each in (read, aim) if each]
            runs.append(trace_any(model, _named(tokenizer, read, aim), ids, how, given))
        return Runs(runs)
    named = inputs if isinstance(inputs, Mapping) else {}
    if inputs is not None and not isinstance(inputs, Mapping):
        named = {getattr(model, "main_input_name", "input_ids"): inputs}
    asked = [
        asked_of(model, tokenizer, read, aim, named)
        for read, (_, aim) in zip(texts, pairs, strict=True)
    ]
    takes_several = "attention_mask" in signature(model.forward).parameters
    return runs_of(
        model if takes_several and not how.record else None,
        [0 if read is None else read.ids.size(1) for read in texts],
        lambda i: trace_transformers(model, asked[i], how),
        lambda: trace_together(model, asked, how),
        how,
    )


def _named(tokenizer: object, read: ReadText | None, aim: ReadText | None) -> Tokens:
    if isinstance(tokenizer, list | tuple):
        return Tokens(tuple(map(str, tokenizer)), ())
    return Tokens(read.tokens if read else (), aim.tokens if aim else ())
