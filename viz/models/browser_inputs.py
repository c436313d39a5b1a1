"""Sends the browser the address of a model and the inputs of a run, so that it can run both."""

import dataclasses

from model.interventions.kinds import Intervention
from viz.models.weights import offer_model, runs_in_browser
from viz.pictures.component import picture
from viz.run.record import longest_written
from viz.run.view import View
from viz.run.wire import WireInputs, WireIntervention, WireModel

_inputs = picture("inputs", "pictures/browser/live/inputs.js")


def model_of(view: View) -> WireModel | None:
    """Return where the browser finds the model of a view; None if the page does not run it.

    The page itself runs only small translators. It holds their weights, because dragging needs them
    in each frame.
    """
    run = view.run
    if run.anatomy.is_recorded or not run.anatomy.translates:
        return None
    if not runs_in_browser(run.info.config, view.model.rules):
        return None
    return offer_model(view.stamp)


def send_inputs(view: View, model: WireModel | None) -> None:
    """Send the inputs of a run, if the browser can run its model."""
    if model:
        _inputs(key="inputs", data=pack_inputs(view, model))


def pack_inputs(view: View, model: WireModel) -> WireInputs:
    """Pack the inputs of a run."""
    run = view.run
    return {
        "run": view.parcel.key,
        "model": model,
        "text": run.source_text,
        "source": run.source.ids,
        "written": run.target_ids[1:],
        "given": run.given,
        "longest": longest_written(run.info.config, run.source),
        "interventions": [pack_intervention(made) for made in run.interventions],
    }


def pack_intervention(made: Intervention) -> WireIntervention:
    """Pack one change, with all its fields."""
    return WireIntervention(**dataclasses.asdict(made))
