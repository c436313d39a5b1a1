"""Keeps what was compared, how far apart it was, and every place where the two did not agree."""

from dataclasses import dataclass, field


@dataclass
class Row:
    """All comparisons of one sort on one page."""

    values: int = 0
    worst: float | None = None
    """The largest difference; None of what has no distance."""
    wrong: int = 0


@dataclass
class Ledger:
    """What a walk has compared so far."""

    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    """What was looked for and not found where it need not be, so that nothing is skipped unseen."""

    sentences: dict[str, bool] = field(default_factory=dict)
    """By their patterns, whether any page had such a sentence."""

    @property
    def unsaid(self) -> list[str]:
        """List the patterns that no page matched: perhaps its words have changed since."""
        return [pattern for pattern, found in self.sentences.items() if not found]

    @property
    def values(self) -> int:
        return sum(row.values for row in self.rows.values())

    def table(self) -> str:
        """Return page, what, how many, worst difference, how many are wrong."""
        lines = ["| page | what | values | largest difference | wrong |", "| --- " * 5 + "|"]
        for (page, what), row in sorted(self.rows.items()):
            worst = "exact" if row.worst is None else f"{row.worst:.2g}"
            lines.append(f"| {page} | {what} | {row.values:,} | {worst} | {row.wrong:,} |")
        wrong = sum(row.wrong for row in self.rows.values())
        return "\n".join([*lines, f"| all |  | {self.values:,} |  | {wrong:,} |"])
