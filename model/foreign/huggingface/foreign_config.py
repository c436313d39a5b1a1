"""A foreign config.json as a config of transformers: only fields that its kind reads get there.

transformers would take any field it is given: one names code to be fetched, another a file to be
read instead. So a field is handed on only if the kind declares it or its own code reads it. Fields
that no code of the kind reads change nothing, and are left out.
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
"""What older files say of rotary positions, in place of `rope_parameters`."""
_OBJECTS = ("rope_parameters", "rope_scaling")
_UNUSED = ("architectures", "dtype", "id2label", "label2id", "transformers_version")
"""What is not needed to compute, or asked for elsewhere."""
_ELSEWHERE = ("transformers_weights", "fusion_config", "per_layer_config")
"""What makes transformers read other files than the folder's, or build other parts."""
_SHARED = ("modeling_rope_utils", "masking_utils", "modeling_layers", "cache_utils")
"""Code of transformers that reads configs of all kinds."""
_READ = re.compile(r"config\.([a-z]\w*)|(?:get|has)attr\(\w*config, \"(\w+)\"")
_WORD = re.compile(r"\b[a-z]\w*\b")
_MOST_ITEMS = 1000
_DEEPEST = 4


def config_for(values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a PreTrainedConfig
    """Build the config that a config.json describes, as `AutoConfig` of transformers would.

    Raises ValueError, in a sentence, on a kind that transformers lacks or that has models of other
    kinds in it, and on fields whose values cannot be handed on.
    """
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    said = values.get("model_type")
    if not isinstance(said, str) or said not in CONFIG_MAPPING:
        raise ValueError(f"model_type of config.json is none that transformers has, {_got(said)}")
    kind = CONFIG_MAPPING[said]
    if not dataclasses.is_dataclass(kind) or any(map(_is_model, _parts(kind).values())):
        raise ValueError(f"a {shorten(said)} is put together of several models, or reads no text")
    for name in _ELSEWHERE:
        if values.get(name):
            raise ValueError(f"config.json sets {name}, which is not followed: take it out")
    return _built(kind, {name: values[name] for name in _handed_on(kind) & values.keys()})


def _handed_on(kind: Any) -> set[str]:  # noqa: ANN401
    """Name the fields to hand on: those that the kind declares, and those that its code reads."""
    declared = {field.name for field in dataclasses.fields(kind)}
    declared |= set(getattr(kind, "attribute_map", {}))
    if "rope_parameters" in declared:
        declared |= set(_ROTARY)
    read = {name for name in _names_read(kind) - HARMLESS if not hasattr(kind, name)}
    unused = {*_UNUSED, *_ELSEWHERE}
    return {name for name in (declared | read) - unused if "implementation" not in name}


@cache
def _names_read(kind: Any) -> frozenset[str]:  # noqa: ANN401
    """Name every word of the kind's own modules, and each field that shared code reads."""
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
    """Return the configs in a config: objects among its fields."""
    return getattr(kind, "sub_configs", None) or {}


def _is_model(part: Any) -> bool:  # noqa: ANN401
    """Return whether a config inside another describes a whole model."""
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
        # transformers checks its fields with errors of many kinds
        said = shorten(" ".join(str(error).split()))
        raise ValueError(f"config.json describes no {kind.model_type}: {said}") from error


def _check_part(part: Any, where: str, values: Mapping[str, Any]) -> None:  # noqa: ANN401
    """Raise ValueError on a config inside another with a value that is not plain, or not known."""
    declared = {field.name for field in dataclasses.fields(part)}
    for name, value in values.items():
        if name in declared and "implementation" not in name:
            _check(name, value)
        elif value not in (None, False):
            raise ValueError(f"{where} of config.json sets {shorten(name)}, which is not followed")


def _check(name: str, value: object, depth: int = 0) -> None:
    """Raise ValueError on a value that is not plain, or so large that building it would not end."""
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
        raise ValueError(f"{name} of config.json may be at most {most:,}, {_got(value)}")


def _got(value: object) -> str:
    return f"got {shorten(value)}"
