"""A run as a widget of a notebook: what is chosen in it is known to Python."""

from typing import TYPE_CHECKING

import anywidget
import traitlets

from loupe.picture import first_choice, page_of
from texts import say
from viz.subjects.attention.standalone import widget_module

if TYPE_CHECKING:
    from loupe.run import Run


class RunWidget(anywidget.AnyWidget):
    """The picture of a run. `selection` follows a click in it, and the picture follows `selection`.

    Unlike the run itself, it is not drawn where no kernel runs.
    """

    _esm = widget_module()
    page = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    selection = traitlets.Dict().tag(sync=True)
    """Kind of attention, layer, head, query and key; all numbers count from 0."""

    def __init__(self, run: "Run") -> None:
        self._said = repr(run)
        title = say("attention.widget_title")
        super().__init__(page=page_of(run), title=title, selection=first_choice(run))

    def __repr__(self) -> str:
        """Return what a saved notebook shows of it where no kernel runs: the run in words."""
        return self._said
