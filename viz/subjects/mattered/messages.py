"""What the page and the process that measures for it say to each other."""

from collections.abc import Sequence

from model.attribution.cuts import Edge
from viz.work.messages import Message


def ask_atlas(checkpoint: str, written: int) -> Message:
    """Ask for the atlas of a checkpoint, by its path, as it was written at a time."""
    return {"what": "atlas", "checkpoint": checkpoint, "written": written}


def ask_edges(
    checkpoint: str, written: int, texts: tuple[Sequence[int], Sequence[int]], cut: Sequence[Edge]
) -> Message:
    """Ask what each edge costs, for the ids of a source and of its target."""
    source, target = map(list, texts)
    listed = [[edge.sublayer, edge.head, edge.row, edge.key] for edge in cut]
    return {
        "what": "edges",
        "checkpoint": checkpoint,
        "written": written,
        "source": source,
        "target": target,
        "edges": listed,
    }


def asked_edges(request: Message) -> tuple[Edge, ...]:
    """Read the edges of a request."""
    return tuple(Edge(*edge) for edge in request["edges"])
