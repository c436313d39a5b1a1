"""What Python sends and what the browser reads is one shape, written in two languages.

A subject's shapes are declared in its own wire.d.ts, all others in the one of the pictures.
"""

import re
import types
from collections import ChainMap, defaultdict
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from viz.run.record import AttentionKind

VIZ = Path(__file__).parents[3] / "viz"
PICTURES = VIZ / "pictures" / "browser" / "wire.d.ts"
FILES = sorted(VIZ.rglob("browser/wire.d.ts"))
PLAIN = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    Any: "unknown",
}
UNIONS = (Union, types.UnionType)


def as_typescript(annotation: Any, names: Mapping[str, str]) -> str:
    """Write a type of Python as one of TypeScript; `names` has those of choices of words."""
    if is_typeddict(annotation):
        return annotation.__name__
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        words = " | ".join(f'"{value}"' for value in arguments)
        return names.get(words, words)
    parts = [as_typescript(each, names) for each in arguments if each is not Ellipsis]
    if origin in UNIONS:
        return " | ".join(parts)
    if origin in (list, Sequence) or (origin is tuple and arguments[-1] is Ellipsis):
        several = get_origin(arguments[0]) in (*UNIONS, Literal) and " | " in parts[0]
        return f"({parts[0]})[]" if several else f"{parts[0]}[]"
    if origin is tuple:
        return f"[{', '.join(parts)}]"
    if origin in (dict, Mapping):
        return f"Record<{', '.join(parts)}>"
    return PLAIN[annotation]


def twins() -> dict[Path, list[str]]:
    """The modules that declare shapes, by the file that has to declare the same."""
    found = defaultdict(list)
    for file in sorted(VIZ.rglob("*.py")):
        if re.search(r"^class Wire\w*\(.*TypedDict", file.read_text("utf-8"), re.MULTILINE):
            parts = file.relative_to(VIZ).with_suffix("").parts
            is_subject = parts[0] == "subjects"
            home = VIZ.joinpath(*parts[:2]) / "browser" / "wire.d.ts" if is_subject else PICTURES
            found[home].append(".".join(("viz", *parts)))
    return dict(found)


def shapes(file: Path) -> dict[str, dict[str, str]]:
    """The shapes that Python's half of a file declares, in TypeScript."""
    names = {words: name for each in (PICTURES, file) for name, words in choices(each).items()}
    return {
        name: {
            f"{field}?" if field in shape.__optional_keys__ else field: as_typescript(hint, names)
            for field, hint in get_type_hints(shape).items()
        }
        for module in map(import_module, twins()[file])
        for name, shape in vars(module).items()
        if is_typeddict(shape) and shape.__module__ == module.__name__
    }


def choices(file: Path) -> dict[str, str]:
    """The choices of words that a file gives names to."""
    found = re.findall(r"^export type (\w+) =(.*?);", file.read_text("utf-8"), re.DOTALL | re.M)
    return {name: " ".join(words.split()).removeprefix("| ") for name, words in found}


def declared(file: Path) -> dict[str, dict[str, str]]:
    """The shapes that the browser's half declares."""
    text = file.read_text(encoding="utf-8")
    heading = r"export interface (Wire\w+)(?: extends ([\w, ]+))? \{(.*?)\n\}"
    fields = re.compile(r"^  (\w+\??): (.*);$", re.MULTILINE)
    found: dict[str, dict[str, str]] = {}
    for name, bases, body in re.findall(heading, text, re.DOTALL):
        inherited = [found[base] for base in bases.split(", ") if base]
        found[name] = dict(ChainMap(dict(fields.findall(body)), *inherited))
    return found


def test_what_one_half_declares_the_other_has_a_place_for():
    assert sorted(twins()) == FILES
    assert {"viz.run.wire", "viz.pictures.panels"} <= set(twins()[PICTURES])
    assert len(shapes(PICTURES)) > 5


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(VIZ)))
def test_both_halves_declare_the_same_shapes(file):
    assert declared(file) == shapes(file)


def test_both_halves_name_the_same_kinds():
    kinds = choices(PICTURES)["Kind"]
    assert kinds == " | ".join(f'"{kind}"' for kind in get_args(AttentionKind))
