"""A notebook widget of a run, whose selection is shared with Python."""

import anywidget
import traitlets

from loupe.drawn_parts import Pictured
from loupe.picture import first_choice, page_of
from texts import say
from viz.alone.frame import widget_module


class RunWidget(anywidget.AnyWidget):
    """The picture of a run. `selection` follows a click in it, and the picture follows `selection`.

    Unlike the run itself, the widget needs a running kernel.
    """

    _esm = widget_module()
    page = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    selection = traitlets.Dict().tag(sync=True)
    """Kind of attention, layer, head, query and key; all numbers count from 0."""

    def __init__(self, run: Pictured) -> None:
        self._said = repr(run)
        title = say("attention.widget_title")
        super().__init__(page=page_of(run), title=title, selection=first_choice(run))

    def __repr__(self) -> str:
        """Return the text that a saved notebook shows without a kernel."""
        return self._said
