"""The modules of the browser: their code, their imports and the texts that they use."""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from texts import LANGUAGES, Language
from texts.saying import Text, all_texts

_VIZ = Path(__file__).parents[1]


def read_modules(folder: Path) -> dict[str, bytes]:
    """Read all modules below a folder, by their path in it; tests of them are not among these."""
    paths = sorted(folder.glob("**/browser/**/*.js"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


_SAID = re.compile(r'\bsay(?P<family>Of)?\(\s*"(?P<key>[\w.-]+)"')


def texts_module(modules: dict[str, bytes]) -> str:
    """Write the module that has the texts which some modules say."""
    codes = [code.decode() for code in modules.values()]
    texts = {spoken: said_by(codes, spoken) for spoken in LANGUAGES}
    return f"export const TEXTS = {json.dumps(texts, ensure_ascii=False)};\n"


def said_by(codes: Iterable[str], spoken: Language) -> dict[str, Text]:
    """Return the texts that some code of the browser says, by their keys."""
    found = [match for code in codes for match in _SAID.finditer(code)]
    keys = {match["key"] for match in found if not match["family"]}
    families = ("language.", *(f"{match['key']}." for match in found if match["family"]))
    known = all_texts(spoken).items()
    return {key: text for key, text in known if key in keys or key.startswith(families)}


def hash_of(modules: dict[str, bytes]) -> str:
    """Name modules by their paths and contents together."""
    found = hashlib.sha256()
    for name, code in sorted(modules.items()):
        found.update(f"{name}\0{len(code)}\0".encode())
        found.update(code)
    return found.hexdigest()[:16]


_IMPORT = re.compile(r'^(?:import|\}) .*?from "(\.[^"]+)";$', re.MULTILINE)

TEXTS = "texts.js"
"""The module that no file is: what the others say, in every language."""

MODULES = read_modules(_VIZ)
"""The code of every module, by its path in viz."""
MODULES[TEXTS] = texts_module(MODULES).encode()
HASH = hash_of(MODULES)
"""The hash that names all modules in their addresses."""


def imports_of(*names: str) -> tuple[str, ...]:
    """Return some modules and all that they import, these too, each once."""
    found = dict.fromkeys(names)
    waiting = [*names]
    while waiting:
        for wanted in import_paths(waiting.pop()):
            if wanted not in found:
                found[wanted] = None
                waiting.append(wanted)
    return tuple(found)


def import_paths(name: str) -> list[str]:
    """Return the modules that one imports itself, by their path in viz."""
    folder = PurePosixPath(name).parent
    return [joined(folder, path) for path in _IMPORT.findall(read_module(name))]


def read_module(name: str) -> str:
    """Return the code of a module."""
    return MODULES[name].decode()


def joined(folder: PurePosixPath, path: str) -> str:
    """Return the path of what a module in a folder imports as `path`."""
    parts = [*folder.parts]
    for part in path.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
