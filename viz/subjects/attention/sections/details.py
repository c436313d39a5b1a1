"""What stands below, each behind a heading: a head's stages, every head, and BertViz."""

from functools import partial

from texts import say
from viz.frame.expander import fold, open_fold
from viz.run.address import put, said
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.attention.scaling import is_divided
from viz.subjects.attention.sections.bertviz import show_bertviz
from viz.subjects.attention.sections.scaling import show_scaling
from viz.subjects.attention.sections.stages import show_stages
from viz.subjects.attention.sections.table import show_table

_OLD = "below"
"""The parameter of links from the time when one of them was always open."""
_OPENED_BY = {
    "Stage by stage": "stages",
    "Every head in numbers": "heads",
    "BertViz": "bertviz",
}


def follow_old_link() -> None:
    """Open what a link of old asks for, which then says so as links do now."""
    if (asked := said(_OLD)) is not None:
        put(_OLD, None)
        if asked in _OPENED_BY:
            open_fold(_OPENED_BY[asked])


def show_sections(view: View, selection: Selection) -> None:
    """Let each section be opened by itself."""
    fold(say("attention.stages"), partial(show_stages, view, selection), key="stages")
    if is_divided(view.run):
        fold(say("attention.scaling"), partial(show_scaling, view, selection), key="scaling")
    fold(say("attention.table"), partial(show_table, view), key="heads")
    fold(say("attention.bertviz"), partial(show_bertviz, view, selection), key="bertviz")
