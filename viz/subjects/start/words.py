"""The texts of the tour's stops, from the source words to the written word."""

from typing import NamedTuple

from texts import say
from viz.pictures.numbers import percent_text


class Stop(NamedTuple):
    """One stop of the tour: the blocks of the map that it highlights, and its text."""

    title: str
    said: str
    roles: tuple[str, ...]
    stack: str | None = None
    kind: str | None = None


class Facts(NamedTuple):
    """The facts about a run that the tour states."""

    source: tuple[str, ...]
    """The words of the source."""
    languages: tuple[str, str]
    d_model: int
    d_ff: int
    layers: tuple[int, int]
    heads: int
    vocabulary: int
    causal: bool
    written: tuple[str, float] | None
    """A written word, and its probability."""


def stops(facts: Facts) -> tuple[Stop, ...]:
    """Write the text of each stop, from the source words to the written word."""
    last = Stop(say("start.tour_output"), _last(facts), ("linear", "output", "candidates"))
    return (*_encoder_stops(facts), *_decoder_stops(facts), last)


def _encoder_stops(facts: Facts) -> tuple[Stop, ...]:
    first = facts.source[0] if facts.source else ""
    return (
        Stop(
            say("start.tour_embedding"),
            say("start.tour_embedding_said", first=first, size=facts.d_model),
            ("tokens", "embedding"),
            "encoder",
        ),
        Stop(
            say("start.tour_positions"),
            say("start.tour_positions_said"),
            ("positions", "sum"),
            "encoder",
        ),
        Stop(
            say("start.tour_encoder"),
            say(
                "start.tour_encoder_said",
                layers=say("map.layers", count=facts.layers[0]),
                heads=say("map.heads", count=facts.heads),
            ),
            ("attention",),
            "encoder",
            "encoder self-attention",
        ),
        Stop(
            say("start.tour_feed_forward"),
            say("start.tour_feed_forward_said", size=facts.d_model, inner=facts.d_ff),
            ("feed_forward",),
            "encoder",
        ),
    )


def _decoder_stops(facts: Facts) -> tuple[Stop, ...]:
    source, target = facts.languages
    return (
        Stop(
            say("start.tour_decoder", target=target),
            say("start.tour_decoder_masked" if facts.causal else "start.tour_decoder_open"),
            ("attention",),
            "decoder",
            "decoder self-attention",
        ),
        Stop(
            say("start.tour_cross", source=source),
            say("start.tour_cross_said", source=source),
            ("attention",),
            "decoder",
            "cross-attention",
        ),
    )


def _last(facts: Facts) -> str:
    said = say("start.tour_output_said", size=facts.vocabulary)
    if facts.written is None:
        return said
    word, chance = facts.written
    return f"{said} {say('start.tour_output_wrote', word=word, share=percent_text(chance))}"
