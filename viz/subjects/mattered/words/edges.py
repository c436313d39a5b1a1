"""What is said of edges: words that rows may no longer read."""

from markupsafe import Markup

from viz.pictures.numbers import fixed
from viz.pictures.tokens import escape, token
from viz.work.job import Job


def edge_words(
    reader: tuple[str, bool], key: str, where: str, damage: float, change: tuple[str, str] | None
) -> Markup:
    """Say what an edge costs.

    Args:
        reader: The token of the row that reads, and whether the row writes it.
        key: The token that it may not read.
        where: The attention.
        damage: In nats a target token.
        change: The first token that changes, and what it becomes.
    """
    row, writes = reader
    named = Markup("The row that writes {}") if writes else Markup("{}")
    text = Markup("{} may not read {}, in the {}: {} nats per token").format(
        named.format(token(row)), token(key), where, fixed(damage, 2)
    )
    if change is None:
        return Markup("{}, though every word stays the best of its row.").format(text)
    return Markup("{}, and {} becomes {}.").format(text, *map(token, change))


def panel_note(damage: float) -> str:
    """State the largest damage of a panel."""
    return f"at most {fixed(damage, 2)} nats per token".replace("−0.00", "0.00")


def offer_words(count: int) -> Markup:
    """State that there are many edges, which takes its time."""
    return escape(f"To cut all {count:,} edges, one at a time, takes a while.")


def progress_words(job: Job, what: str) -> str:
    """State how far a measurement is."""
    done, total = job.progress
    share = f", {done / total:.0%}" if total else ""
    state = "waiting for its turn" if job.status == "waiting" else f"{job.seconds:.0f} s{share}"
    return f"{what}: {state}"


def stopped_words(job: Job) -> str:
    """State that a measurement was stopped."""
    return f"Stopped after {job.seconds:.0f} s"
