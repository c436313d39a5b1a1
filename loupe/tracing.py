"""Runs a model once and keeps its tensors."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any, overload

import torch
from torch import Tensor, nn

from loupe.asked import asked_of, on_device
from loupe.batches import Runs, runs_of
from loupe.foreign import (
    Inputs,
    is_of_transformers,
    leaving_random_numbers,
    trace_any,
    trace_together,
    trace_transformers,
)
from loupe.how import How
from loupe.ids import Text, check_ids, is_ids, texts_of, vocabulary_of
from loupe.loading import load
from loupe.native import (
    Opened,
    as_checkpoint,
    own_edits,
    read_own,
    trace_own,
    trace_own_together,
)
from loupe.options import EditsByName, device_of, edits_of, patterns_of
from loupe.records import Tokens
from loupe.run import Run
from loupe.texts import ReadText, read_text, sort_out
from model.attribution.options import check_choice
from model.checkpoints.checkpoint import Checkpoint
from model.foreign.huggingface import RecordedFolder
from model.foreign.recording import Keep
from model.transformer import Transformer

NO_TEXT = "a text is missing: loupe.trace(model, tokenizer, text)"


_Pair = tuple[str | Tensor | None, str | Tensor | None]
"""A text and its target."""


@overload
def trace(
    model: "Opened | nn.Module | str | Path",
    tokenizer: object = None,
    text: Text | None = None,
    *,
    target: Text | None = None,
    edits: EditsByName | None = None,
    inputs: Inputs | None = None,
    record: Sequence[str] | None = None,
    check: bool | None = None,
    names: str | Sequence[str] | None = None,
    device: str | torch.device | None = None,
    grad: bool = False,
) -> Run: ...


@overload
def trace(
    model: "Opened | nn.Module | str | Path",
    tokenizer: object,
    text: list[str] | tuple[str, ...] | Sequence[Sequence[int]],
    *,
    target: Sequence[str] | Sequence[Sequence[int]] | None = None,
    edits: EditsByName | None = None,
    record: Sequence[str] | None = None,
    check: bool | None = None,
    names: str | Sequence[str] | None = None,
    device: str | torch.device | None = None,
    grad: bool = False,
) -> Runs: ...


def trace(
    model: "Opened | nn.Module | str | Path",
    tokenizer: object = None,
    text: Text | Sequence[Text] | None = None,
    *,
    target: Text | Sequence[Text] | None = None,
    edits: EditsByName | None = None,
    inputs: Inputs | None = None,
    record: Sequence[str] | None = None,
    check: bool | None = None,
    names: str | Sequence[str] | None = None,
    device: str | torch.device | None = None,
    grad: bool = False,
) -> Run | Runs:
    """Run a model once on a text and keep every tensor under its name.

    For a list of texts, return a sequence of runs, each equal to the run of its text alone up to
    rounding. One pass computes them if the model allows it: checkpoints of Loupe, and transformers
    models that take an `attention_mask`. Other models, and calls with edits, a graph or `record`,
    run the texts one by one.

    Loupe leaves the model as it is: its mode, its hooks, its gradients, and the state of torch's
    random numbers. While the model runs it is in evaluation mode.

    Args:
        model: A model that `loupe.load` returns or opens, a transformers model, or any torch module
            that attends by `F.scaled_dot_product_attention`, `nn.MultiheadAttention` or a softmax
            in its own code.
        tokenizer: Splits the text: one of transformers or tokenizers, an object with `encode`, or a
            function from a text to ids. With `inputs` it may be a list of the tokens themselves. A
            checkpoint of Loupe has its own, so you may pass the text in this place.
        text: The model's input: one string, the ids of its tokens as they are, or a list of either.
            Rows of ids are several texts.
        target: The text for a model that reads one text and writes another, or a list with one for
            each text; without it, the model writes by itself.
        edits: Functions by captured name, `NAME` for a whole tensor, `NAME[HEAD]` or `NAME[1,2]`
            for heads of it: each gets the tensor, or each head, and returns its replacement while
            the model runs. Names may be patterns, as in `names`: `*.self_attn.heads[0]`.
        inputs: Instead of a text, the arguments of the model: a tensor, several, or several by
            name; for a model from `loupe.load`, the ids of one text. With a text, more arguments.
        record: Modules whose outputs are also kept, by the ends of their paths:
            `["h.*", "lm_head"]` keeps `transformer.h.0.output` and the like. By default the layers
            and the whole model, if no residual stream is proven. A Loupe model keeps all.
        check: Whether code that is not Loupe's runs a second time, unrecorded, for `run.differs`.
            By default it does so when a model is first traced, and again if its modules, its device
            or its precision have changed since.
        names: Patterns of names, as `run.names` takes them: only matching tensors and outputs of
            modules are kept, which a long text may require. In a checkpoint of Loupe the pass
            itself still needs memory for all of them.
        device: The device that keeps the tensors: those of code that is not Loupe's move there as
            soon as they are computed. By default they stay on the model's device.
        grad: Whether the tensors keep the graph by which torch differentiates, for `run.gradient`.
            Otherwise no recorded tensor has gradients.

    Returns:
        Tensors by name, a batch of one first: states (batch position d_model), queries, keys,
        values and heads (batch head position size), scores and weights (batch head query key),
        logits (batch position vocab). Scores are as the softmax reads them, except for the mask.

    Raises:
        TypeError: If the model or the tokenizer is of an unknown kind, if two texts are given
            without a name, or if `record` is a string.
        ValueError: If the numbers of texts and targets differ, if a text has no token, if the
            attention cannot be recorded, if a name in `edits` or a pattern in `record` or `names`
            matches nothing, or if a device is given for tensors that keep their graph.
    """
    if grad and device is not None:
        raise ValueError("grad=True keeps tensors on the model's device: omit device")
    if isinstance(record, str):
        raise TypeError(f"record must be a list of patterns, got {record!r}")
    check_choice("check", check, (True, False, None))
    picked = patterns_of("names", (names,) if isinstance(names, str) else names)
    keep = Keep(picked, device_of(device))
    how = How(edits_of(edits), check, keep, patterns_of("record", record), grad)
    tokenizer, text = _given(tokenizer, text, inputs)
    is_one = not isinstance(text, list)
    if is_one:
        tokenizer, text, aim = sort_out(tokenizer, text, target)
        pairs: list[_Pair] = [(text, aim)]
    elif inputs is not None:
        raise ValueError("inputs are for one run: omit them for several texts")
    else:
        pairs = _pairs(tokenizer, text, target)
    whose = opened(model, tokenizer)
    if pairs[0][0] is None and inputs is None:
        said = "" if tokenizer is None else f", got {type(tokenizer).__name__} alone"
        raise TypeError(f"{NO_TEXT}, or inputs=...{said}")
    learned = whose if isinstance(whose, nn.Module) else whose.model
    with how.running(learned.parameters()):
        if not isinstance(whose, nn.Module):
            runs = _of_own(whose, pairs, how, inputs)
        else:
            _check_known(whose, pairs)
            with leaving_random_numbers(whose):
                runs = _of_foreign(whose, tokenizer, pairs, how, inputs)
    return runs[0] if is_one else runs


def _given(tokenizer: object, text: object, inputs: object) -> tuple[object, Any]:
    """Return the tokenizer and the text, which may be in the tokenizer's place."""
    if (
        text is None
        and inputs is None
        and (isinstance(tokenizer, list | tuple) or is_ids(tokenizer))
    ):
        return None, texts_of(tokenizer)
    return tokenizer, texts_of(text)


