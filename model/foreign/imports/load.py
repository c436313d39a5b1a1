"""Opens a local Hugging Face folder as a checkpoint of Loupe's own model."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, NoReturn

import torch
from torch import Tensor, nn

from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.checkpoints.weights import check_finite
from model.config import TransformerConfig
from model.files.json_fields import shorten
from model.files.plain_text import plain
from model.foreign.errors import FolderError, NotPouredError
from model.foreign.finding import commit_of, name_of
from model.foreign.imports.folder import Files, Folder, has_pieces, look_into, read_pieces_of
from model.foreign.imports.folder_files import called
from model.foreign.imports.pieces import tokenizer_json
from model.foreign.imports.plan import (
    Plan,
    TakenWeights,
    model_without_numbers,
    parameter_names,
    plan,
)
from model.foreign.imports.settings import NotComputedError
from model.foreign.imports.tensor_files import Stored
from model.foreign.imports.tokenizer_files import read_rules_of
from model.foreign.imports.words import ForeignWords, guarded, read_words
from model.linear import store_by_input
from model.text.tokenizer import Tokenizers
from model.traces import AttentionTrace, TransformerTrace
from model.transformer import Transformer

_CHECKED = 8
"""The number of tokens in the pass that checks an opened model."""
_TOLERANCE = 1e-4
"""The largest allowed difference of a row's sum from 1; coarser number types may differ more."""


def plan_folder(path: Path) -> Plan:
    """Describe what opening a folder would load, without loading it. Raises FolderError."""
    return _plan(look_into(path))


def open_folder(path: Path, device: str | torch.device = "cpu") -> Checkpoint:
    """Open a folder as a checkpoint, in evaluation mode and without gradients.

    Everything is checked before it is used: the files, the names and shapes of all weights, their
    memory, and finally one short forward pass. Raises FolderError with one sentence if the folder
    cannot be opened.
    """
    folder = look_into(path)
    planned = _plan(folder)
    try:
        planned.estimate.check()
        info = info_of(folder, planned.config, folder.family.title)
        model = model_without_numbers(info.config)
        model.rules = planned.rules
        fill(model, _take(folder, planned))
        if not planned.estimate.is_mapped:  # a copy would take memory
            store_by_input(model)
        _check_itself(model)
    except (ValueError, OSError, MemoryError) as error:
        _fail(path, error)
    return Checkpoint(info=info, model=model.to(device))


def _check_itself(model: Transformer) -> None:
    """Raise ValueError unless the numbers of a short forward pass are possible.

    They must be finite, and each row of attention weights must sum to 1.
    """
    config = model.config
    with torch.inference_mode():
        trace = model(_spread_ids(config.source_vocab_size), _spread_ids(config.target_vocab_size))
    outputs = [trace.logits, *(stack.output for stack in (trace.encoder, trace.decoder) if stack)]
    if any(not output.isfinite().all() for output in outputs if output is not None):
        raise ValueError("its weights give infinite numbers or NaN for a short text")
    for weights in _attention_weights(trace):
        off = (weights.sum(dim=-1) - 1).abs().max().item()
        if not off <= max(_TOLERANCE, torch.finfo(weights.dtype).eps):
            raise ValueError(
                f"the sum of a row of its attention weights differs from 1 by {off:.2g}"
            )


def _spread_ids(vocab_size: int) -> Tensor | None:
    """Return a few ids, spread over a vocabulary; None if there is no vocabulary."""
    if not vocab_size:
        return None
    return torch.linspace(0, vocab_size - 1, _CHECKED).long()[None]


def _attention_weights(trace: TransformerTrace) -> Iterator[Tensor]:
    for stack in (trace.encoder, trace.decoder):
        for layer in stack.layers if stack else ():
            for part in (layer.self_attn, getattr(layer, "cross_attn", None)):
                if isinstance(part, AttentionTrace):
                    yield part.weights


