"""One page in one state: the browser's data, checked against the reference."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from qa.audit.ledger import Ledger, Row
from qa.audit.numbers import count, read_number, sentence
from qa.audit.page_reader import Cells, Seen
from qa.audit.reference.files import Array
from qa.audit.truth import State, Truth, truth_of

MOST_NAMED = 12
"""The number of listed faults of one sort; all are counted."""
_SLACK = 4e-6
"""The float32 tolerance as a share of the number, which may round to another last digit."""


@dataclass
class Visit(Seen):
    """Compares; each difference goes into the ledger with the page, the state and the place."""

    name: str
    """The name of the page, for the ledger."""
    state: State
    truth: Truth
    ledger: Ledger = field(default_factory=Ledger)
    find: Callable[[State], Truth] = truth_of
    """Computes the reference's run of a state."""
    place: str = ""
    """The subject of the following comparisons: head, row, cell, step."""

    def at(self, place: str) -> Self:
        return replace(self, place=place)

    def of(self, state: State, name: str = "") -> Self:
        """Change to another state."""
        return replace(self, state=state, truth=self.find(state), name=name or self.name)

    def numbers(
        self,
        what: str,
        seen: ArrayLike,
        computed: ArrayLike,
        tolerance: ArrayLike,
        places: Sequence[str] | str = "",
    ) -> bool:
        """Compare numbers, or arrays of one shape, within a tolerance, which may differ for each.

        `places` names each number of a list, or describes the numbers of an array.
        """
        a, b = np.asarray(seen, np.float64), np.asarray(computed, np.float64)
        row = self._row(what)
        if a.shape != b.shape:
            return self.same(what, f"shape {a.shape}", f"shape {b.shape}")
        row.values += a.size
        with np.errstate(invalid="ignore"):
            away = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        away = np.where(np.isnan(away), np.inf, away)
        row.worst = max(row.worst or 0.0, float(away.max(initial=0.0)))
        wrong = np.argwhere(away > np.asarray(tolerance, np.float64))
        row.wrong += len(wrong)
        for at in wrong[:MOST_NAMED]:
            index = tuple(int(i) for i in at)
            place = f"{places} {index or ''}" if isinstance(places, str) else places[index[0]]
            self._fault(what, f"{a[index]:.9g}", f"{b[index]:.9g}", place.strip())
        return not len(wrong)

    def same(self, what: str, seen: object, computed: object, place: str = "") -> bool:
        """Compare words, lists of words or counts: values without a distance."""
        row = self._row(what)
        row.values += len(seen) if isinstance(seen, list | tuple) else 1
        if seen == computed:
            return True
        row.wrong += 1
        return self._fault(what, repr(seen)[:300], repr(computed)[:300], place)

    def holds(self, what: str, claim: str, holds: object, because: object = "") -> bool:
        """Check that a condition holds."""
        return self.same(what, claim, claim if holds else because or "it does not hold")

    def among(self, what: str, seen: object, allowed: Iterable[object], place: str = "") -> bool:
        """Compare a value of which several are correct, for example if two numbers are equal."""
        allowed = list(allowed)
        return self.same(what, seen, seen if seen in allowed else allowed, place)

    def missing(self, what: str) -> bool:
        """Note that the page lacks something that it should show here."""
        self._row(what).wrong += 1
        return self._fault(what, "nothing", "something to compare", "")

    def note(self, text: str) -> None:
        """Note something that this state does not show."""
        self.ledger.silent.append(f"{self.name} [{self.state}]: {text}")

    def stated(
        self, what: str, text: str, computed: ArrayLike, slack: float = 0.0, place: str = ""
    ) -> bool:
        """Check a number in a text, which must be a rounding of the computed one.

        `slack` is the float32 error in addition to a few parts in a million.
        """
        value = float(np.asarray(computed, np.float64))
        try:
            low, high = read_number(text)
        except ValueError:
            return self.same(what, text, f"{value:.6g}", place)
        if not math.isfinite(low):
            return self.numbers(what, low, value, 0.0, place)
        half = (high - low) / 2 * (1 + 1e-9)
        room = half + abs(value) * _SLACK + slack + 1e-12
        return self.numbers(what, (low + high) / 2, value, room, f"{place} ({text})")

    def says(
        self,
        text: str,
        pattern: str,
        *claims: tuple[str, object] | None,
        slack: float = 0.0,
        missing: str = "",
    ) -> re.Match[str] | None:
        """Find a sentence in a text, and check each of its groups against the computed values.

        A word must be equal, or among several; a whole number exact; any other number a rounding.
        `missing` describes what the page lacks if there is no such sentence.
        """
        match, found = re.search(sentence(pattern), text), self.ledger.sentences
        found[pattern] = match is not None or found.get(pattern, False)
        if match is None:
            if missing:
                self.missing(missing)
            return None
        for said, claim in zip(match.groups(), claims, strict=False):
            if said is None or claim is None:
                continue
            what, computed = claim
            if isinstance(computed, str):
                self.same(what, said.strip(), computed)
            elif isinstance(computed, int):
                self.same(what, count(said), computed)
            elif isinstance(computed, list):
                self.among(what, said.strip(), computed)
            else:
                self.stated(what, said, computed, slack)
        return match

    def matrix(
        self,
        what: str,
        cells: Cells,
        values: Array,
        *,
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
        mask: np.ndarray | None = None,
        slack: float = 0.0,
    ) -> None:
        """Check a table with names along two sides against a matrix, or its first cells."""
        names, body = [line[0] for line in cells[1:]], [line[1:] for line in cells[1:]]
        if not body:
            self.missing(what)
            return
        full = tuple(min(size, 60) for size in values.shape)
        if not self.same(what, (len(body), len(body[0])), full, "size"):
            return
        if rows:
            self.same(f"{what}: names", names, list(rows[: len(body)]), "rows")
        if columns:
            self.same(f"{what}: names", cells[0][1:], list(columns[: len(body[0])]), "columns")
        for (r, c), value in np.ndenumerate(values[: full[0], : full[1]]):
            text, at = body[r][c], f"row {r}, column {c}"
            said, hidden = "masked" in text, mask is not None and not mask[r, c]
            number = re.sub(r"masked, exactly |, masked", "", text)
            if hidden or said:
                self.same(f"{what}: masked", said, hidden, at)
            if number:
                self.stated(what, number, value, slack, at)

    def _row(self, what: str) -> Row:
        return self.ledger.rows.setdefault((self.name, what), Row())

    def _fault(self, what: str, seen: str, computed: str, place: str) -> bool:
        where = ", ".join(part for part in (str(self.state), self.place, place) if part)
        fault = f"{self.name}: {what} [{where}]: seen {seen}, computed {computed}"
        self.ledger.faults.append(fault)
        return False
