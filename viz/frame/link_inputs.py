"""Reads the inputs of a link's run, as the page that it opens would."""

from collections.abc import Sequence
from urllib.parse import parse_qsl

from viz.address.changes import read_changes
from viz.frame.source_texts import LONGEST_TYPED, default_source
from viz.models import machine, opening
from viz.run.inputs import Inputs


def inputs_of_link(link: str, names: Sequence[str]) -> Inputs | None:
    """Read the inputs of a run from the path and query of a link; None if it cannot be run.

    Only models among these names are read; a link without a model means the first one.
    """
    query = dict(parse_qsl(link.partition("?")[2]))
    name = query.get("checkpoint", names[0] if names else "")
    if name not in names:
        return None
    try:
        info = opening.read_info(name)
        source, target = query.get("source") or default_source(info), query.get("target", "")
        if max(len(source), len(target)) > LONGEST_TYPED:
            return None
        target = target if target.strip() else ""
        changes = read_changes(query.get("edits", ""), name, source, target)
    except ValueError:
        return None
    device = query.get("device", "cpu")
    known = device if device in machine.devices() else "cpu"
    made = (c.intervention for c in changes if c.is_on and c.applies(name, source, target))
    return Inputs(name, source, target, known, tuple(made))