def read_folder(path: Path) -> CheckpointInfo:
    """Read everything about a folder except weights. Raises FolderError with one sentence."""
    folder = look_into(path)
    planned = _plan(folder)
    try:
        return info_of(folder, planned.config, folder.family.title)
    except ValueError as error:
        _fail(path, error)


def fill(model: Transformer, weights: Mapping[str, Tensor]) -> None:
    """Replace the model's parameters, which have no data, by weights; tied ones stay tied.

    Raises ValueError if a tied parameter would get two values.
    """
    for names in parameter_names(model):
        given = [name for name in names if name in weights]
        if any(not torch.equal(weights[given[0]], weights[name]) for name in given[1:]):
            raise ValueError(
                f"config.json says that {' and '.join(given)} are the same weight "
                "(tie_word_embeddings), but the two differ: set it to false if they were "
                "trained separately"
            )
        parameter = nn.Parameter(weights[given[0]], requires_grad=False)
        for name in names:
            path, _, last = name.rpartition(".")
            setattr(model.get_submodule(path), last, parameter)
    for embedding in (model.source_embedding, model.target_embedding):
        if embedding is not None:
            embedding.make_table()


def _plan(folder: Folder) -> Plan:
    try:
        return plan(folder)
    except ValueError as error:
        _fail(folder.path, error)


def _take(folder: Folder, planned: Plan) -> dict[str, Tensor]:
    def read(name: str, stored: Stored) -> Tensor:
        tensor = stored.read(mapped=planned.estimate.is_mapped).to(planned.estimate.dtype)
        check_finite({shorten(name): tensor})
        return tensor

    same = folder.family.same(planned.config)
    return folder.family.take(TakenWeights(folder.tensors, read, same), planned.config)


def info_of(folder: Files, config: TransformerConfig, kind: str) -> CheckpointInfo:
    """Describe a folder's model, including its tokenizers, without its weights.

    Raises ValueError, in a sentence, if a tokenizer cannot be read.
    """
    source, target = _words_of(folder, config)
    if config.has_encoder:
        source, target = (
            replace(words, specials=replace(words.specials, pad=config.pad_id))
            for words in (source, target)
        )
    else:  # it reads one text, so nothing is padded
        config = replace(config, pad_id=target.specials.pad or 0)
    both = Tokenizers(source, target, shared=source.vocab_size == target.vocab_size)
    name, commit = name_of(folder.path), commit_of(folder.path)
    return CheckpointInfo.of_others(name, config, both, kind=kind, commit=commit)


def _words_of(folder: Files, config: TransformerConfig) -> tuple[ForeignWords, ForeignWords]:
    if has_pieces(folder.path):
        source = _piece_words(folder, config, "source")
        return source, _piece_words(folder, config, "target")
    rules, size = read_rules_of(folder), config.predicted_vocab_size
    words = read_words(
        rules.data, rules.about, folder.config, vocab_size=size, writing=folder.writing
    )
    words = replace(words, cleans=rules.cleans)
    return words, words


def _piece_words(
    folder: Files, config: TransformerConfig, side: Literal["source", "target"]
) -> ForeignWords:
    """Read the tokenizer of one language of a Marian, as its own tokenizer does.

    That tokenizer looks up text that no piece covers in the vocabulary, which may also have the
    other language's pieces.
    """
    pieces, ids = read_pieces_of(folder, side)
    named = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>"}
    size = config.source_vocab_size if side == "source" else config.target_vocab_size
    words = read_words(
        guarded(lambda: tokenizer_json(pieces, ids)),
        named | dict(folder.tokenizer_config),
        folder.config,
        vocab_size=size,
        writing=folder.writing,
    )
    return replace(words, beyond=ids)


def _fail(path: Path, error: Exception) -> NoReturn:
    if isinstance(error, FolderError):
        raise error
    said = "there is not enough memory" if isinstance(error, MemoryError) else str(error)
    kind = NotPouredError if isinstance(error, NotComputedError) else FolderError
    raise kind(plain(f"{called(path)}: {said}")) from error
