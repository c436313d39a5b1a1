"""Kinds of intervention from plug-ins: checked when they are loaded, named when they fail."""

import re
from collections.abc import Collection, Mapping
from itertools import takewhile
from typing import Any

from torch import Tensor

from model.edits import Edit
from model.plugins import Plugin, PluginError, blaming

HOOKS = ("acts_on", "amounts", "change", "needs", "of_columns", "says")
"""The attributes that the class of a plug-in may define."""
_SPOKEN = {"place": "", "reader": "", "read": "", "amount": 1.0, "percent": 100.0}
"""The values that a description may contain."""


def check_kind(found: Any, base: type, fields: Collection[str]) -> type:  # noqa: ANN401
    """Return a loaded class. Raises PluginError unless it keeps to what plug-ins may define.

    Args:
        found: The loaded object.
        base: The class that it must extend.
        fields: The fields of an intervention.
    """
    if not isinstance(found, type) or not issubclass(found, base):
        raise PluginError(f"it must be a class that extends Intervention, got {found!r}")
    defined = {
        name: value
        for each in reversed([*takewhile(lambda each: each is not base, found.__mro__)])
        for name, value in vars(each).items()
    }
    own = {name for name in vars(base) if not name.startswith("__")} | {*fields}
    if wrong := sorted((own & defined.keys()) - {*HOOKS}):
        raise PluginError(f"it defines {wrong[0]}; a plug-in may define {', '.join(HOOKS)}")
    if not callable(defined.get("change")):
        raise PluginError("it must define change(self, value), which returns the new tensor")
    _check_limits(defined, fields)
    _check_says(defined.get("says"))
    return found


def _check_limits(defined: Mapping[str, Any], fields: Collection[str]) -> None:
    """Raise PluginError on a pattern, a list of fields or limits that cannot be used."""
    try:
        re.compile(defined.get("acts_on", ""))
    except (re.error, TypeError) as error:
        raise PluginError(f"acts_on must be a regular expression: {error}") from error
    needs = defined.get("needs", ())
    if not isinstance(needs, tuple) or not {*needs} <= {*fields}:
        raise PluginError(f"needs must be a tuple of {', '.join(fields)}, got {needs!r}")
    match defined.get("amounts", (0, 0)):
        case (int() | float() as least, int() | float() as most) if least <= most:
            return
        case other:
            raise PluginError(f"amounts must be the least and the most amount, got {other!r}")


def _check_says(says: Any) -> None:  # noqa: ANN401
    """Raise PluginError unless there is an English description, and all can be filled in."""
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


def blamed(change: Edit, plugin: Plugin) -> Edit:
    """Return a change whose errors name the plug-in, and which may write into its argument."""

    def tried(value: Tensor) -> Tensor:
        with blaming(plugin):
            made = change(value.clone())
            if not isinstance(made, Tensor) or made.shape != value.shape:
                got = tuple(made.shape) if isinstance(made, Tensor) else type(made).__name__
                raise TypeError(f"change must return a tensor of {tuple(value.shape)}, got {got}")
            return made.to(value)

    return tried
