"""Sentences of the Decoding page that Python writes; the pictures write those of each step."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from texts import say, say_of
from viz.pictures.numbers import number_text, percent_text


@dataclass(frozen=True)
class Written:
    """A written text, and how probable the model found each token."""

    text: str
    tokens: Sequence[str]
    probabilities: Sequence[float]
    ranks: Sequence[int]
    """The rank of each token; 0 is the most probable."""
    total: float
    """The log-probability of all tokens together."""
    vocabulary: int
    first: int = 0
    """The step that wrote the first of them; earlier steps read a prompt."""
    told: int = 0
    """The index of the token that the text describes."""


@dataclass(frozen=True)
class Greedy:
    """The text of greedy decoding, to be compared with a beam."""

    text: str
    total: float
    """The log-probability of all its tokens."""
    tokens: Sequence[str]


def first_difference(one: Sequence[object], other: Sequence[object]) -> int | None:
    """Return the first step at which two texts differ; None if they are equal."""
    pairs = zip_longest(one, other)
    return next((step for step, (a, b) in enumerate(pairs) if a != b), None)


def question(*, prompted: bool) -> str:
    """Ask how a text is written: from a prompt, or from a source."""
    return say("decoding.question_prompt") if prompted else say("decoding.question")


def answer(mode: str, written: Written, *, width: int = 0, greedy: Greedy | None = None) -> str:
    """Describe how the text was written.

    Args:
        mode: The strategy.
        written: The text that it gave.
        width: The width of the beam.
        greedy: The text of greedy decoding beside a beam.
    """
    first = say("decoding.each_step", size=written.vocabulary)
    return f"{first} {_choice(mode, written, width, greedy)}"


def _choice(mode: str, written: Written, width: int, greedy: Greedy | None) -> str:
    """Describe how a token is chosen at each step."""
    least = min(range(len(written.tokens)), key=written.probabilities.__getitem__)
    place = min(written.told, len(written.tokens) - 1) if mode == "Greedy" else least
    token, share = written.tokens[place], percent_text(written.probabilities[place])
    if mode == "Greedy":
        return say("decoding.by_greedy", step=written.first + place, token=token, share=share)
    if mode == "Sampling":
        return say("decoding.by_sampling", token=token, share=share)
    if mode == "Given":
        own = sum(rank == 0 for rank in written.ranks)
        return say("decoding.by_given", count=own, steps=len(written.tokens))
    return _beam(written, width, greedy)


def _beam(written: Written, width: int, greedy: Greedy | None) -> str:
    if greedy is None or greedy.text == written.text:
        return say("decoding.beam_same", count=width)
    differ = _say_difference(written.tokens, greedy.tokens, written.first)
    if greedy.total >= written.total:
        said = say("decoding.beam_prefers", count=width, greedy=greedy.text, beam=written.text)
        return f"{said} {differ}"
    said = say(
        "decoding.beam_finds",
        count=width,
        beam=written.text,
        total=number_text(written.total),
        greedy=greedy.text,
        greedy_total=number_text(greedy.total),
    )
    return f"{said} {differ}"


def _say_difference(beam: Sequence[str], greedy: Sequence[str], first: int) -> str:
    place = first_difference(beam, greedy)
    if place is None:
        return ""
    step = first + place
    if place < min(len(beam), len(greedy)):
        return say("decoding.differ_at", step=step, greedy=greedy[place], beam=beam[place])
    return say_of("decoding.longer", "beam" if len(beam) > len(greedy) else "greedy", step=step)


def oddities(tokens: int, *, finished: bool, causal: bool) -> tuple[str, ...]:
    """Describe the peculiarities of the played path, which has so many written tokens."""
    said: list[str] = []
    if tokens == 1 and finished:
        said.append(say("decoding.ended_at_once"))
    if tokens and not finished:
        said.append(say("decoding.cut_off"))
    if not causal:
        said.append(say("decoding.no_cache"))
    return tuple(said)
