"""The tour of the map: a few short stops, from the source words to the written word."""

import streamlit as st

from texts import say
from viz.run.record import probability
from viz.run.view import View
from viz.subjects.map.describe import describe
from viz.subjects.map.picture import show_map
from viz.subjects.start import markup, words
from viz.subjects.start.actions import go_to_stop
from viz.subjects.start.words import Facts, Stop

STOPS = 7


def show_tour(view: View, number: int) -> None:
    """Show one stop: its explanation, the way onward, and the map with its blocks highlighted."""
    stop = words.stops(_facts(view))[number - 1]
    with st.container(key="start_tour", gap=None):
        with st.container(key="start_tour_words", gap="medium"):
            st.html(markup.tour_stop(_place(number), stop.title, stop.said))
            _show_ways(number)
        with st.container(key="start_tour_map"):
            show_map(view, size="large", lit=lit_blocks(view, stop), element_key="map_tour")


def _place(number: int) -> str:
    return say("start.tour_place", stop=number, stops=STOPS)


def lit_blocks(view: View, stop: Stop) -> list[str]:
    """Find the blocks that a stop highlights."""
    return [
        block.id
        for block in describe(view.run).blocks
        if block.role in stop.roles
        and stop.stack in (None, block.stack)
        and stop.kind in (None, block.kind)
    ]


def _show_ways(number: int) -> None:
    with st.container(horizontal=True, key="start_tour_ways", gap="small"):
        if number > 1:
            st.button(say("start.back"), key="tour_back", on_click=go_to_stop, args=(number - 1,))
        following = number + 1 if number < STOPS else None
        label = say("start.tour_next") if following else say("start.tour_end")
        st.button(label, key="tour_next", type="primary", on_click=go_to_stop, args=(following,))
        if following:
            st.button(say("start.tour_skip"), key="tour_skip", on_click=go_to_stop, args=(None,))


def _facts(view: View) -> Facts:
    run, config = view.run, view.run.info.config
    written = run.target_tokens[1:-1] if run.finished else run.target_tokens[1:]
    return Facts(
        source=run.source.tokens[:-1],
        languages=view.parcel.languages,
        d_model=config.d_model,
        d_ff=config.d_ff,
        layers=(config.n_encoder_layers, config.n_decoder_layers),
        heads=config.n_heads,
        vocabulary=config.target_vocab_size,
        causal=config.causal_mask,
        written=(written[0], probability(run.steps[0])) if written else None,
    )
