"""A foreign config.json as a config of transformers: only fields that its kind declares get there.

transformers would take any field it is given: one names code to be fetched, another a file to be
read instead. So none is handed on that is not known to be a number, a word or a switch of the kind.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from model.files.json_fields import shorten
from model.foreign.imports.plan import MOST_HEADS, MOST_LAYERS, MOST_WORDS
from model.foreign.imports.settings import HARMLESS

_ROTARY = ("rope_theta", "rope_scaling", "partial_rotary_factor")
"""What older files say of rotary positions, in place of `rope_parameters`."""
_OBJECTS = ("rope_parameters", "rope_scaling")
_UNUSED = ("architectures", "dtype", "id2label", "label2id", "transformers_version")
"""What is not needed to compute, or asked for elsewhere."""
_ABSENT = object()
_MOST_ITEMS = 1000


def config_for(values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a PreTrainedConfig
    """Build the config that a config.json describes.

    Raises ValueError, in a sentence, on a kind that transformers lacks or that has parts of other
    kinds, and on fields that the kind does not declare.
    """
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    said = values.get("model_type")
    if not isinstance(said, str) or said not in CONFIG_MAPPING:
        raise ValueError(f"model_type of config.json is none that transformers has, {_got(said)}")
    kind = CONFIG_MAPPING[said]
    if not dataclasses.is_dataclass(kind) or getattr(kind, "sub_configs", None):
        raise ValueError(f"a {shorten(said)} is put together of several models, or reads no text")
    declared = _declared(kind)
    config = _built(kind, {name: values[name] for name in declared & values.keys()})
    _refuse_rest({n: v for n, v in values.items() if n not in declared}, config)
    return config


def _declared(kind: Any) -> set[str]:  # noqa: ANN401
    """Name the fields that are handed on."""
    declared = {field.name for field in dataclasses.fields(kind)}
    declared |= set(getattr(kind, "attribute_map", {}))
    if "rope_parameters" in declared:
        declared |= set(_ROTARY)
    return {name for name in declared - set(_UNUSED) if "implementation" not in name}


def _built(kind: Any, known: Mapping[str, Any]) -> Any:  # noqa: ANN401
    for name, value in known.items():
        _check(name, value)
    try:
        return kind(**known)
    except Exception as error:
        # transformers checks its fields with errors of many kinds
        said = shorten(" ".join(str(error).split()))
        raise ValueError(f"config.json describes no {kind.model_type}: {said}") from error


def _refuse_rest(rest: Mapping[str, Any], config: Any) -> None:  # noqa: ANN401
    """Raise ValueError on a field that says what the config, built without it, does not."""
    for name, value in rest.items():
        is_unused = name in HARMLESS or name in _UNUSED or "implementation" in name
        is_off = value is None or value is False
        if not (is_unused or is_off or getattr(config, name, _ABSENT) == value):
            raise ValueError(
                f"config.json sets {shorten(name)}, which a {config.model_type} does not have: "
                "it may change what the model computes; take it out if it does not"
            )


def _check(name: str, value: object) -> None:
    """Raise ValueError on what is no plain value, or so large that building it would not end."""
    if isinstance(value, dict) and name in _OBJECTS:
        for part in value.values():
            _check(name, part)
        return
    if isinstance(value, list) and len(value) <= _MOST_ITEMS:
        for item in value:
            if not isinstance(item, str | int | float):
                raise ValueError(f"{name} of config.json cannot be used, {_got(value)}")  # noqa: TRY004
        return
    if value is None or isinstance(value, str | bool | float):
        return
    if type(value) is not int:
        raise ValueError(f"{name} of config.json cannot be used, {_got(value)}")
    most = 1 << 31
    for part, limit in (("layer", MOST_LAYERS), ("head", MOST_HEADS), ("vocab", MOST_WORDS)):
        if part in name and "dim" not in name and "size" not in name.replace("vocab_size", ""):
            most = limit
    if abs(value) > most:
        raise ValueError(f"{name} of config.json may be at most {most:,}, {_got(value)}")


def _got(value: object) -> str:
    return f"got {shorten(value)}"
