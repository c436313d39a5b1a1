"""The names of the sides and the axes of a run, in the language of the reader."""

from typing import TYPE_CHECKING

from sample_data.tasks import task_languages
from texts import named, say
from viz.run.axes import AttentionKind

if TYPE_CHECKING:
    from viz.run.record import Run


def one_text_titles() -> tuple[str, str]:
    """Return the titles of both axes for a model of one text."""
    return say("axis.query"), say("axis.key")


def side_names(task: str) -> tuple[str, str]:
    """Return the names of the two sides of a task, in the language of the reader."""
    return said_sides(task_languages(task))


def said_sides(sides: tuple[str, str]) -> tuple[str, str]:
    """Return the names of two sides in the language of the reader."""
    source, target = sides
    return named("side", source) or source, named("side", target) or target


def axis_titles(kind: AttentionKind, languages: tuple[str, str]) -> tuple[str, str]:
    """Return the titles of both axes of one kind of attention."""
    source, target = languages
    if kind == "encoder self-attention":
        return say("axis.query_reads", language=source), say("axis.key_read", language=source)
    query = say("axis.query_writes", language=target)
    if kind == "cross-attention":
        return query, say("axis.key_read", language=source)
    return query, say("axis.key_there", language=target)


def titles_of(run: "Run", kind: AttentionKind) -> tuple[str, str]:
    """Return the titles of rows and columns for one kind of attention of a run."""
    if not run.anatomy.translates:
        return one_text_titles()
    return axis_titles(kind, side_names(run.info.task))
