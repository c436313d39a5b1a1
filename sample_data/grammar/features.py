"""Features of words and phrases: sets of values still possible, shared where they agree."""

from collections.abc import Mapping

Values = frozenset[str]
"""The possible values of a feature, one value once it is settled."""


class Slot:
    """One feature of one phrase; unified slots become one slot."""

    __slots__ = ("_same", "_values")

    def __init__(self, values: Values | None = None) -> None:
        self._values = values
        self._same: Slot | None = None

    def _last(self) -> "Slot":
        slot = self
        while slot._same is not None:
            slot = slot._same
        return slot

    @property
    def values(self) -> Values | None:
        """The values left; None if nothing is known."""
        return self._last()._values

    @property
    def value(self) -> str | None:
        """The value, if only one is left."""
        values = self.values
        return next(iter(values)) if values and len(values) == 1 else None

    def narrow(self, values: Values) -> bool:
        """Keep only these values; return False, without a change, if none would be left."""
        last = self._last()
        left = values if last._values is None else last._values & values
        if not left:
            return False
        last._values = left
        return True

    def equal(self, other: "Slot") -> bool:
        """Unify two slots; return False, without a change, if they have no value in common."""
        one, two = self._last(), other._last()
        if one is two:
            return True
        if two._values is not None and not one.narrow(two._values):
            return False
        two._same = one
        return True


Slots = Mapping[str, Slot]
