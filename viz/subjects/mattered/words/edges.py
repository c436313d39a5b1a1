"""What is said of edges: words that rows may no longer read."""

from markupsafe import Markup

from texts import say, say_of
from viz.pictures.numbers import fixed
from viz.pictures.tokens import say_markup, token
from viz.subjects.mattered.words.cuts import two_decimals
from viz.work.job import Job


def edge_words(
    reader: tuple[str, bool], key: str, where: str, damage: float, change: tuple[str, str] | None
) -> Markup:
    """Describe what an edge costs.

    Args:
        reader: The token of the row that reads, and whether the row writes it.
        key: The token that it may not read.
        where: The attention, as a sentence names it.
        damage: In nats a target token.
        change: The first token that changes, and what it becomes.
    """
    word, writes = reader
    row = say_markup("mattered.edge_writes", token=token(word)) if writes else token(word)
    values = {"row": row, "key": token(key), "where": where, "damage": fixed(damage, 2)}
    if change is None:
        return say_markup("mattered.edge_same", **values)
    old, new = map(token, change)
    return say_markup("mattered.edge_changes", old=old, new=new, **values)


def panel_note(damage: float) -> str:
    """State the largest damage of a panel."""
    return say("mattered.edge_most", damage=two_decimals(damage))


def progress_words(job: Job, what: str) -> str:
    """State how far a measurement is, by what it measures."""
    named = say_of("mattered.job", what)
    if job.status == "waiting":
        return say("mattered.waiting", job=named)
    done, total = job.progress
    if not total:
        return say("mattered.progress", job=named, seconds=job.seconds)
    return say("mattered.progress_share", job=named, seconds=job.seconds, share=done / total)
