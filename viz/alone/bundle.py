"""Bundles the browser's modules into one script, for a page without a server to load them from."""

import re
from pathlib import PurePosixPath

from viz.pictures.browser_modules import import_paths, joined, read_module

_IMPORT = re.compile(r'^import \{(?P<names>[^}]*)\} from "(?P<path>\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (?P<kind>const|function|function\*|async function|class) (?P<name>\w+)", re.MULTILINE
)
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/)\n", re.MULTILINE | re.DOTALL)
_MODULE_SYNTAX = re.compile(r"^(?:import|export)\b[^\n]*", re.MULTILINE)


def bundle(*names: str) -> str:
    """Write some modules, by their path in viz, with all their imports as one script.

    Each module is a function that runs once, after those that it imports, and returns the module's
    exports. Raises ValueError if modules import each other in a circle, or import or export in a
    form that Loupe's modules do not use.
    """
    order: dict[str, None] = {}
    for name in names:
        _put_in_order(name, order, ())
    parts = "".join(_as_function(name) for name in order)
    return f'"use strict";\nconst modules = {{}};\n{parts}'


def _put_in_order(name: str, order: dict[str, None], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"modules must not import each other: {' > '.join((*above, name))}")
    if name not in order:
        for wanted in import_paths(name):
            _put_in_order(wanted, order, (*above, name))
        order[name] = None


def _as_function(name: str) -> str:
    folder = PurePosixPath(name).parent

    def take(found: re.Match[str]) -> str:
        names = re.sub(r"(\w+) as (\w+)", r"\1: \2", found["names"])
        return f'const {{{names}}} = modules["{joined(folder, found["path"])}"];\n'

    code = _COMMENT.sub("", read_module(name))
    exported = [found["name"] for found in _EXPORT.finditer(code)]
    code = _EXPORT.sub(r"\g<kind> \g<name>", _IMPORT.sub(take, code))
    if left := _MODULE_SYNTAX.search(code):
        raise ValueError(f"{name} has an import or export that cannot be bundled: {left[0]}")
    return f'modules["{name}"] = (() => {{\n{code}return {{ {", ".join(exported)} }};\n}})();\n'
