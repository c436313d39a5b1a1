"""Reads the rules of a folder's tokenizer, from all files that define them.

AutoTokenizer of transformers makes the rules, because its ids are the reference for a folder. It
runs in a separate process, on copies of the files that it may see. Without transformers, Loupe
reads only tokenizer.json and refuses a folder whose other files add rules to it.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from model.files.json_fields import shorten
from model.foreign.imports.folder import RULE_FILES, Files, read_if_there
from model.foreign.imports.folder_files import CONFIG, TOKENIZER, TOKENIZER_CONFIG
from model.foreign.imports.installed import has_transformers
from model.foreign.imports.tokenizer_apart import TokenizerApart, TokenizerError, run_apart

_MOST_KEPT = 4
_ADDED_TOKENS = "added_tokens.json"
_SAID = ("model_type", "tokenizer_class", "transformers_version", "model_name")
"""The fields of config.json by which transformers chooses a class of tokenizers."""
_UNSEEN = ("auto_map", "chat_template", "name_or_path", "processor_class")
_SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token")
_PROBES = (
    "Hello, world", " a  b", "a\n\nb\tc", "It's 1,234.5 (or so) ...", "É é ß Ж 你好 ع",
    "\U0001f469\u200d\U0001f467 e\u0301", "<b>x</b> [1] {2} |3|", "",
)  # fmt: skip
"""Texts for which the rules must give the same ids as AutoTokenizer."""


@dataclass(frozen=True)
class Rules:
    """The rules of a folder's tokenizer."""

    data: bytes
    """The content of a tokenizer.json."""
    about: Mapping[str, Any]
    """The names of special tokens, in the form of tokenizer_config.json."""
    cleans: bool = False
    """Whether spaces before commas and full stops are removed from written text."""


_maker = TokenizerApart(b"")
_made: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
_lock = Lock()


def read_rules_of(folder: Files) -> Rules:
    """Read the rules of a folder's tokenizer.

    Raises ValueError, in a sentence, if Loupe cannot follow the rules, and FolderError if files
    cannot be read.
    """
    files = _rule_files(folder)
    why = "transformers is not installed: pip install transformers"
    if has_transformers():
        try:
            made = _make(files)
        except TokenizerError as error:
            why = f"AutoTokenizer cannot open it: {error}"
        else:
            if "refused" in made:
                raise ValueError(str(made["refused"]))
            about = {**folder.tokenizer_config, **made["tokens"]}
            return Rules(made["rules"].encode(), about, cleans=made["cleans"])
    if TOKENIZER not in files:
        raise ValueError(f"it has no {TOKENIZER}, and {why}")
    _refuse_more(files, folder.tokenizer_config, why)
    return Rules(files[TOKENIZER], folder.tokenizer_config)


def _make(files: Mapping[str, bytes]) -> Mapping[str, Any]:
    """Read files with AutoTokenizer, or return a kept result. Raises TokenizerError on failure."""
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name} {len(data)} ".encode() + data)
    with _lock:
        if found := _made.get(digest.hexdigest()):
            return found
        with TemporaryDirectory(prefix="loupe-") as home:
            for name, data in files.items():
                (Path(home) / name).write_bytes(data)
            made = _maker.make(Path(home), _PROBES)
        _made[digest.hexdigest()] = made
        if len(_made) > _MOST_KEPT:
            _made.popitem(last=False)
        return made


def _refuse_more(files: Mapping[str, bytes], about: Mapping[str, Any], why: str) -> None:
    """Raise ValueError if other files define tokens that tokenizer.json lacks."""
    backend = run_apart(files[TOKENIZER])
    for name, token in _named_tokens(files, about):
        try:
            found = backend.find(token)
        except TokenizerError as error:
            raise ValueError(f"{TOKENIZER} cannot be used: {error}") from error
        if found is None:
            raise ValueError(
                f"{name} has the token {shorten(token)}, but {TOKENIZER} does not, so only "
                f"AutoTokenizer knows its id; {why}"
            )


def _named_tokens(
    files: Mapping[str, bytes], about: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield the tokens that files other than tokenizer.json name, each with its file."""
    added = about.get("added_tokens_decoder")
    extra = about.get("extra_special_tokens") or about.get("additional_special_tokens")
    said: list[tuple[str, object]] = [(TOKENIZER_CONFIG, about.get(name)) for name in _SPECIAL]
    for value in (added, extra):
        each: Iterable[object] = value.values() if isinstance(value, dict) else value or ()
        if isinstance(value, dict | list):
            said += [(TOKENIZER_CONFIG, token) for token in each]
    if _ADDED_TOKENS in files:
        said += [(_ADDED_TOKENS, token) for token in _object(files[_ADDED_TOKENS])]
    for name, token in said:
        text = token.get("content") if isinstance(token, dict) else token
        if isinstance(text, str) and text:
            yield name, text


def _object(data: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _rule_files(folder: Files) -> dict[str, bytes]:
    """Read the files that AutoTokenizer may see, without fields that name other files or code."""
    found = {name: read_if_there(folder.path, name) for name in RULE_FILES}
    files = {name: data for name, data in found.items() if data is not None}
    config = {n: folder.config[n] for n in _SAID if isinstance(folder.config.get(n), str)}
    about = {
        name: value
        for name, value in folder.tokenizer_config.items()
        if name not in _UNSEEN and not name.endswith(("_file", "_files"))
    }
    files[CONFIG] = json.dumps(config).encode()
    if about:
        files[TOKENIZER_CONFIG] = json.dumps(about).encode()
    return files