def _pairs(tokenizer: object, texts: Sequence[object], targets: object) -> list[_Pair]:
    """Pair several texts with their targets."""
    found = texts_of(targets)
    aims = found if isinstance(found, list) else [found] * len(texts)
    if not texts or len(aims) != len(texts) or isinstance(found, str | Tensor):
        given = len(aims) if isinstance(found, list) else type(targets).__name__
        raise ValueError(
            "give at least one text, and either no targets or one for each text; got "
            f"{len(texts)} and {given}"
        )
    return [sort_out(tokenizer, *pair)[1:] for pair in zip(texts, aims, strict=True)]


def _check_known(model: nn.Module, pairs: Sequence[_Pair]) -> None:
    """Raise ValueError if the model has no vector for an id."""
    for text, _ in pairs:
        if isinstance(text, Tensor) and (size := vocabulary_of(model)):
            check_ids(text.tolist(), size)


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
    return getattr(model, "_orig_mod", model)  # the module inside torch.compile


def _of_own(whole: Opened, pairs: Sequence[_Pair], how: How, inputs: Inputs | None = None) -> Runs:
    if inputs is not None:
        pairs = [(_ids_in(inputs, pairs[0][0]), pairs[0][1])]
    how = replace(how, edits=own_edits(whole, how.edits))
    read = []
    for text, target in pairs:
        if text is None:
            raise TypeError(NO_TEXT)
        read.append(read_own(whole, text, target, how.edits))
    own = whole if isinstance(whole, Checkpoint) else None
    return runs_of(
        own and own.model,
        [len(each.source or ()) + len(each.rows or ()) for each in read],
        lambda i: trace_own(whole, read[i], how),
        lambda: trace_own_together(own, read, how) if own else [],
        how,
    )


def _ids_in(inputs: Inputs, text: object) -> Tensor:
    """Return the ids given to a Loupe model instead of a text."""
    if isinstance(inputs, Mapping) and set(inputs) == {"input_ids"}:
        inputs = inputs["input_ids"]
    found = None if isinstance(inputs, Mapping) else texts_of(inputs)
    if text is not None or not isinstance(found, Tensor):
        raise TypeError(
            "a Loupe model reads a text, or the ids of one text as inputs=; give the ids of "
            "several texts as the text, and those of a target as target="
        )
    return found


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
