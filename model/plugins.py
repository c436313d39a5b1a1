"""Finds plug-ins: objects of installed packages that extend one of Loupe's tables.

A package declares them as entry points. The name of an entry point is the word by which Loupe asks
for its object: the `model_type` of a family, the kind of an intervention in a link, the address of
a page. So Loupe loads a plug-in when its word is first used. It leaves out a plug-in that it cannot
use, and a sentence names the package and the reason.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from torch import OutOfMemoryError

from model.files.json_fields import shorten
from texts import say_of

T = TypeVar("T")
Group = Literal["loupe.families", "loupe.interventions", "loupe.pages"]
FAMILIES: Group
INTERVENTIONS: Group
PAGES: Group
FAMILIES, INTERVENTIONS, PAGES = get_args(Group)

SWITCH = "LOUPE_PLUGINS"
"""The variable of the environment that turns all plug-ins off if it is 0."""
_WORD = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_LONGEST_WORD = 40
_LONGEST_REASON = 400


class PluginError(ValueError):
    """A plug-in cannot be used, or it failed; the message is a sentence."""


@dataclass(frozen=True)
class Plugin:
    """A plug-in of an installed package, loaded or not."""

    group: Group
    name: str
    """The word by which Loupe asks for it."""
    package: str
    version: str
    module: str
    """The module that the entry point names."""
    is_left_out: bool = False
    """Whether Loupe tried to load it and cannot use it."""
    fault: str = ""
    """The reason why it is left out, or its latest failure, in English."""

    def __str__(self) -> str:
        """Return a line for a terminal."""
        if self.fault:
            return self.sentence
        return f"{self.kind} {self.name}: {self.package} {self.version}"

    @property
    def kind(self) -> str:
        """The kind of plug-in in the reader's language, such as “the page”."""
        return say_of("plugin", self.group.rpartition(".")[2])

    @property
    def sentence(self) -> str:
        """The fault in the reader's language, with the name of the package."""
        return say_of(
            "plugin",
            "left_out" if self.is_left_out else "failed",
            kind=self.kind,
            name=shorten(self.name),
            package=self.package,
            version=self.version,
            why=self.fault,
        )


_loaded: dict[tuple[Group, str], Any] = {}
"""The objects by group and name; None for those that are left out."""
_faults: dict[Plugin, Plugin] = {}
"""The plug-ins with their faults, by the plug-ins without them."""


def names(group: Group) -> tuple[str, ...]:
    """List the words that the installed packages offer, without loading any plug-in."""
    return tuple(name for each, name in _offered() if each == group)


def find(group: Group, name: str, check: Callable[[Plugin, Any], T]) -> T | None:
    """Load a plug-in on first use; return None if no package offers it or Loupe cannot use it.

    Args:
        group: The table that it extends.
        name: Its word.
        check: A function that returns the table's entry for the loaded object, and raises
            PluginError if the object is unsuitable.
    """
    key = group, name
    if key not in _loaded and key in _offered():
        _loaded.setdefault(key, _load(*_offered()[key], check))
    return _loaded.get(key)


def source(group: Group, name: str) -> Plugin | None:
    """Return the plug-in for a word, with its fault; None if no package offers it."""
    if (group, name) not in _offered():
        return None
    plugin, _ = _offered()[group, name]
    return _faults.get(plugin, plugin)


def known() -> tuple[Plugin, ...]:
    """List all plug-ins of the installed packages, with their known faults."""
    offered = [plugin for plugin, _ in _offered().values()]
    return tuple(_faults.get(each, each) for each in dict.fromkeys((*offered, *_faults)))


def leave_out(plugin: Plugin, why: str) -> None:
    """Leave a plug-in out, and write its fault to stderr once."""
    _note(replace(plugin, is_left_out=True, fault=why))


