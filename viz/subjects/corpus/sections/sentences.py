"""Example sentences for what a head does and for all its rows, each a link into the app."""

from functools import partial

import streamlit as st

from model.checkpoints.metadata import CheckpointInfo
from texts import LANGUAGES, language, say
from viz.corpus.tables import HeadName
from viz.frame.atlases import Place, roles_of
from viz.models import opening
from viz.pictures import tokens
from viz.subjects.corpus import cache
from viz.subjects.corpus.links import to_sentence
from viz.subjects.corpus.report import Link, example_list, short_list


def show_found(place: Place, head: HeadName) -> None:
    """Show some sentences in which a head does its job; without a job, rows of any weight."""
    if jobs := roles_of(place).heads[head.kind][head.layer][head.head]:
        st.html(tokens.heading(say("corpus.found", does=jobs[0].job.words)))
        shown = cache.doing(place, head, jobs[0].job.name)
    else:
        st.html(tokens.heading(say("corpus.found_any")))
        bands = cache.examples_of(place, head, each=1)[::2]
        shown = [example for band in bands for example in band.examples]
    st.html(short_list(shown, head, *_shown(place, head)))


def show_sentences(place: Place, head: HeadName) -> None:
    """Show examples by the quantile of their weight."""
    st.html(tokens.note(say("corpus.examples_note")))
    found = cache.examples_of(place, head)
    st.html(example_list(found, head, *_shown(place, head)))


def _shown(place: Place, head: HeadName) -> tuple[CheckpointInfo, Link]:
    """Return the function that splits the texts, and the link of an example."""
    asked = "" if language() == LANGUAGES[0] else language()
    link = partial(to_sentence, place.checkpoint, head, language=asked)
    return opening.read_info(place.checkpoint), link
