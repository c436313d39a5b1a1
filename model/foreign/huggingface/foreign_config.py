"""Turns a third-party config.json into a config of transformers, with only the fields it reads.

transformers accepts any field: one names code to download, another a file to read instead. So Loupe
passes a field on only if the kind of model declares it or its code reads it. Fields that no code of
the kind reads would change nothing, and are left out.
"""

import dataclasses
import inspect
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from model.files.json_fields import shorten
from model.foreign.imports.plan import MOST_HEADS, MOST_LAYERS, MOST_WORDS
from model.foreign.imports.settings import HARMLESS

_ROTARY = ("rope_theta", "rope_scaling", "partial_rotary_factor")
"""The fields for rotary positions in older files, in place of `rope_parameters`."""
_OBJECTS = ("rope_parameters", "rope_scaling")
_UNUSED = ("architectures", "dtype", "id2label", "label2id", "transformers_version")
"""Fields that are not needed to compute, or that other code reads."""
_ELSEWHERE = ("transformers_weights", "fusion_config", "per_layer_config")
"""Fields that make transformers read files outside the folder, or build other parts."""
_SHARED = ("modeling_rope_utils", "masking_utils", "modeling_layers", "cache_utils")
"""Modules of transformers that read configs of all kinds."""
_READ = re.compile(r"config\.([a-z]\w*)|(?:get|has)attr\(\w*config, \"(\w+)\"")
_WORD = re.compile(r"\b[a-z]\w*\b")
_MOST_ITEMS = 1000
_DEEPEST = 4


def config_for(values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a PreTrainedConfig
    """Build the config that a config.json describes, as `AutoConfig` of transformers would.

    Raises ValueError, in a sentence, on a kind that transformers lacks or that contains models of
    other kinds, and on fields whose values cannot be passed on.
    """
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    said = values.get("model_type")
    if not isinstance(said, str) or said not in CONFIG_MAPPING:
        raise ValueError(
            f"model_type of config.json must be a type that transformers knows, {_got(said)}"
        )
    kind = CONFIG_MAPPING[said]
    if not dataclasses.is_dataclass(kind) or any(map(_is_model, _parts(kind).values())):
        raise ValueError(
            f"a model of type {shorten(said)} consists of several models or does not read text; "
            "Loupe can open only single models of text"
        )
    for name in _ELSEWHERE:
        if values.get(name):
            raise ValueError(f"config.json sets {name}, which Loupe does not support: remove it")
    return _built(kind, {name: values[name] for name in _handed_on(kind) & values.keys()})


def _handed_on(kind: Any) -> set[str]:  # noqa: ANN401
    """Return the fields to pass on: those that the kind declares, and those that its code reads."""
    declared = {field.name for field in dataclasses.fields(kind)}
    declared |= set(getattr(kind, "attribute_map", {}))
    if "rope_parameters" in declared:
        declared |= set(_ROTARY)
    read = {name for name in _names_read(kind) - HARMLESS if not hasattr(kind, name)}
    unused = {*_UNUSED, *_ELSEWHERE}
    return {name for name in (declared | read) - unused if "implementation" not in name}


@cache
def _names_read(kind: Any) -> frozenset[str]:  # noqa: ANN401
    """Return every word in the kind's own modules, and each field that shared code reads."""
    import transformers

    home = Path(inspect.getfile(transformers)).parent
    found: set[str] = set()
    for base in kind.__mro__:
        folder = Path(inspect.getfile(base)).parent if base.__module__ != "builtins" else home
        if folder.parent == home / "models":
            for file in (*folder.glob("configuration_*.py"), *folder.glob("modeling_*.py")):
                found |= set(_WORD.findall(file.read_text(encoding="utf-8")))
    for name in _SHARED:
        text = (home / f"{name}.py").read_text(encoding="utf-8")
        found |= {plain or asked for plain, asked in _READ.findall(text)}
    return frozenset(found)


def _parts(kind: Any) -> Mapping[str, Any]:  # noqa: ANN401
    """Return the types of the configs within a config, by field."""
    return getattr(kind, "sub_configs", None) or {}


def _is_model(part: Any) -> bool:  # noqa: ANN401
    """Return whether a config within another one describes a whole model."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING, AutoConfig

    return part is AutoConfig or getattr(part, "model_type", "") in CONFIG_MAPPING


def _built(kind: Any, known: Mapping[str, Any]) -> Any:  # noqa: ANN401
    parts = _parts(kind)
    for name, value in known.items():
        if name in parts and isinstance(value, dict):
            _check_part(parts[name], name, value)
        else:
            _check(name, value)
    try:
        return kind(**known)
    except Exception as error:
        # transformers raises many types of errors for its fields
        said = shorten(" ".join(str(error).split()))
        raise ValueError(f"config.json does not describe a {kind.model_type}: {said}") from error


def _check_part(part: Any, where: str, values: Mapping[str, Any]) -> None:  # noqa: ANN401
    """Raise ValueError if a config within another one has an unknown field or an unusable value."""
    declared = {field.name for field in dataclasses.fields(part)}
    for name, value in values.items():
        if name in declared and "implementation" not in name:
            _check(name, value)
        elif value not in (None, False):
            raise ValueError(
                f"{where} of config.json sets {shorten(name)}, which Loupe does not support"
            )


def _check(name: str, value: object, depth: int = 0) -> None:
    """Raise ValueError on a value that is not plain, or too large to build a model from."""
    if isinstance(value, dict) and name in _OBJECTS and depth < _DEEPEST:
        for part in value.values():
            _check(name if isinstance(part, dict) else "", part, depth + 1)
        return
    if isinstance(value, list) and len(value) <= _MOST_ITEMS and depth < _DEEPEST:
        for item in value:
            if not isinstance(item, str | int | float | list) or (
                depth and type(item) is int and abs(item) > _MOST_ITEMS
            ):
                raise ValueError(f"{name} of config.json cannot be used, {_got(value)}")
            if isinstance(item, list):
                _check(name, item, depth + 1)
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
        raise ValueError(f"{name} of config.json must be at most {most:,}, {_got(value)}")


def _got(value: object) -> str:
    return f"got {shorten(value)}"
