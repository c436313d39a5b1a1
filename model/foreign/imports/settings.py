"""Reads a third-party config.json field by field, and refuses fields that no code has read."""

import json
import math
from collections.abc import Mapping
from typing import Any, TypeVar

from model.config import Activation
from model.files.json_fields import shorten

T = TypeVar("T")

CONFIG = "config.json"
_REQUIRED: Any = object()
_OFF = (None, False, 0, "", [], {})
"""Values that turn a field off."""

_HARMLESS = """
    _commit_hash _name_or_path _num_labels architectures attention_dropout
    attention_probs_dropout_prob attn_pdrop bad_words_ids begin_suppress_tokens bos_token_id
    chunk_size_feed_forward classifier_dropout decoder_start_token_id diversity_penalty
    do_sample dropout dtype early_stopping embd_pdrop encoder_no_repeat_ngram_size eos_token_id
    exponential_decay_length_penalty finetuning_task forced_bos_token_id forced_eos_token_id
    gradient_checkpointing hidden_dropout hidden_dropout_prob id2label initializer_factor
    initializer_range is_llama_config keys_to_ignore_at_inference label2id length_penalty
    max_length min_length model_type no_repeat_ngram_size num_beam_groups num_beams num_labels
    num_return_sequences output_attentions output_hidden_states output_past output_scores
    pad_token_id prefix pretraining_tp problem_type remove_invalid_values repetition_penalty
    resid_pdrop return_dict return_dict_in_generate sep_token_id suppress_tokens
    task_specific_params temperature tf_legacy_loss tokenizer_class top_k top_p torch_dtype
    torchscript transformers.js_config transformers_version typical_p unsloth_fixed
    unsloth_version use_cache
"""
HARMLESS = frozenset(_HARMLESS.split())
"""Fields that do not change a forward pass: for training, writing and bookkeeping."""

ACTIVATIONS: dict[str, Activation] = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_fast": "gelu_tanh",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
"""Activations: their names in transformers -> our names."""


class NotComputedError(ValueError):
    """A config of a known family with a setting that Loupe's own model does not compute."""


class Settings:
    """The fields of a config.json, each read by its type; records which fields were read.

    Each method that reads raises ValueError, in a sentence, if the field cannot be used.
    """

    def __init__(self, values: Mapping[str, Any], *, where: str = CONFIG) -> None:
        self._values = dict(values)
        self._where = where
        self._asked: set[str] = set(HARMLESS)

    def whole(self, name: str, default: int = _REQUIRED, *, least: int = 1) -> int:
        """Return a whole number of at least `least`; null counts as absent."""
        value = self._ask(name, default)
        if type(value) is not int or not least <= value < 1 << 31:
            raise ValueError(
                f"{name} of {self._where} must be a whole number of at least {least}, "
                f"got {shorten(value)}"
            )
        return value

    def number(self, name: str, default: float = _REQUIRED) -> float:
        """Return a finite number; null counts as absent."""
        value = self._ask(name, default)
        if type(value) not in (int, float) or abs(value) > 1e30 or math.isnan(value):
            raise ValueError(f"{name} of {self._where} must be a number, got {shorten(value)}")
        return float(value)

    def flag(self, name: str, default: bool = _REQUIRED) -> bool:
        """Return true or false; null counts as absent."""
        value = self._ask(name, default)
        if type(value) is not bool:
            raise ValueError(f"{name} of {self._where} must be true or false, got {shorten(value)}")
        return value

    def choice(self, name: str, choices: Mapping[str, T], default: str = _REQUIRED) -> T:
        """Return the value that a known word stands for."""
        value = self._ask(name, default)
        if not isinstance(value, str) or value not in choices:
            known = ", ".join(sorted(choices))
            raise self._not_computed(
                f"{name} of {self._where} must be one of {known}, got {shorten(value)}"
            )
        return choices[value]

    def must(self, name: str, *values: object) -> None:
        """Require one of the given values; absent and null are allowed."""
        value = self._ask(name, None)
        if value is not None and not any(value == v and type(value) is type(v) for v in values):
            known = " or ".join(map(json.dumps, values)) or "absent"
            raise self._not_computed(
                f"{name} of {self._where} must be {known}, got {shorten(value)}: "
                "Loupe supports no other value"
            )

    def part(self, name: str) -> "Settings | None":
        """Return an object among the fields as its own settings; None if it is empty."""
        value = self._ask(name, None)
        if value in (None, {}):
            return None
        if not isinstance(value, dict):
            raise ValueError(  # noqa: TRY004 - callers expect ValueError
                f"{name} of {self._where} must be an object, got {shorten(value)}"
            )
        return Settings(value, where=f"{name} of {self._where}")

    def words(self, name: str) -> tuple[str, ...] | None:
        """Return a list of strings; None if the field is absent."""
        value = self._ask(name, None)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise ValueError(
                f"{name} of {self._where} must be a list of strings, got {shorten(value)}"
            )
        return tuple(value)

    def has(self, name: str) -> bool:
        """Return whether a field is present and not null."""
        return self._values.get(name) is not None

    def is_null(self, name: str) -> bool:
        """Return whether a field is null, if that differs from being absent."""
        return name in self._values and self._values[name] is None

    def ignore(self, *names: str) -> None:
        """Declare that fields change nothing in a forward pass of this family."""
        self._asked.update(names)

    def refuse_unread(self) -> None:
        """Raise ValueError on fields that set something and that no code has read."""
        unread = sorted(
            name
            for name, value in self._values.items()
            if name not in self._asked and value not in _OFF
        )
        if unread:
            raise self._not_computed(
                f"{self._where} sets {shorten(', '.join(unread))}, which Loupe does not know "
                "and which may change the model's numbers; if it does not, remove it from the file"
            )

    def _not_computed(self, message: str) -> ValueError:
        """Return the error for a field; transformers may compute it, unless it is in an object."""
        return (NotComputedError if self._where == CONFIG else ValueError)(message)

    def _ask(self, name: str, default: object) -> Any:  # noqa: ANN401 - checked by who asks
        self._asked.add(name)
        value = self._values.get(name)
        if value is None:
            value = default
        if value is _REQUIRED:
            raise ValueError(f"{self._where} needs {name}")
        return value
