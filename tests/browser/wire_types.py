"""Write what Python sends as the types that the browser's half is checked with.

`python -m tests.browser.wire_types` writes a `wire.d.ts` into each `browser/` folder whose Python
declares `Wire…` types of its own; those of all pictures go to `viz/pictures/browser/`. These files
are not committed: `start.py test` writes them anew before tsc reads them.
"""

import ast
import inspect
import re
import types
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

ROOT = Path(__file__).parents[2]
VIZ = ROOT / "viz"
PICTURES = VIZ / "pictures" / "browser" / "wire.d.ts"
PLAIN = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    Any: "unknown",
}
UNIONS = (Union, types.UnionType)
HEADING = "// What Python sends, written from its TypedDicts by tests/browser/wire_types.py.\n"


def as_typescript(annotation: Any, names: Mapping[Any, str] = types.MappingProxyType({})) -> str:
    """Return a Python type as a TypeScript type; `names` maps Literal types to their names."""
    if is_typeddict(annotation):
        return annotation.__name__
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return names.get(annotation) or " | ".join(f'"{value}"' for value in arguments)
    parts = [as_typescript(each, names) for each in arguments if each is not Ellipsis]
    if origin in UNIONS:
        return " | ".join(parts)
    if origin in (list, Sequence) or (origin is tuple and arguments[-1] is Ellipsis):
        return f"({parts[0]})[]" if " | " in parts[0] else f"{parts[0]}[]"
    if origin is tuple:
        return f"[{', '.join(parts)}]"
    if origin in (dict, Mapping):
        return f"Record<{', '.join(parts)}>"
    return PLAIN[annotation]


def senders() -> dict[Path, list[types.ModuleType]]:
    """Return the modules that declare wire types, by the `wire.d.ts` that they belong to."""
    found = defaultdict(list)
    for file in sorted(VIZ.rglob("*.py")):
        if re.search(r"^class Wire\w*\(", file.read_text("utf-8"), re.MULTILINE):
            parts = file.relative_to(VIZ).with_suffix("").parts
            is_subject = parts[0] == "subjects"
            home = VIZ.joinpath(*parts[:2]) / "browser" / "wire.d.ts" if is_subject else PICTURES
            found[home].append(import_module(".".join(("viz", *parts))))
    return dict(found)


def declaration(modules: Sequence[types.ModuleType], shared: Mapping[Any, str]) -> str:
    """Return the text of one `wire.d.ts`; `shared` maps types of the pictures' file to names."""
    names = {**choices(modules), **shared}
    text = "".join(
        f"\nexport type {name} = {as_typescript(choice)};\n"
        for choice, name in names.items()
        if choice not in shared
    )
    text += "".join(interface(shape, names) for module in modules for shape in shapes(module))
    own = {shape.__name__ for module in modules for shape in shapes(module)}
    imported = sorted(name for name in {*shared.values()} - own if re.search(rf"\b{name}\b", text))
    if imported:
        source = "../../../pictures/browser/wire"
        text = f'\nimport type {{ {", ".join(imported)} }} from "{source}";\n{text}'
    return HEADING + text


def choices(modules: Sequence[types.ModuleType]) -> dict[Any, str]:
    """Return the names of the Literal types that some modules declare or import."""
    return {
        value: name
        for module in modules
        for name, value in vars(module).items()
        if get_origin(value) is Literal
    }


def shapes(module: types.ModuleType) -> list[type]:
    """Return the TypedDicts that a module itself declares, in order."""
    return [
        shape
        for shape in vars(module).values()
        if is_typeddict(shape) and shape.__module__ == module.__name__
    ]


def interface(shape: Any, names: Mapping[Any, str]) -> str:
    """Return one TypedDict as an interface, with its docstrings as comments."""
    told = documented(shape)
    lines = ["", comment(shape.__doc__ or ""), f"export interface {shape.__name__} {{"]
    for field, hint in get_type_hints(shape).items():
        if field in told:
            lines.append(f"  {comment(told[field])}")
        optional = "?" if field in shape.__optional_keys__ else ""
        lines.append(f"  {field}{optional}: {as_typescript(hint, names)};")
    return "\n".join((*lines, "}", ""))


def documented(shape: type) -> dict[str, str]:
    """Return the docstrings under the fields of a TypedDict."""
    body = ast.parse(inspect.getsource(shape)).body[0].body  # pyright: ignore[reportAttributeAccessIssue]
    return {
        field.target.id: said.value.value
        for field, said in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(said, ast.Expr)
    }


def comment(text: str) -> str:
    """Return a TypeScript comment."""
    return f"/** {' '.join(text.split())} */"


def main() -> None:
    """Write all declaration files."""
    modules = senders()
    shared = choices(modules[PICTURES])
    shared |= {shape: shape.__name__ for each in modules[PICTURES] for shape in shapes(each)}
    for file, of in modules.items():
        file.write_text(declaration(of, {} if file == PICTURES else shared), "utf-8")


if __name__ == "__main__":
    main()
