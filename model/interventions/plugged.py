"""Kinds of intervention from plug-ins: checked when loaded, and named in errors when they fail."""

import re
from collections.abc import Mapping
from dataclasses import fields
from itertools import takewhile
from typing import Any

from torch import Tensor

from model import plugins
from model.edits import Edit
from model.interventions.base import INTERVENTIONS, Intervention
from model.plugins import Plugin, PluginError, blaming

HOOKS = ("acts_on", "amounts", "change", "needs", "of_columns", "says")
"""The attributes that the class of a plug-in may define."""
_SPOKEN = {"place": "", "reader": "", "read": "", "amount": 1.0, "percent": 100.0}
"""The values that a description may contain."""


_FIELDS = tuple(each.name for each in fields(Intervention))


def find_kind(kind: str) -> type[Intervention] | None:
    """Return the class of a kind that a plug-in offers, or that this process has defined.

    Raises PluginError if Loupe leaves the plug-in out.
    """
    plugin = source_of(kind)
    if plugin is None:
        return INTERVENTIONS.get(kind)
    found = plugins.find(plugins.INTERVENTIONS, kind, _checked)
    if found is None:
        left_out = source_of(kind) or plugin  # now with the reason
        raise PluginError(left_out.sentence)
    return found


def source_of(kind: str) -> Plugin | None:
    """Return the plug-in that offers a kind, if there is one."""
    return plugins.source(plugins.INTERVENTIONS, kind)


def _checked(plugin: Plugin, found: Any) -> type[Intervention]:  # noqa: ANN401
    """Return a loaded class. Raises PluginError if it defines more than a plug-in may."""
    if not isinstance(found, type) or not issubclass(found, Intervention):
        raise PluginError(f"it must be a class that extends Intervention, got {found!r}")
    defined = {
        name: value
        for each in reversed([*takewhile(lambda each: each is not Intervention, found.__mro__)])
        for name, value in vars(each).items()
    }
    own = {name for name in vars(Intervention) if not name.startswith("__")} | {*_FIELDS}
    if wrong := sorted((own & defined.keys()) - {*HOOKS}):
        raise PluginError(f"it defines {wrong[0]}; a plug-in may define {', '.join(HOOKS)}")
    if not callable(defined.get("change")):
        raise PluginError("it must define change(self, value), which returns the new tensor")
    _check_limits(defined)
    _check_says(defined.get("says"))
    if INTERVENTIONS.get(plugin.name) is not found:
        raise PluginError(f'it must be made with kind="{plugin.name}"')
    return found


def _check_limits(defined: Mapping[str, Any]) -> None:
    """Raise PluginError on a pattern, a list of fields or limits that cannot be used."""
    try:
        re.compile(defined.get("acts_on", ""))
    except (re.error, TypeError) as error:
        raise PluginError(f"acts_on must be a regular expression: {error}") from error
    needs = defined.get("needs", ())
    if not isinstance(needs, tuple) or not {*needs} <= {*_FIELDS}:
        raise PluginError(f"needs must be a tuple of {', '.join(_FIELDS)}, got {needs!r}")
    match defined.get("amounts", (0, 0)):
        case (int() | float() as least, int() | float() as most) if least <= most:
            return
        case other:
            raise PluginError(f"amounts must be the least and the largest amount, got {other!r}")


def _check_says(says: Any) -> None:  # noqa: ANN401
    """Raise PluginError unless there is an English description and all placeholders are known."""
    if not isinstance(says, Mapping) or "en" not in says:
        raise PluginError('says must be a dict with a text for "en", such as {"en": "…{place}…"}')
    for language, text in says.items():
        try:
            str.format(text, **_SPOKEN)
        except (LookupError, TypeError, ValueError) as error:
            raise PluginError(
                f"says[{language!r}] must be a text that contains no values but "
                f"{', '.join(_SPOKEN)}: {error!r}"
            ) from error


def blamed(made: Intervention) -> Edit:
    """Return a change that may write into its argument, and whose errors name its plug-in."""
    plugin = source_of(made.kind)
    if plugin is None:
        return made.change

    def tried(value: Tensor) -> Tensor:
        with blaming(plugin):
            changed = made.change(value.clone())
            if not isinstance(changed, Tensor) or changed.shape != value.shape:
                is_tensor = isinstance(changed, Tensor)
                got = tuple(changed.shape) if is_tensor else type(changed).__name__
                raise TypeError(f"change must return a tensor of {tuple(value.shape)}, got {got}")
            return changed.to(value)

    return tried
