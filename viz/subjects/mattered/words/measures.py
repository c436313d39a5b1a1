"""What the measures of what mattered are called, what each says, and what that is worth."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from model.attribution.measures import Measure
from model.config import TransformerConfig
from sample_data.agreement import POSITION, Agreement, Agreements
from texts import listed, say, say_of
from viz.pictures.numbers import difference_text, number_text
from viz.pictures.tokens import say_markup, token
from viz.subjects.mattered.row_measures import LONGEST, RunAgain

_MOST_NAMED = 2
_CLOSE_ENOUGH = 0.02
"""Of a sum: what integrated gradients may miss."""
_GROUPS: Mapping[Measure, str] = {
    "attention": "looks",
    "vectors": "brings",
    "direct": "brings",
    "gradient": "answers",
    "integrated": "answers",
    "swapped": "without",
}
"""What each measure is a measure of: a name in the texts."""
_PLURAL = ("integrated",)
"""Measures whose name is a plural."""


class Explained(NamedTuple):
    """A measure in words."""

    group: str
    label: str
    what: str
    formula: str
    origin: str


def explained(measure: Measure, *, translates: bool = True) -> Explained:
    """Describe a measure, of two texts or of one."""
    said = Explained(
        group=say_of("mattered.group", _GROUPS[measure]),
        label=say_of("mattered.label", measure),
        what=say_of("mattered.what", measure),
        formula=say_of("mattered.formula", measure),
        origin=say_of("mattered.origin", measure),
    )
    if translates or measure != "integrated":
        return said
    return said._replace(
        what=say("mattered.what_of_text.integrated"),
        formula=say("mattered.formula_of_text.integrated"),
    )


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
    """Describe where the measures agree on what mattered, and who puts another word first.

    With `elsewhere`, say too that attention does not look at the word whose swap costs most.
    """
    counts = Counter(place for place in firsts.values() if place is not None)
    if not counts:
        return say_markup("mattered.no_read", token=token(spoken))
    (first, most), *others = counts.most_common()
    said = [agreed(spoken, _placed(read, first), most, len(firsts))]
    said += [
        _dissent(_placed(read, place), [name for name, at in firsts.items() if at == place])
        for place, _ in others[:_MOST_NAMED]
    ]
    looked, swapped = firsts.get("attention"), firsts.get("swapped")
    if elsewhere and looked is not None and swapped is not None:
        words = {"looked": _placed(read, looked), "swapped": _placed(read, swapped)}
        said.append(say_markup("mattered.looks_elsewhere", **words))
    return Markup(" ").join(said)


def _placed(read: Sequence[str], place: int) -> Markup:
    """Name a token; one of several alike with its place."""
    word = token(read[place])
    if list(read).count(read[place]) == 1:
        return word
    return say_markup("mattered.at_position", word=word, position=place)


def agreed(written: str, word: Markup, most: int, whole: int) -> Markup:
    """Describe how many measures put one word first."""
    values = {"token": token(written), "word": word, "count": most, "whole": whole}
    return say_markup(
        "mattered.verdict_all" if most == whole else "mattered.verdict_most", **values
    )


def _dissent(word: Markup, names: Sequence[Measure]) -> Markup:
    """Name the measures that put another word first."""
    named = listed([_named(name) for name in names])
    begun = f"{named[0].upper()}{named[1:]}"
    many = len(names) > 1 or names[0] in _PLURAL
    return say_markup(
        "mattered.named_put" if many else "mattered.named_puts", names=begun, word=word
    )


def agreement_text(share: float | None) -> str:
    """Write how often a measure agrees, in whole percents: the sentences are too few for more."""
    return "" if share is None else say("mattered.percent", percent=round(100 * share))


def is_below(one: Agreement, found: Agreements) -> bool:
    """Return whether a measure finds the costliest swap less often than the rule of positions."""
    rule = found.measures[POSITION]
    return one.swap is not None and rule.swap is not None and one.swap < rule.swap


def completeness(found: RunAgain) -> tuple[bool, str, str]:
    """Describe how far integrated gradients are from the sum that they should have."""
    said = say("mattered.completeness", sum=number_text(found.difference), count=found.steps)
    close = abs(found.error) <= _CLOSE_ENOUGH * max(1.0, abs(found.difference))
    return close, said, f"± {difference_text(abs(found.error))}"


def too_long(read: int, written: int, *, translates: bool) -> str:
    """Explain why the model is not run again, and what would work."""
    if translates:
        return say("mattered.too_long_why", most=LONGEST, source=read, target=written)
    return say("mattered.too_long_text", most=LONGEST, read=read)


def _named(measure: str) -> str:
    """Name a measure within a sentence."""
    return say_of("mattered.within", measure)
