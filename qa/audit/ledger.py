"""Keeps what was compared, how far apart it was, and every place where the two did not agree."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

MOST_NAMED = 12
"""Faults of one sort that are named one by one; all are counted."""


@dataclass
class Row:
    """All comparisons of one sort on one page."""

    values: int = 0
    worst: float = 0.0
    wrong: int = 0
    tolerances: set[float] = field(default_factory=set)


@dataclass(frozen=True)
class Fault:
    """Something that the browser has and that does not hold."""

    page: str
    what: str
    where: str
    """The state: checkpoint, sentence, head, cell."""
    seen: str
    computed: str

    def __str__(self) -> str:
        return (
            f"{self.page}: {self.what} [{self.where}]: seen {self.seen}, computed {self.computed}"
        )


@dataclass
class Ledger:
    """What a walk has compared so far."""

    page: str = ""
    where: str = ""
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    """What was looked for and not found where it need not be: said, so that nothing is skipped
    unseen."""

    def at(self, page: str, where: str) -> None:
        """Note where the walk is."""
        self.page, self.where = page, where

    def number(
        self, what: str, seen: float | None, computed: ArrayLike, tolerance: float, place: str = ""
    ) -> bool:
        """Compare one number; both may be infinite or not a number."""
        return self.numbers(what, math.nan if seen is None else seen, computed, tolerance, place)

    def numbers(
        self,
        what: str,
        seen: ArrayLike,
        computed: ArrayLike,
        tolerance: ArrayLike,
        places: Sequence[str] | str = (),
    ) -> bool:
        """Compare arrays of one shape within a distance, of which each may have its own.

        `places` names each number of a list, or says where the whole array is.
        """
        a, b = np.asarray(seen, np.float64), np.asarray(computed, np.float64)
        row = self._row(what)
        if a.shape != b.shape:
            row.values += max(a.size, 1)
            row.wrong += 1
            place = places if isinstance(places, str) else ""
            return self._fault(what, f"shape {a.shape}", f"shape {b.shape}", place)
        row.values += a.size
        if not a.size:
            return True
        with np.errstate(invalid="ignore"):
            away = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        away = np.where(np.isnan(away), np.inf, away)
        limit = np.broadcast_to(np.asarray(tolerance, np.float64), a.shape)
        row.worst = max(row.worst, float(away.max()))
        row.tolerances.add(float(limit.max()))
        wrong = np.argwhere(away > limit)
        row.wrong += len(wrong)
        for at in wrong[:MOST_NAMED]:
            index = tuple(int(i) for i in at)
            named = places and not isinstance(places, str) and len(index) == 1
            name = places[index[0]] if named else f"{places or ''} {index or ''}".strip()
            self._fault(what, f"{a[index]:.9g}", f"{b[index]:.9g}", name)
        return not len(wrong)

    def same(self, what: str, seen: object, computed: object, place: str = "") -> bool:
        """Compare words, lists of words, counts: what has no distance."""
        row = self._row(what)
        row.values += len(seen) if isinstance(seen, list | tuple) else 1
        if seen == computed:
            return True
        row.wrong += 1
        return self._fault(what, _short(seen), _short(computed), place)

    def holds(
        self, what: str, claim: str, holds: object, because: str = "", place: str = ""
    ) -> bool:
        """Judge a sentence."""
        row = self._row(what)
        row.values += 1
        if holds:
            return True
        row.wrong += 1
        return self._fault(what, f"“{claim}”", because or "it does not hold", place)

    def among(self, what: str, seen: object, allowed: Iterable[object], place: str = "") -> bool:
        """Compare something of which several are right, as where two numbers are equal."""
        allowed = list(allowed)
        return self.same(what, seen, seen if seen in allowed else allowed, place)

    def missing(self, what: str) -> bool:
        """Note that the page has not what it is known to show here."""
        self._row(what).wrong += 1
        return self._fault(what, "nothing", "something to compare")

    def note(self, text: str) -> None:
        """Note what this state does not show."""
        self.silent.append(f"{self.page} [{self.where}]: {text}")

    @property
    def values(self) -> int:
        return sum(row.values for row in self.rows.values())

    def table(self) -> str:
        """Return page, what, how many, worst difference, how many are wrong."""
        head = ("page", "what", "values", "largest difference", "wrong")
        lines = [
            (page, what, f"{row.values:,}", _size(row), f"{row.wrong:,}")
            for (page, what), row in sorted(self.rows.items())
        ]
        total = sum(row.wrong for row in self.rows.values())
        lines.append(("all", "", f"{self.values:,}", "", f"{total:,}"))
        return "\n".join("| " + " | ".join(line) + " |" for line in (head, ("---",) * 5, *lines))

    def _row(self, what: str) -> Row:
        return self.rows.setdefault((self.page, what), Row())

    def _fault(self, what: str, seen: str, computed: str, place: str = "") -> bool:
        where = ", ".join(part for part in (self.where, place) if part)
        self.faults.append(Fault(self.page, what, where, seen, computed))
        return False


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:297]}..."


def _size(row: Row) -> str:
    return f"{row.worst:.2g}" if row.tolerances else "exact"
