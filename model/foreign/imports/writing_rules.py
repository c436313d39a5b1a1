"""A folder's rules for writing, from generation_config.json, or from config.json without one.

`model/writing.py` follows a few rules. For all others Loupe needs transformers' own code, and only
if a folder has one of them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from model.files.json_fields import shorten
from model.foreign.imports.installed import has_transformers
from model.writing import Allow, WritingRules

_USUAL: Mapping[str, Any] = MappingProxyType(
    {
        "sequence_bias": None,
        "encoder_repetition_penalty": 1.0,
        "repetition_penalty": 1.0,
        "no_repeat_ngram_size": 0,
        "encoder_no_repeat_ngram_size": 0,
        "min_length": 0,
        "min_new_tokens": 0,
        "remove_invalid_values": False,
        "exponential_decay_length_penalty": None,
        "suppress_tokens": None,
        "begin_suppress_tokens": None,
        "renormalize_logits": False,
    }
)
"""The rules that transformers computes, each with the value that turns it off."""
_REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "guidance_scale": "runs the model twice for each token",
        "stop_strings": "ends a text at given strings instead of a token",
        "max_time": "ends a text after a given time",
        "penalty_alpha": "chooses tokens by contrastive search",
        "dola_layers": "contrasts the logits of layers",
        "constraints": "requires given words in the text",
        "force_words_ids": "requires given words in the text",
        "watermarking_config": "adds a watermark to the text",
        "token_healing": "changes the end of the prompt",
    }
)
"""The rules that Loupe refuses, and the effect of each."""
_FORCED = ("forced_bos_token_id", "forced_eos_token_id", "bad_words_ids")
"""The rules that `WritingRules` follows itself, if they consist of single tokens."""
_IDS = (*_FORCED, "suppress_tokens", "begin_suppress_tokens")


def read_rules(said: Mapping[str, Any], *, vocab_size: int) -> WritingRules:
    """Read the rules as transformers does.

    Raises ValueError, in a sentence, on rules that Loupe cannot follow.
    """
    _refuse(said)
    asked = {name: said[name] for name in _USUAL if _is_asked(name, said.get(name))}
    if said.get("force_bos_token_to_be_generated"):  # in the first BART folders
        said = {"forced_bos_token_id": said.get("bos_token_id"), **said}
    forced = {name: said[name] for name in _FORCED if said.get(name) not in (None, [])}
    for name, value in (asked | forced).items():
        if name in _IDS:
            _check_ids(name, value, vocab_size)
    ends = ends_of(said, vocab_size=vocab_size)
    first, last, banned = (forced.get(name) for name in _FORCED)
    if asked or isinstance(last, list) or not _is_of_single_tokens(banned):
        return WritingRules(more=_followed(asked | forced, ends, vocab_size))
    return WritingRules(first, last, tuple(id for (id,) in banned or () if id not in ends))


def _is_of_single_tokens(banned: object) -> bool:
    return banned is None or (
        isinstance(banned, list) and all(isinstance(ids, list) and len(ids) == 1 for ids in banned)
    )


def ends_of(said: Mapping[str, Any], *, vocab_size: int) -> tuple[int, ...]:
    """Return the ids that each end a text. Raises ValueError if a value is not an id."""
    ends = said.get("eos_token_id")
    listed = ends if isinstance(ends, list) else [] if ends is None else [ends]
    if not all(type(id) is int for id in listed):
        raise ValueError(f"eos_token_id must be an id or a list of ids, got {shorten(ends)}")
    return tuple(id for id in listed if 0 <= id < vocab_size)


def start_of(said: Mapping[str, Any], config: Mapping[str, Any], *, vocab_size: int) -> int | None:
    """Return the id with which an encoder-decoder begins to write, as transformers finds it."""
    for start in (
        said.get("decoder_start_token_id"),
        said.get("bos_token_id"),
        config.get("decoder_start_token_id"),
    ):
        if type(start) is int and 0 <= start < vocab_size:
            return start
    return None


@dataclass(frozen=True)
class _ByTransformers:
    """The rules of a folder that transformers turns into steps, as in its `generate`."""

    said: str
    """The fields that set a rule, as JSON."""
    ends: tuple[int, ...]

    def begin(self, given: Sequence[int], longest: int, source: Tensor | None) -> Allow:
        """Return the rules of one text."""
        from transformers import GenerationConfig, GenerationMixin

        config = GenerationConfig(**json.loads(self.said), max_length=longest)
        ends = torch.tensor(self.ends, dtype=torch.long) if self.ends else None
        vars(config)["_eos_token_tensor"] = ends
        writer: Any = GenerationMixin()
        writer.config = SimpleNamespace(is_encoder_decoder=source is not None)
        read = torch.tensor([given]) if source is None else source.cpu()
        steps = writer._get_logits_processor(
            config, input_ids_seq_length=len(given), encoder_input_ids=read, device="cpu"
        )
        return lambda scores, ids: steps(ids.cpu(), scores.cpu()).to(scores.device)


def _followed(said: Mapping[str, Any], ends: tuple[int, ...], vocab_size: int) -> _ByTransformers:
    """Return rules for transformers to follow. Raises ValueError if it refuses them on a trial."""
    names = ", ".join(sorted(said))
    if not has_transformers():
        raise ValueError(
            f"its rules for writing ({names} in generation_config.json or config.json) need "
            "transformers, which is not installed: pip install transformers"
        )
    if said.get("exponential_decay_length_penalty") and not ends:
        raise ValueError("exponential_decay_length_penalty needs an eos_token_id, got none")
    rules = _ByTransformers(json.dumps(said, sort_keys=True), ends)
    try:
        allow = rules.begin((0,), 2, torch.tensor([[0]]))
        allow(torch.zeros(1, vocab_size), torch.tensor([[0]]))
    except Exception as error:  # transformers raises many types of errors for its fields
        why = shorten(" ".join(str(error).split()))
        raise ValueError(
            f"transformers cannot apply its rules for writing ({names}): {why}"
        ) from error
    return rules


def _refuse(said: Mapping[str, Any]) -> None:
    for name, what in _REFUSED.items():
        if said.get(name) not in (None, False, 0, 1, [], ""):
            raise ValueError(
                f"{name} of generation_config.json {what}, which Loupe does not support: remove "
                "it from the file to see the model write without it"
            )


def _is_asked(name: str, value: object) -> bool:
    return value is not None and value != _USUAL[name] and value not in ([], False)


def _check_ids(name: str, value: object, vocab_size: int) -> None:
    """Raise ValueError unless all numbers in a value, at any depth, are ids."""
    if value is None:
        return
    if isinstance(value, list):
        for each in value:
            _check_ids(name, each, vocab_size)
    elif type(value) is not int or not 0 <= value < vocab_size:
        raise ValueError(
            f"{name} must be ids of tokens, from 0 to {vocab_size - 1}, got {shorten(value)}"
        )