@contextmanager
def blaming(plugin: Plugin, *passing: type[Exception]) -> Iterator[None]:
    """Turn an exception from a plug-in's code into a PluginError that names the package.

    Exceptions of the types in `passing` are raised as they are, and so is a lack of memory.
    """
    try:
        yield
    except (MemoryError, OutOfMemoryError, PluginError, *passing):
        raise
    except Exception as error:
        failed = replace(plugin, fault=_reason(error, plugin))
        _note(failed)
        raise PluginError(failed.sentence) from error


def _load(plugin: Plugin, point: EntryPoint, check: Callable[[Plugin, Any], T]) -> T | None:
    try:
        return check(plugin, point.load())
    except (Exception, SystemExit) as error:  # third-party modules may raise anything
        leave_out(plugin, _reason(error, plugin))
        return None


def _wrong_word(plugin: Plugin) -> str | None:
    """Explain why a word cannot name a plug-in: Loupe may use it, or a link cannot contain it."""
    is_word = _WORD.fullmatch(plugin.name) and len(plugin.name) <= _LONGEST_WORD
    if is_word or plugin.group == FAMILIES:
        return None
    return (
        "its name must consist of small letters, digits and at least one hyphen, such as "
        f"acme-name, and have at most {_LONGEST_WORD} characters"
    )


@cache
def _offered() -> dict[tuple[Group, str], tuple[Plugin, EntryPoint]]:
    """Read the entry points of the installed packages; of two with the same word, keep the first.

    The order is that of the packages' names.
    """
    found: dict[tuple[Group, str], tuple[Plugin, EntryPoint]] = {}
    if os.environ.get(SWITCH, "").strip() == "0":
        return found
    for plugin, point in sorted(_installed(), key=lambda each: each[0].package):
        if wrong := _wrong_word(plugin):
            leave_out(plugin, wrong)
            continue
        first, _ = found.setdefault((plugin.group, plugin.name), (plugin, point))
        if first is not plugin:
            leave_out(plugin, f"the package {first.package} offers one of the same name")
    return found


def _installed() -> Iterator[tuple[Plugin, EntryPoint]]:
    """Yield the plug-ins of each package on the search path.

    The folder that Python runs in is left out, because that may be the folder of a model.
    """
    here = Path.cwd().resolve()
    seen: set[str] = set()
    for package in distributions(path=[each for each in sys.path if _is_elsewhere(each, here)]):
        if "[loupe." not in (package.read_text("entry_points.txt") or ""):
            continue
        name = str(package.metadata["Name"])
        if name not in seen:  # Python imports the first of two versions
            seen.add(name)
            yield from _plugins_of(package, name)


def _is_elsewhere(folder: str, here: Path) -> bool:
    return bool(folder) and Path(folder).resolve() != here


def _plugins_of(package: Distribution, name: str) -> Iterator[tuple[Plugin, EntryPoint]]:
    version = str(package.metadata["Version"])
    for point in package.entry_points:
        for group in get_args(Group):
            if point.group == group:
                module = point.value.partition(":")[0].strip()
                yield Plugin(group, point.name, name, version, module), point


def _note(faulty: Plugin) -> None:
    plugin = replace(faulty, is_left_out=False, fault="")
    if _faults.setdefault(plugin, faulty) is faulty:
        sys.stderr.write(f"loupe: {faulty.sentence}\n")


def _reason(error: BaseException, plugin: Plugin) -> str:
    """Return the message of an error, and the line of the plug-in that raised it."""
    said = " ".join(str(error).split())[:_LONGEST_REASON]
    if isinstance(error, PluginError):
        return said
    line, root = "", plugin.module.partition(".")[0]
    step = error.__traceback__
    while step is not None:
        frame = step.tb_frame
        if root and str(frame.f_globals.get("__name__")).partition(".")[0] == root:
            line = f", in {Path(frame.f_code.co_filename).name}, line {step.tb_lineno}"
        step = step.tb_next
    return f"{type(error).__name__}{': ' if said else ''}{said}{line}"
