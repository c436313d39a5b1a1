"""The measures of each head in a run, and its jobs over as many sentences as possible."""

import pandas as pd

from texts import Language, language, speaking
from viz.corpus.tables import AtlasError
from viz.frame import atlases
from viz.heads.head_roles import HeadRoles, find_roles
from viz.heads.head_summary import Metrics, metrics_by_head
from viz.heads.head_table import summarise_heads
from viz.heads.job_cases import find_cases
from viz.heads.measures import pack_measures
from viz.heads.text_patterns import find_patterns
from viz.heads.wire import WireMeasures
from viz.pictures.component import picture
from viz.run.view import View, per_model, per_view

_send = picture("measures", "pictures/browser/run.js")


def send_measures(view: View) -> None:
    """Send the measures of a run whose parcel was sent before."""
    _send(key="measures", data=measures(view))


def measures(view: View) -> WireMeasures:
    """Return the measures of all heads of a run, packed for the browser and kept."""
    return _measures(view, _place(view))


def summary(view: View) -> pd.DataFrame:
    """Return a table that describes all heads of a run, kept for all sessions."""
    return _summary(view, _place(view), language())


def roles(view: View) -> HeadRoles | None:
    """Return the roles of the heads over the model's atlas, or else over held-out sentences.

    For a model of one text without an atlas, over the text in view. None if there is nothing to
    measure, and for a changed run, because other sentences say nothing about it.
    """
    return None if view.inputs.interventions else _roles(view, _place(view))


def _place(view: View) -> atlases.Place | None:
    return atlases.find(view.inputs.checkpoint).place


def _roles(view: View, place: atlases.Place | None) -> HeadRoles | None:
    try:
        if place:
            return atlases.roles_of(place)
    except AtlasError:  # damaged in a part that opening does not read
        pass
    if not view.run.anatomy.translates:
        return _patterns(view)
    return _held_out(view)


@per_view
def _measures(view: View, place: atlases.Place | None) -> WireMeasures:
    roles = _roles(view, place)
    cases = find_cases(view.run, roles) if roles else None
    changed = bool(view.inputs.interventions)
    return pack_measures(_metrics(view), view.parcel.key, roles, cases, changed=changed)


@per_view
def _summary(view: View, place: atlases.Place | None, spoken: Language) -> pd.DataFrame:
    with speaking(spoken):
        found = None if view.inputs.interventions else _roles(view, place)
        return summarise_heads(view.run, _metrics(view), found)


@per_view
def _metrics(view: View) -> Metrics:
    return metrics_by_head(view.run, view.parcel.gold)


@per_view
def _patterns(view: View) -> HeadRoles:
    return find_patterns(view.run)


@per_model
def _held_out(view: View) -> HeadRoles | None:
    return None if view.run.anatomy.is_recorded else find_roles(view.checkpoint)
