"""Prepares a transformers model of this process for the pages of the app.

If Loupe implements the model's family, its own model takes over the weights. No file is written,
and weights that both store in the same layout share their memory. Otherwise Loupe records a copy of
the model while it runs.
"""

import copy
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import tokenizers

from loupe.foreign import model_name
from loupe.from_module import GivenWords
from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.config import TransformerConfig
from model.foreign.huggingface import Opened, RecordedFolder, RecordedModel
from model.foreign.imports.family import Family, find_family
from model.foreign.imports.load import fill
from model.foreign.imports.original import apart
from model.foreign.imports.plan import check_taken, model_without_numbers
from model.foreign.imports.settings import NotComputedError
from model.foreign.imports.words import ForeignWords, read_words
from model.foreign.imports.writing_rules import read_rules
from model.foreign.recording.shared_settings import evaluating
from model.text.tokenizer import Tokenizers
from model.text.words import Specials
from model.transformer import Transformer

_LARGEST_SHARE = 1e-3
"""The largest difference allowed, as a share of the largest number from transformers."""
_SPECIALS = ("pad", "bos", "eos", "unk", "mask")


def shown(model: Any, tokenizer: object) -> Opened:  # noqa: ANN401 - a PreTrainedModel
    """Turn a transformers model into one that the pages show.

    Raises ValueError if Loupe's own model returns other numbers or if the pass cannot be recorded,
    and TypeError if the tokenizer's rules cannot be read.
    """
    values = json.loads(model.config.to_json_string(use_diff=True))
    family = find_family(str(values.get("model_type")))
    if family:
        with suppress(
            NotComputedError
        ):  # its config has settings that Loupe's own model does not compute
            return _poured(model, tokenizer, values, family)
    return _copied(model, tokenizer, values)


def _copied(model: Any, tokenizer: object, values: Mapping[str, Any]) -> RecordedFolder:  # noqa: ANN401
    """Prepare a copy for recording, so that the model itself gets no hooks."""
    recorded = RecordedModel(copy.deepcopy(model))
    words = _words(tokenizer, values, recorded.config, _writing(model, values))
    return RecordedFolder(_info(model, recorded.config, words, type(model).__name__), recorded)


def _poured(
    model: Any,  # noqa: ANN401
    tokenizer: object,
    values: Mapping[str, Any],
    family: Family,
) -> Checkpoint:
    weights = {name: tensor.detach() for name, tensor in model.state_dict().items()}
    config = family.describe(values, weights.keys())
    words = _words(tokenizer, values, config, _writing(model, values))
    if not config.has_encoder:
        config = replace(config, pad_id=words.specials.pad or 0)
    taken = family.take(weights, config)
    own = model_without_numbers(config)
    check_taken(taken, own)
    fill(own, taken)
    own.to(model.device)  # with buffers that it computes itself, such as positions
    if config.has_decoder:
        said = _writing(model, values)
        own.rules = read_rules(said, vocab_size=config.target_vocab_size)
    _check_alike(own, model)
    return Checkpoint(_info(model, config, words, family.title), own)


def _writing(model: Any, values: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ANN401
    """Return a model's generation settings."""
    said = getattr(model, "generation_config", None)
    return values if said is None else said.to_dict()


def _info(
    model: Any,  # noqa: ANN401
    config: TransformerConfig,
    words: ForeignWords | GivenWords,
    kind: str,
) -> CheckpointInfo:
    both = Tokenizers(words, words, shared=True)
    return CheckpointInfo.of_others(model_name(model), config, both, kind=kind)


def _words(
    tokenizer: object,
    values: Mapping[str, Any],
    config: TransformerConfig,
    writing: Mapping[str, Any],
) -> ForeignWords | GivenWords:
    if tokenizer is None:  # its texts are ids
        specials = Specials(pad=config.pad_id if config.has_encoder else None)
        return GivenWords(tokenizer=None, vocab_size=config.predicted_vocab_size, specials=specials)
    rules = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not isinstance(rules, tokenizers.Tokenizer):
        raise TypeError(
            "the app needs a fast tokenizer from transformers, or one from tokenizers, got "
            f"{type(tokenizer).__name__}; loupe.trace takes any tokenizer"
        )
    about = {f"{name}_token": getattr(tokenizer, f"{name}_token", None) for name in _SPECIALS}
    size = config.predicted_vocab_size
    words = read_words(rules.to_str().encode(), about, values, vocab_size=size, writing=writing)
    if (
        not words.specials.stops
    ):  # it names no end token that the model can write, so the tokenizer's count
        words = replace(words, specials=replace(words.specials, stops=None))
    if config.has_encoder:
        words = replace(words, specials=replace(words.specials, pad=config.pad_id))
    return words


def _check_alike(own: Transformer, model: Any) -> None:  # noqa: ANN401
    """Raise ValueError unless both models return the same numbers for a few ids."""
    with evaluating(model.modules()):
        share = apart(own, model)
    if share > _LARGEST_SHARE:
        raise ValueError(
            "the numbers of Loupe's own model differ from those of transformers by up to "
            f"{share:.1g} of the largest one, so the pages would show another model; loupe.trace "
            "records transformers' own model"
        )
