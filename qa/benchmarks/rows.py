"""What a benchmark found, as rows of one table: ours, what stands beside it, and the aim."""

from collections.abc import Iterable
from dataclasses import dataclass

HEAD = "| what | ours | theirs | ratio | aim | met | beside |\n|---|---|---|---|---|---|---|"


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

    def __str__(self) -> str:
        ratio = self.paired or (self.ours / self.theirs if self.theirs else None)
        theirs = f"{_figure(self.theirs)} {self.unit}" if self.theirs else ""
        aim = met = ""
        if self.aim is not None:
            found = round(ratio or self.ours, 2)
            aim = f"{'≥' if self.at_least else '≤'} {self.aim:g}{'' if ratio else f' {self.unit}'}"
            met = "yes" if (found >= self.aim if self.at_least else found <= self.aim) else "no"
        ours, share = f"{_figure(self.ours)} {self.unit}", f"{ratio:.2f}" if ratio else ""
        return f"| {self.what} | {ours} | {theirs} | {share} | {aim} | {met} | {self.beside} |"


def _figure(number: float) -> str:
    """Write a number with three digits, or whole."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def show(rows: Iterable[Row]) -> None:
    """Print the table, each row as soon as it is there."""
    print(HEAD, flush=True)
    for row in rows:
        print(row, flush=True)
