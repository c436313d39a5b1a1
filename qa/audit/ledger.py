"""Records the comparisons, the differences, and every place of disagreement."""

from dataclasses import dataclass, field


@dataclass
class Row:
    """All comparisons of one sort on one page."""

    values: int = 0
    worst: float | None = None
    """The largest difference; None for values without a distance."""
    wrong: int = 0


@dataclass
class Ledger:
    """The comparisons of a walk so far."""

    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    """Optional things that no page showed, so that nothing is skipped unnoticed."""

    sentences: dict[str, bool] = field(default_factory=dict)
    """For each pattern, whether any page had such a sentence."""

    @property
    def unsaid(self) -> list[str]:
        """List the patterns that no page matched, perhaps because its words have changed."""
        return [pattern for pattern, found in self.sentences.items() if not found]

    @property
    def values(self) -> int:
        return sum(row.values for row in self.rows.values())

    def table(self) -> str:
        """Return page, sort, count, largest difference and number of errors."""
        lines = ["| page | what | values | largest difference | wrong |", "| --- " * 5 + "|"]
        for (page, what), row in sorted(self.rows.items()):
            worst = "exact" if row.worst is None else f"{row.worst:.2g}"
            lines.append(f"| {page} | {what} | {row.values:,} | {worst} | {row.wrong:,} |")
        wrong = sum(row.wrong for row in self.rows.values())
        return "\n".join([*lines, f"| all |  | {self.values:,} |  | {wrong:,} |"])
