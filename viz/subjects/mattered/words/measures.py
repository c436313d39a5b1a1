"""Names of the measures of attribution, their meaning, and their reliability."""

from collections import Counter
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from model.attribution.measures import Measure
from model.config import TransformerConfig
from texts import say
from viz.pictures.numbers import difference_text, number_text
from viz.pictures.tokens import say_markup, token
from viz.subjects.mattered.row_measures import RunAgain

_CLOSE_ENOUGH = 0.02
"""The share of a sum that integrated gradients may miss."""


def heading(spoken: str, config: TransformerConfig) -> Markup:
    """Ask about one token."""
    named = token(spoken)
    if config.has_cross_attention:
        return say_markup("mattered.which", token=named)
    writes = config.has_decoder
    return say_markup(
        "mattered.which_of_text" if writes else "mattered.which_at_place", token=named
    )


def verdict(
    spoken: str,
    read: Sequence[str],
    firsts: Mapping[Measure, int | None],
    *,
    elsewhere: bool = False,
) -> Markup:
    """Describe how many measures agree on what mattered.

    With `elsewhere`, say also that attention does not rank first the word with the costliest swap.
    """
    counts = Counter(place for place in firsts.values() if place is not None)
    if not counts:
        return say_markup("mattered.no_read", token=token(spoken))
    [(first, most)] = counts.most_common(1)
    said = [agreed(spoken, _placed(read, first), most, len(firsts))]
    looked, swapped = firsts.get("attention"), firsts.get("swapped")
    if elsewhere and looked is not None and swapped is not None:
        words = {"looked": _placed(read, looked), "swapped": _placed(read, swapped)}
        said.append(say_markup("mattered.looks_elsewhere", **words))
    return Markup(" ").join(said)


def _placed(read: Sequence[str], place: int) -> Markup:
    """Name a token; one of several equal ones with its position."""
    word = token(read[place])
    if list(read).count(read[place]) == 1:
        return word
    return say_markup("mattered.at_position", word=word, position=place)


def agreed(written: str, word: Markup, most: int, whole: int) -> Markup:
    """Describe how many measures rank one word first."""
    values = {"token": token(written), "word": word, "count": most, "whole": whole}
    return say_markup(
        "mattered.verdict_all" if most == whole else "mattered.verdict_most", **values
    )


def agreement_text(share: float | None) -> str:
    """Write how often a measure agrees, in whole percents, because the sentences are few."""
    return "" if share is None else say("mattered.percent", percent=round(100 * share))


def completeness(found: RunAgain) -> tuple[bool, str, str]:
    """Describe how far integrated gradients are from the sum that they should have."""
    said = say("mattered.completeness", sum=number_text(found.difference), count=found.steps)
    close = abs(found.error) <= _CLOSE_ENOUGH * max(1.0, abs(found.difference))
    return close, said, f"± {difference_text(abs(found.error))}"
