"""The browser's modules: their code, their imports and the texts that they use."""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from texts import LANGUAGES, Language
from texts.saying import Text, all_texts

_VIZ = Path(__file__).parents[1]


def read_modules(folder: Path) -> dict[str, bytes]:
    """Read all modules below a folder, by their path in it, without their tests."""
    paths = sorted(folder.glob("**/browser/**/*.js"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


_SAID = re.compile(r'\bsay(?P<family>Of)?\(\s*"(?P<key>[\w.-]+)"')


def texts_module(modules: dict[str, bytes]) -> str:
    """Write the module with the texts that some modules use."""
    codes = [code.decode() for code in modules.values()]
    texts = {spoken: said_by(codes, spoken) for spoken in LANGUAGES}
    return f"export const TEXTS = {json.dumps(texts, ensure_ascii=False)};\n"


def said_by(codes: Iterable[str], spoken: Language) -> dict[str, Text]:
    """Return the texts that some browser code uses, by their keys."""
    found = [match for code in codes for match in _SAID.finditer(code)]
    keys = {match["key"] for match in found if not match["family"]}
    families = ("language.", *(f"{match['key']}." for match in found if match["family"]))
    known = all_texts(spoken).items()
    return {key: text for key, text in known if key in keys or key.startswith(families)}


def hash_of(modules: dict[str, bytes]) -> str:
    """Return a hash of the modules' paths and contents."""
    found = hashlib.sha256()
    for name, code in sorted(modules.items()):
        found.update(f"{name}\0{len(code)}\0".encode())
        found.update(code)
    return found.hexdigest()[:16]


_IMPORT = re.compile(r'^(?:import|\}) .*?from "(\.[^"]+)";$', re.MULTILINE)

TEXTS = "texts.js"
"""The module without a file, which holds the texts of the others in every language."""

MODULES = read_modules(_VIZ)
"""The code of every module, by its path in viz."""
MODULES[TEXTS] = texts_module(MODULES).encode()
HASH = hash_of(MODULES)
"""The hash in the addresses of all modules."""


def imports_of(*names: str) -> tuple[str, ...]:
    """Return some modules with all their direct and indirect imports, each once."""
    found = dict.fromkeys(names)
    waiting = [*names]
    while waiting:
        for wanted in import_paths(waiting.pop()):
            if wanted not in found:
                found[wanted] = None
                waiting.append(wanted)
    return tuple(found)


def import_paths(name: str) -> list[str]:
    """Return the direct imports of a module, by their path in viz."""
    folder = PurePosixPath(name).parent
    return [joined(folder, path) for path in _IMPORT.findall(read_module(name))]


def read_module(name: str) -> str:
    """Return the code of a module."""
    return MODULES[name].decode()


def joined(folder: PurePosixPath, path: str) -> str:
    """Return the path of the module that a module in a folder imports as `path`."""
    parts = [*folder.parts]
    for part in path.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
