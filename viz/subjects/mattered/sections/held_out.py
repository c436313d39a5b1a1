"""The model over many sentences: what is needed again and again."""

from functools import partial
from typing import cast

import streamlit as st

from model.ablation import How
from sample_data.atlas_record import Atlas, from_plain
from viz.frame.fold import fold
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.mattered import cache
from viz.subjects.mattered.packing import pack_atlas
from viz.subjects.mattered.pictures import show_cuts
from viz.subjects.mattered.report import pairs_table
from viz.subjects.mattered.sections.work import measured
from viz.subjects.mattered.words import held_out as words
from viz.subjects.mattered.words import labels

_KEY = "mattered_many"
_HOW = "many_how"


def show_held_out(view: View) -> None:
    """Offer what was measured over held-out sentences."""
    fold(labels.HELD_OUT_FOLD, partial(_show, view), key=_KEY)


def _show(view: View) -> None:
    if not cache.has_average(view):
        st.html(tokens.note(labels.NO_SENTENCES))
        return
    if view.inputs.interventions:
        st.html(tokens.note(labels.WITHOUT_CHANGES))
    atlas = _atlas(view)
    if atlas is None:
        return
    how = cast(
        How,
        st.segmented_control(
            labels.HOW,
            list(labels.HOWS),
            default="zero",
            required=True,
            format_func=labels.HOWS.__getitem__,
            key=_HOW,
            bind="query-params",
        ),
    )
    cuts = [cut for cut in atlas.cuts if cut.how == how]
    st.html(tokens.note(words.summary(atlas, cuts)))
    if harm := words.hurting(atlas, cuts):
        st.html(tokens.note(harm))
    show_cuts(pack_atlas(atlas, cuts, f"{view.inputs.checkpoint} {how}"), key="many_cuts")
    st.html(tokens.note(labels.MANY_NOTE))
    st.html(tokens.heading(labels.BACKUP))
    st.html(tokens.note(words.backup(atlas)))
    st.html(pairs_table(atlas))
    st.html(tokens.note(words.how_measured(atlas)))


def _atlas(view: View) -> Atlas | None:
    found = cache.recorded_atlas(view.inputs.checkpoint)
    if found:
        return found
    request = cache.atlas_request(view)
    plain = measured(request, labels.ATLAS, labels.NO_ATLAS, key=_KEY)
    return None if plain is None else from_plain(plain)
