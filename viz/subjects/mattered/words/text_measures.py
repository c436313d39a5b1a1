"""What the measures of a model of one text are called, and what they say of a token."""

from collections import Counter
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from model.text_measures import TextMeasure
from texts import say, say_of
from viz.pictures.numbers import difference_text, number_text
from viz.pictures.tokens import markdown, say_markup, token
from viz.subjects.mattered.text_rows import LONGEST, TextAgain
from viz.subjects.mattered.words.measures import Explained, agreed, group_of

_CLOSE_ENOUGH = 0.02
"""Of a sum: what integrated gradients may miss."""


def explained_of_text(measure: TextMeasure) -> Explained:
    """Say what a measure is, of a model of one text."""
    return Explained(
        group=group_of(measure),
        label=say_of("mattered.label", measure),
        what=say_of("mattered.what_of_text", measure),
        formula=_formula(measure),
        origin=_origin(measure),
    )


def _formula(measure: TextMeasure) -> str:
    if measure == "integrated":
        return say("mattered.formula_of_text.integrated")
    return say_of("mattered.formula", measure)


def _origin(measure: TextMeasure) -> str:
    if measure == "rollout":
        return say("mattered.origin_of_text.rollout")
    return say_of("mattered.origin", measure)


def heading(word: str, *, writes: bool) -> str:
    """Head the measures of a token."""
    named = markdown(word)
    return say("mattered.which_of_text" if writes else "mattered.which_at_place", token=named)


def verdict(word: str, text: Sequence[str], firsts: Mapping[TextMeasure, int | None]) -> Markup:
    """Say which word most measures put first, and how many put another one first."""
    counts = Counter(place for place in firsts.values() if place is not None)
    if not counts:
        return say_markup("mattered.no_read", token=token(word))
    (first, most), *others = counts.most_common()
    said = agreed(word, _named(text, first), most, len(firsts))
    if not others:
        return said
    place, count = others[0]
    return said + " " + say_markup("mattered.also", count=count, word=_named(text, place))


def _named(text: Sequence[str], place: int) -> Markup:
    """Name a token; one of several alike with its place."""
    word = token(text[place])
    if list(text).count(text[place]) == 1:
        return word
    return say_markup("mattered.at_position", word=word, position=place)


def completeness(found: TextAgain) -> tuple[bool, str, str]:
    """Say how far integrated gradients are from the sum that they should have."""
    said = say("mattered.completeness", sum=number_text(found.difference), count=found.steps)
    close = abs(found.error) <= _CLOSE_ENOUGH * max(1.0, abs(found.difference))
    return close, said, f"± {difference_text(abs(found.error))}"


def too_long(read: int) -> str:
    """Say why the model is not run again, and what would work."""
    return say("mattered.too_long_text", most=LONGEST, read=read)
