"""The results of a benchmark as rows of one table: ours, the reference, and the aim."""

from collections.abc import Iterable
from dataclasses import dataclass

HEAD = "| what | ours | theirs | ratio | aim | met | beside |\n|---|---|---|---|---|---|---|"


@dataclass(frozen=True)
class Row:
    """One figure of ours, beside that of a peer if there is one."""

    what: str
    ours: float
    unit: str
    theirs: float | None = None
    beside: str = ""
    """The owner of the other figure, or the measure of ours."""
    paired: float | None = None
    """The ratio, if it was taken turn by turn; else that of the two figures."""
    aim: float | None = None
    """The aim for the ratio, or for our own figure if there is no other."""
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
    """Write a number with three digits, or as an integer."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def show(rows: Iterable[Row]) -> None:
    """Print the table, each row as soon as it is known."""
    print(HEAD, flush=True)
    for row in rows:
        print(row, flush=True)
