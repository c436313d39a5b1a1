"""What the measures of a model of one text are called, and what they say of a token."""

from collections import Counter
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from model.text_measures import TextMeasure
from viz.pictures.numbers import difference_text, number_text
from viz.pictures.tokens import markdown, token
from viz.subjects.mattered.text_rows import LONGEST, TextAgain
from viz.subjects.mattered.words.measures import ANSWERS, EXPLAINED, LOOKS, WITHOUT, Explained

FOLD = "Which word mattered for one token: attention beside other measures"
_CLOSE_ENOUGH = 0.02
"""Of a sum: what integrated gradients may miss."""

OF_TEXT: Mapping[TextMeasure, Explained] = {
    "head": Explained(
        LOOKS,
        "One head",
        "The weights of a single head.",
        "A",
        "Vaswani et al. 2017, section 3.2.1",
    ),
    "attention": Explained(
        LOOKS,
        "Last layer, mean of its heads",
        "The weights of the last layer's attention, averaged over its heads.",
        "Ā = mean over heads of A",
        "Vaswani et al. 2017, section 3.2.2",
    ),
    "rollout": Explained(
        LOOKS,
        "Rollout: along all paths",
        "Attention multiplied through all layers, where half of each row stays what it was.",
        "R = product over layers of (½ Ā + ½ I)",
        "Abnar & Zuidema 2020",
    ),
    "values": EXPLAINED["values"],
    "vectors": EXPLAINED["vectors"],
    "gradient": EXPLAINED["gradient"],
    "integrated": Explained(
        ANSWERS,
        "Integrated gradients",
        "The gradient averaged on the way from an average embedding to this text. "
        "All words together make up the whole difference.",
        "(x − b) · mean over a of ∂ log p(y) / ∂x at b + a·(x − b), a from 0 to 1",
        "Sundararajan et al. 2017",
    ),
    "hidden": Explained(
        WITHOUT,
        "Hidden",
        "The log-probability lost when no other row may read the word.",
        "log p(y | x) − log p(y | x with the word masked)",
        "Zeiler & Fergus 2014, occlusion",
    ),
    "zeroed": Explained(
        WITHOUT,
        "Emptied",
        "The log-probability lost when zeros stand in place of the word's embedding.",
        "log p(y | x) − log p(y | x with 0 for the word)",
        "Zeiler & Fergus 2014, occlusion",
    ),
}


def label_of(measure: TextMeasure, head: tuple[int, int]) -> str:
    """Name a measure; that of one head with the head."""
    label = OF_TEXT[measure].label
    return f"{label}: L{head[0]} H{head[1]}" if measure == "head" else label


def heading(word: str, *, writes: bool) -> str:
    """Head the measures of a token."""
    return f"What mattered for {markdown(word)}" if writes else f"Why {markdown(word)} is put there"


def verdict(word: str, text: Sequence[str], firsts: Mapping[TextMeasure, int | None]) -> Markup:
    """Say which word most measures put first, and how many put another one first."""
    counts = Counter(place for place in firsts.values() if place is not None)
    if not counts:
        return Markup("Nothing that is read speaks for {}.").format(token(word))
    (first, most), *others = counts.most_common()
    agree = "all" if most == len(firsts) else f"{most} of"
    said = Markup("For {}, {} {} measures put {} first.").format(
        token(word), agree, len(firsts), _named(text, first)
    )
    if not others:
        return said
    place, count = others[0]
    who = "another" if count == 1 else f"{count} others"
    return Markup("{} For {} it is {}.").format(said, who, _named(text, place))


def _named(text: Sequence[str], place: int) -> Markup:
    """Name a token; one of several alike with its place."""
    word = token(text[place])
    if list(text).count(text[place]) == 1:
        return word
    return Markup("{} at position {}").format(word, place)


def completeness(found: TextAgain) -> tuple[bool, str, str]:
    """Say how far integrated gradients are from the sum that they should have."""
    said = (
        f"integrated gradients sum to {number_text(found.difference)} nats, "
        f"as they should, with {found.steps} steps"
    )
    close = abs(found.error) <= _CLOSE_ENOUGH * max(1.0, abs(found.difference))
    return close, said, f"± {difference_text(abs(found.error))}"


def too_long(read: int) -> str:
    """Say why the model is not run again, and what would work."""
    return (
        f"They run the model again for each word, and are computed where up to {LONGEST} tokens "
        f"are read. Here {read} are: a shorter text has them."
    )
