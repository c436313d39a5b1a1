"""The names that a plug-in of Loupe may import, and the functions that its author needs.

They keep their meaning and their signatures within one `VERSION`. A plug-in that imports other
names of Loupe may break with any release. docs/extending.md shows one plug-in of each kind.
"""

from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loupe.module_finder import module_name
from model.plugins import FAMILIES, INTERVENTIONS, Plugin, PluginError, known, names

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from loupe.run import Run
    from model.config import TransformerConfig
    from model.foreign.imports.family import Family, Weights, prefix_of, renamed, stack_table
    from model.foreign.imports.settings import ACTIVATIONS, NotComputedError, Settings
    from model.interventions.kinds import Intervention, edits_of
    from texts import language
    from viz.address.selection import Selection
    from viz.run.requirements import going_on, predicting, running_again, translating, writing
    from viz.run.view import View

__all__ = [
    "ACTIVATIONS",
    "VERSION",
    "Family",
    "Intervention",
    "NotComputedError",
    "Plugin",
    "Settings",
    "TransformerConfig",
    "View",
    "Weights",
    "add_changes",
    "bound",
    "edits_of",
    "going_on",
    "installed",
    "language",
    "predicting",
    "prefix_of",
    "preview",
    "renamed",
    "run_of",
    "running_again",
    "selection_of",
    "stack_table",
    "translating",
    "writing",
]
VERSION = 1
"""The version of these names. It grows if one of them goes or no longer means the same."""

_MODULES = {
    "model.config": ("TransformerConfig",),
    "model.foreign.imports.family": ("Family", "Weights", "prefix_of", "renamed", "stack_table"),
    "model.foreign.imports.settings": ("ACTIVATIONS", "NotComputedError", "Settings"),
    "model.interventions.kinds": ("Intervention", "edits_of"),
    "texts": ("language",),
    "viz.run.requirements": ("going_on", "predicting", "running_again", "translating", "writing"),
    "viz.run.view": ("View",),
}
_MODULE_OF = {name: module for module, listed in _MODULES.items() for name in listed}


def __getattr__(name: str) -> object:
    """Import a name on first use: a family needs no page, and a page needs the app's packages."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module_name(_MODULE_OF[name])), name)


def installed() -> tuple[Plugin, ...]:
    """Load every plug-in of the installed packages, and list them with package and version.

    `str` of one is a line for a terminal. Its `fault` says why Loupe leaves it out. Pages stay
    unloaded if the app's packages are missing.
    """
    from model.foreign.imports.family import find_family
    from model.interventions.base import class_of

    for name in names(FAMILIES):
        find_family(name)
    for name in names(INTERVENTIONS):
        with suppress(PluginError):
            class_of(name)
    if find_spec("streamlit"):
        import_module(module_name("viz.pages"))
    return known()


def run_of(view: "View") -> "Run":
    """Return the run that a page shows, as `loupe.trace` returns one: tensors by name, tokens."""
    from loupe.native import Reading, run_of_record
    from loupe.records import Tokens

    run = view.run
    reading = Reading(
        source=run.source.ids if run.info.config.has_encoder else None,
        written=run.target_ids or None,
        tokens=Tokens(run.texts["source"], run.target_tokens),
        text=run.text,
        is_given=run.given,
    )
    return run_of_record(view.opened, reading, run.trace)


def selection_of(view: "View") -> "Selection":
    """Return the selected cell: `kind` of attention, `layer`, `head`, `query`, `key`, `step`."""
    from viz.address.link import current_selection

    return current_selection(view.run)


def add_changes(view: "View", *interventions: "Intervention") -> None:
    """Add changes to the run in view; the reader can undo them.

    Call this before the page is drawn: `st.button(…, on_click=add_changes, args=(view, change))`.
    """
    from viz.address.history import add

    add(interventions, view.inputs)


def bound(
    name: str,
    usual: Any,  # noqa: ANN401 - the value of a field
    options: Iterable[Any] | None = None,
    *,
    within: tuple[Any, Any] | None = None,
) -> str:
    """Keep the value of a field in the link, and return its key: `st.slider(…, key=bound(…))`.

    Args:
        name: The name of the value in the link, with a hyphen: Loupe's own names contain none.
        usual: The value of the field if the link has none. Give the field no value of its own.
        options: The possible values of a field that has a list of them.
        within: The least and the most of a number.
    """
    if "-" not in name:
        raise ValueError(f"the name of a field must contain a hyphen, such as acme-{name}")
    from viz.address.address import bound as bound_in_address

    return bound_in_address(name, usual, options, within=within)


def preview(page: str, model: str, text: str) -> "AppTest":
    """Run the app without a browser, for a test of a page, and return Streamlit's AppTest.

    Args:
        page: The page's URL.
        model: The name of the model in view, such as "everyday-paper-0".
        text: The sentence.
    """
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(Path(__file__).parent / "explored" / "script.py", default_timeout=120)
    app.query_params["checkpoint"] = model
    app.query_params["source"] = text
    app.session_state["go_to"] = page
    return app.run()
