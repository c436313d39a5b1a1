"""What Start says around its picture: what Loupe is, the tour of the map, the doors."""

from typing import NamedTuple

from viz.pictures.numbers import percent_text

WHAT_IT_IS = "Loupe lets you watch a small transformer read a sentence."

LEARN, EXPLORE, TEACH = "Learn", "Explore", "Teach"
DOORS = "Where to go from here"
LEARN_WORDS = "One idea at a time: first one word, then the whole model in seven short stops."
EXPLORE_WORDS = "All heads, all layers, every number with the arithmetic behind it."
TEACH_WORDS = (
    "The address is the slide: whatever you see here is in the link. Copy it, and a class sees "
    "the same. Presenter mode makes it large."
)
WATCH_AGAIN, TAKE_TOUR = "Follow one word", "Tour the model"
OPEN_ATTENTION, OPEN_MAP = "See all heads", "Open the map"
PRESENT, DECODE = "Presenter mode", "Play the decoding"

TOUR = "A tour of the model"
NEXT, BACK, SKIP, END = "Next stop", "Back", "Skip the tour", "End of the tour"


class Stop(NamedTuple):
    """One stop of the tour: the blocks of the map that are lit, and what is said of them."""

    title: str
    said: str
    roles: tuple[str, ...]
    stack: str | None = None
    kind: str | None = None


class Facts(NamedTuple):
    """What the stops of the tour tell of a run."""

    source: tuple[str, ...]
    """The words that went in."""
    languages: tuple[str, str]
    d_model: int
    d_ff: int
    layers: tuple[int, int]
    heads: int
    vocabulary: int
    causal: bool
    written: tuple[str, float] | None
    """A word that was written, and its probability."""


def stop_place(stop: int, count: int) -> str:
    """Say which stop it is."""
    return f"Stop {stop} of {count}"


def stops(facts: Facts) -> tuple[Stop, ...]:
    """Say what each stop shows, from the words that go in to the word that comes out."""
    last = Stop("Every word gets a chance", _last(facts), ("linear", "output", "candidates"))
    return (*_encoder_stops(facts), *_decoder_stops(facts), last)


def _encoder_stops(facts: Facts) -> tuple[Stop, ...]:
    first = facts.source[0] if facts.source else ""
    layers, heads = _several(facts.layers[0], "layer"), _several(facts.heads, "head")
    return (
        Stop(
            "Words become numbers",
            f"Each token, “{first}” first, is looked up: it becomes {facts.d_model} numbers that "
            "the model learned for it.",
            ("tokens", "embedding"),
            "encoder",
        ),
        Stop(
            "Places are added",
            "A pattern of its own is added for each place: without it the model would not know "
            "which word comes first.",
            ("positions", "sum"),
            "encoder",
        ),
        Stop(
            "Words read each other",
            f"In {layers} of {heads} each word asks all the others, and takes along what it reads.",
            ("attention",),
            "encoder",
            "encoder self-attention",
        ),
        Stop(
            "Each word thinks for itself",
            f"A small network works on each word alone: {facts.d_model} numbers become "
            f"{facts.d_ff}, and {facts.d_model} again.",
            ("feed_forward",),
            "encoder",
        ),
    )


def _decoder_stops(facts: Facts) -> tuple[Stop, ...]:
    source, target = facts.languages
    later = (
        "What comes later is hidden from it."
        if facts.causal
        else "In this variant nothing hides what comes later."
    )
    return (
        Stop(
            f"The {target} side reads what it has written",
            f"It asks the words that are already there. {later}",
            ("attention",),
            "decoder",
            "decoder self-attention",
        ),
        Stop(
            f"And it reads the {source} side",
            f"For each word that it writes, it asks all the words of the {source} side: this is "
            "where a translation finds its original.",
            ("attention",),
            "decoder",
            "cross-attention",
        ),
    )


def _last(facts: Facts) -> str:
    said = f"All {facts.vocabulary} tokens that it knows get a probability."
    if facts.written is None:
        return said
    word, chance = facts.written
    return f"{said} It wrote “{word}” with {percent_text(chance)}, and goes on with the next word."


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
