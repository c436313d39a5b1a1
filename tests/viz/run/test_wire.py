"""What Python sends and what the browser reads is one shape, written in two languages."""

import re
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from viz.pictures import panels
from viz.run import wire
from viz.run.record import AttentionKind

FILE = Path(__file__).parents[3] / "viz" / "pictures" / "browser" / "wire.d.ts"
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def as_typescript(annotation: Any) -> str:
    """Write a type of Python as one of TypeScript."""
    if annotation == AttentionKind:
        return "Kind"
    if is_typeddict(annotation):
        return annotation.__name__
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in arguments)
    parts = [as_typescript(argument) for argument in arguments if argument is not Ellipsis]
    if origin in (Union, types.UnionType):
        return " | ".join(parts)
    if origin in (list, Sequence):
        several = get_origin(arguments[0]) in (Union, types.UnionType)
        return f"({parts[0]})[]" if several else f"{parts[0]}[]"
    if origin is tuple and arguments[-1] is Ellipsis:
        return f"{as_typescript(arguments[0])}[]"
    if origin is tuple:
        return f"[{', '.join(parts)}]"
    if origin is dict:
        return f"Record<{', '.join(parts)}>"
    return PLAIN[annotation]


def shapes() -> dict[str, dict[str, str]]:
    """The shapes of Python, in TypeScript."""
    return {
        name: {field: as_typescript(hint) for field, hint in get_type_hints(shape).items()}
        for name, shape in (vars(wire) | vars(panels)).items()
        if is_typeddict(shape)
    }


def declared() -> dict[str, dict[str, str]]:
    """The shapes that the browser's half declares."""
    text = FILE.read_text(encoding="utf-8")
    found = re.findall(r"export interface (Wire\w+) \{(.*?)\n\}", text, re.DOTALL)
    return {name: dict(re.findall(r"^  (\w+): (.*);$", body, re.MULTILINE)) for name, body in found}


def test_both_halves_declare_the_same_shapes():
    assert len(shapes()) > 5
    assert declared() == shapes()


def test_both_halves_name_the_same_kinds():
    (kinds,) = re.findall(r"export type Kind = (.*);", FILE.read_text(encoding="utf-8"))
    assert kinds == " | ".join(f'"{kind}"' for kind in get_args(AttentionKind))
