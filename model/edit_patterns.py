"""Edits by patterns of names, such as `*.self_attn.heads[1,2]` for two heads of every layer."""

import difflib
import fnmatch
import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from model.edits import AnyEdit, Edits, in_turn
from model.tensor_names import HEAD_TENSORS

_HEADS = re.compile(r"(?P<name>.+)\[(?P<heads>\d+(?:\s*,\s*\d+)*)\]")
_WILD = re.compile(r"[*?\[]")


def expanded(edits: Edits, names: Collection[str]) -> Edits:
    """Replace each pattern by the names that match it, and each list of heads by single heads.

    Raises ValueError if a pattern fits none of the names.
    """
    if not any(map(_is_pattern, edits.by_name)):
        return edits
    check_used(edits, names)
    made = (
        (each, edit)
        for key, edit in edits.by_name.items()
        for name in names
        for each in _keys(key, name)
    )
    return replace(edits, by_name=in_turn(made))


def check_used(edits: Edits, names: Collection[str]) -> None:
    """Raise ValueError if an edit matches none of the names; the message lists the nearest."""
    for key in edits.by_name:
        if not any(_keys(key, name) for name in names):
            name = _parted(key)[0]
            nearest = ", ".join(difflib.get_close_matches(name, names, n=3, cutoff=0.0))
            if is_wild(name):
                raise ValueError(f"no tensor name matches {key!r}; nearest: {nearest}")
            raise ValueError(f"no tensor is called {name!r}; nearest: {nearest}")


class EditsByPattern:
    """Finds the edits of each tensor while the names of a pass are still unknown."""

    def __init__(self, edits: Edits, own_names: Mapping[str, str]) -> None:
        """Take edits, and Loupe's names of attentions by their modules' names."""
        self._edits = edits
        self._own = {ours: own for own, ours in own_names.items()}
        self._found: dict[str, Edits] = {}

    def of(self, name: str) -> Edits:
        """Return the edits of one tensor, named by the last part of its name."""
        if name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def concern(self, name: str) -> bool:
        """Return whether an edit concerns this tensor."""
        return bool(self._edits.by_name) and bool(self.of(name).by_name)

    def check_used(self, names: Collection[str]) -> None:
        """Raise ValueError if an edit concerned no tensor of the pass."""
        if self._edits.by_name:
            check_used(self._edits, (*names, *filter(None, map(self._own_name, names))))

    def _search(self, name: str) -> Edits:
        made: list[tuple[str, AnyEdit]] = []
        own = self._own_name(name)
        for key, edit in self._edits.by_name.items():
            keys = _keys(key, name)
            if not keys and own is not None:
                keys = [each.replace(own, name, 1) for each in _keys(key, own)]
            made += ((each, edit) for each in keys)
        module = name.rpartition(".")[0]
        whole = replace(self._edits, by_name=in_turn(made))
        return whole.part(module) if module else whole

    def _own_name(self, name: str) -> str | None:
        base, _, part = name.rpartition(".")
        return f"{self._own[base]}.{part}" if base in self._own else None


def is_wild(name: str) -> bool:
    """Return whether a name, without heads, is a pattern."""
    return bool(_WILD.search(name))


def _is_pattern(key: str) -> bool:
    name, heads = _parted(key)
    return is_wild(name) or len(heads) > 1


def _parted(key: str) -> tuple[str, tuple[int, ...]]:
    """Split a key into a name, or a pattern, and the heads that it asks for."""
    match = _HEADS.fullmatch(key)
    if not match:
        return key, ()
    return match["name"], tuple(int(head) for head in match["heads"].split(","))


def _keys(key: str, name: str) -> list[str]:
    """Return the keys of a tensor that an edit's key matches: its name, single heads, or none."""
    pattern, heads = _parted(key)
    if is_wild(pattern):
        has_heads = name.rpartition(".")[2] in HEAD_TENSORS
        fits = fnmatch.fnmatchcase(name, pattern) and (has_heads or not heads)
    else:
        fits = name == pattern
    return [f"{name}[{head}]" for head in heads] if fits and heads else [name] if fits else []
