"""A model of transformers in this process as the pages of the app show it.

Where Loupe has such a model of its own, that one gets the weights: nothing goes by the disk, and
weights that both keep alike are one in memory. Else a copy is recorded while it runs.
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
from model.foreign.imports.family import Family, importers
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
"""Of the largest number that transformers gives, by which Loupe's may differ."""
_SPECIALS = ("pad", "bos", "eos", "unk", "mask")


def shown(model: Any, tokenizer: object) -> Opened:  # noqa: ANN401 - a PreTrainedModel
    """Make a model of transformers one that the pages show.

    Raises ValueError where Loupe's own model gives something else, or what this one computes cannot
    be recorded, and TypeError where the rules of the tokenizer cannot be read.
    """
    values = json.loads(model.config.to_json_string(use_diff=True))
    family = importers().get(str(values.get("model_type")))
    if family:
        with suppress(NotComputedError):  # its config says more than Loupe's own model computes
            return _poured(model, tokenizer, values, family)
    return _copied(model, tokenizer, values)


def _copied(model: Any, tokenizer: object, values: Mapping[str, Any]) -> RecordedFolder:  # noqa: ANN401
    """Make a copy ready to be recorded: the model itself gets no hooks."""
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
    own.to(model.device)  # with what it computes itself, as positions
    if config.has_decoder:
        said = _writing(model, values)
        own.rules = read_rules(said, vocab_size=config.target_vocab_size)
    _check_alike(own, model)
    return Checkpoint(_info(model, config, words, family.title), own)


def _writing(model: Any, values: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ANN401
    """Return the fields by which a model writes."""
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
    if tokenizer is None:  # its texts are given by their ids
        specials = Specials(pad=config.pad_id if config.has_encoder else None)
        return GivenWords(tokenizer=None, vocab_size=config.predicted_vocab_size, specials=specials)
    rules = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not isinstance(rules, tokenizers.Tokenizer):
        raise TypeError(
            "the app reads texts by a fast tokenizer of transformers, or one of tokenizers, got "
            f"{type(tokenizer).__name__}; loupe.trace takes any"
        )
    about = {f"{name}_token": getattr(tokenizer, f"{name}_token", None) for name in _SPECIALS}
    size = config.predicted_vocab_size
    words = read_words(rules.to_str().encode(), about, values, vocab_size=size, writing=writing)
    if not words.specials.stops:  # it names no end that the model can write: the tokenizer's ends
        words = replace(words, specials=replace(words.specials, stops=None))
    if config.has_encoder:
        words = replace(words, specials=replace(words.specials, pad=config.pad_id))
    return words


def _check_alike(own: Transformer, model: Any) -> None:  # noqa: ANN401
    """Raise ValueError unless both give the same for a few ids."""
    with evaluating(model.modules()):
        share = apart(own, model)
    if share > _LARGEST_SHARE:
        raise ValueError(
            f"Loupe's own model gives numbers up to {share:.1g} of the largest one from those of "
            "transformers, so that its pages would show another model; loupe.trace records "
            "transformers' own"
        )
