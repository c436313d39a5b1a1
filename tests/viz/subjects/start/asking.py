"""Asks the code of Start's picture about sentences, with the data that Python sends."""

import base64
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tests.node import told_by
from viz.frame.typing_hints import vocabulary
from viz.models.browser_inputs import pack_intervention
from viz.run.payload import Payload
from viz.run.tensor_parcel import TensorParcel
from viz.run.view import View
from viz.subjects.start.cache import question_data, shown_views
from viz.subjects.start.facts import KIND
from viz.subjects.start.wire import WireStart

SCRIPT = Path(__file__).with_name("ask.js")


class Head(NamedTuple):
    """A head of a run, which Python sends separately."""

    run: str
    layer: int
    head: int
    tensors: TensorParcel


def case(
    view: View,
    sources: tuple[str, ...] = (),
    *,
    word: int | None = None,
    sent: WireStart | None = None,
    heads: Iterable[Head] = (),
    typed: Mapping[str, Any] | None = None,
    pressed: int | None = None,
    late: Literal["still", "moved"] | None = None,
) -> dict[str, Any]:
    """Return the browser's input for a view and for the sentence beside it.

    Args:
        view: The view that is shown.
        sources: Both sentences, if there is one beside it.
        word: Position of the word that was chosen before.
        sent: Data to send instead of Python's usual data.
        heads: Heads that the browser has requested from Python.
        typed: A text that is being typed.
        late: Whether the reader moves before the browser's model arrives, if it is not there yet.
        pressed: Position of a word that the reader presses before Python hears of it.
    """
    views = shown_views(view, sources or (view.inputs.source,))
    return {
        "runs": [as_json(one.parcel) for one in views],
        "heads": [
            {
                "run": one.run,
                "head": f"{KIND} {one.layer} {one.head}",
                "tensors": one.tensors.said,
                "numbers": in_base64(one.tensors.numbers.column("number")),
            }
            for one in heads
        ],
        "sent": sent or question_data(view, views, word=word),
        "typed": typed,
        "pressed": pressed,
        "late": late,
    }


def typed(text: str, word: int = -1, changes: Iterable[Any] = ()) -> dict[str, Any]:
    """Return a text that is being typed, with the word that the reader chose in it."""
    return {"text": text, "word": word, "interventions": [pack_intervention(c) for c in changes]}


def ask(view: View, cases: Iterable[dict[str, Any]], checkpoint: Path | None) -> list[Any]:
    """Return what the picture shows and requests in each case, in a browser with this model."""
    wanted = {
        "checkpoint": checkpoint and str(checkpoint),
        "vocabulary": vocabulary(view.run.info),
        "cases": list(cases),
    }
    return told_by(SCRIPT, wanted)


def as_json(parcel: Payload) -> dict[str, Any]:
    """Return a packed run as JSON, with its tables in base64."""
    said = parcel.said
    numbers = said.get("numbers")
    return {
        "meta": said["meta"],
        "codes": in_base64(said["codes"].column("code")),
        "numbers": numbers and in_base64(numbers.column("number")),
    }


def in_base64(column: Any) -> str:
    """Return a column of a table in base64."""
    return base64.b64encode(column.to_numpy().tobytes()).decode("ascii")
