"""Find the text keys that the code uses, and calls that name no key."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from texts.saying import Text, all_texts
from viz.pictures.browser_modules import read_modules

ROOT = Path(__file__).parents[2]
PYTHON = ("app.py", "loupe", "model", "sample_data", "texts", "viz")
SAYING = ("saying.py", "tokens.py")
"""Files that only pass a key on."""
SAYS = re.compile(r"^from (texts|texts\.spoken|viz\.pictures|viz\.pictures\.tokens) import ", re.M)
_IMPORTS = re.compile(r'from "[./\w]*/say\.js"')
_SAY_OF = re.compile(r'\bsayOf\(\s*"([\w.-]+)"')
_SAY = re.compile(r'\bsay\(\s*"([\w.-]+)"')
_CALL = re.compile(r'\bsay(?:Of)?\(\s*(?!")')


class Said(NamedTuple):
    """The keys and families named in some code, and the places that name none."""

    keys: set[str]
    families: set[str]
    unnamed: list[str]


def python_files() -> Iterator[Path]:
    for name in PYTHON:
        place = ROOT / name
        yield from [place] if place.is_file() else sorted(place.rglob("*.py"))


def said_by_python() -> Said:
    said = Said(set(), set(), [])
    for path in python_files():
        code = path.read_text(encoding="utf-8")
        if not SAYS.search(code):
            continue
        for node in ast.walk(ast.parse(code)):
            name = called(node)
            if name not in ("say", "say_of", "say_markup", "named"):
                continue
            match node.args:
                case [ast.Constant(value=str() as key), *_]:
                    (said.families if name in ("say_of", "named") else said.keys).add(key)
                case [
                    ast.IfExp(
                        body=ast.Constant(value=str() as one),
                        orelse=ast.Constant(value=str() as other),
                    )
                ]:
                    said.keys.update((one, other))
                case _ if path.name not in SAYING:
                    said.unnamed.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return said


def said_by_browser() -> Said:
    said = Said(set(), set(), [])
    for name, code in read_modules(ROOT / "viz").items():
        text = code.decode()
        if not _IMPORTS.search(text):
            continue
        said.keys.update(_SAY.findall(text))
        said.families.update(_SAY_OF.findall(text))
        said.unnamed.extend(f"{name}: {text[m.start() :][:40]}" for m in _CALL.finditer(text))
    return said


def called(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name
    return None


_FIELDS = re.compile(r"\{[^{}]*\}|<[^<>]*>|[*`_]+|&\w+;")
"""Parts of a text that readers do not see as written: values, tags, Markdown signs."""
_LEAST_WORDS = 3


def forms(text: Text) -> list[str]:
    """Return the form of a text, or its singular and plural forms."""
    return [text] if isinstance(text, str) else [*text.values()]


def only_english() -> dict[str, str]:
    """Map the longest piece of each text that can only be English to the text's key."""
    french = " ".join(form for text in all_texts("fr").values() for form in forms(text))
    found = {}
    for key, text in all_texts("en").items():
        for form in forms(text):
            piece = max(_FIELDS.split(form), key=len).strip()
            if len(piece.split()) >= _LEAST_WORDS and piece not in french:
                found[" ".join(piece.split())] = key
    return found
