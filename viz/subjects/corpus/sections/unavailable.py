"""The message in place of an atlas: why there is none, and what would help."""

from urllib.parse import urlencode

import streamlit as st
from markupsafe import Markup

from texts import say, say_of
from viz.corpus.places import atlas_folders
from viz.frame.atlases import Found
from viz.frame.own_titles import own_titles
from viz.models import own_checkpoints
from viz.pictures import tokens
from viz.subjects.corpus.sections.instructions import show_making


def show_missing(found: Found, checkpoint: str) -> None:
    """Explain why there is nothing to show, and offer the models that have an atlas."""
    st.html(tokens.question(say("corpus.question"), _why(found)))
    st.html(tokens.note(say("corpus.missing_try")))
    with st.container(border=True, key="card_corpus_missing", gap="small"):
        names = [name for name in own_checkpoints.checkpoint_names() if name in atlas_folders()]
        titles = own_titles(own_checkpoints.checkpoint_names())
        links = [
            Markup('<li><a href="corpus?{}">{}</a></li>').format(
                urlencode({"checkpoint": name}), titles[name]
            )
            for name in names
            if name != checkpoint
        ]
        if links:
            st.html(Markup('<ul class="corpus-others">{}</ul>').format(tokens.joined(links)))
        show_making(checkpoint)


def _why(found: Found) -> str:
    return say_of("corpus_missing", found.missing, why=found.why)
