"""What a benchmark found, as rows of one table: ours, what stands beside it, and the aim."""

from collections.abc import Iterable
from dataclasses import dataclass

HEAD = ("what", "ours", "theirs", "ratio", "aim", "met", "beside")


@dataclass(frozen=True)
class Row:
    """One figure of ours, beside that of a peer where there is one."""

    what: str
    ours: float
    unit: str
    theirs: float | None = None
    beside: str = ""
    """Whose figure theirs is, or what ours is measured by."""
    paired: float | None = None
    """The ratio, where it was taken turn by turn; else that of the two figures."""
    aim: float | None = None
    """Of the ratio; of our own figure where nothing stands beside it."""
    at_least: bool = False
    """Whether more is better."""

    @property
    def ratio(self) -> float | None:
        if self.paired is not None or not self.theirs:
            return self.paired
        return self.ours / self.theirs

    @property
    def met(self) -> bool | None:
        """Whether the aim is reached, in the digits that are shown; None where there is none."""
        if self.aim is None:
            return None
        found = self.ours if self.ratio is None else self.ratio
        found = round(found, 2)
        return found >= self.aim if self.at_least else found <= self.aim

    @property
    def cells(self) -> tuple[str, ...]:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        unit = f" {self.unit}" if self.unit else ""
        bound = "≥" if self.at_least else "≤"
        aim = "" if self.aim is None else f"{bound} {self.aim:g}{unit if not ratio else ''}"
        met = {None: "", True: "yes", False: "no"}[self.met]
        theirs = "" if self.theirs is None else f"{figure(self.theirs)}{unit}"
        return self.what, f"{figure(self.ours)}{unit}", theirs, ratio, aim, met, self.beside


def figure(number: float) -> str:
    """Write a number with three digits, or whole."""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}"


def markdown(rows: Iterable[Row]) -> str:
    lines = [HEAD, ("---",) * len(HEAD), *(row.cells for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def show(rows: Iterable[Row]) -> None:
    """Print the table, each row as soon as it is there."""
    print(markdown(()), flush=True)
    for row in rows:
        print(markdown((row,)).splitlines()[-1], flush=True)
