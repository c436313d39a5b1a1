"""Sentences of the Embeddings page about its pictures."""

from collections.abc import Sequence

from sample_data.word_classes import KnownNoun
from texts import listed, say, say_of
from viz.pictures.axes import literal
from viz.pictures.numbers import fixed, percent_text
from viz.subjects.embeddings.points import Side
from viz.subjects.embeddings.probe import BESIDE, NounPlane

_CLEAR = 0.9
"""The share of nouns on the right side from which a probe counts as reading them."""


def answer(numbers: int, *, are_words: bool) -> str:
    """Describe the vector of a word, and say which words have similar ones."""
    return say("embeddings.answer" if are_words else "embeddings.answer_tokens", count=numbers)


def nearest(token: str, near: Sequence[tuple[str, float]]) -> str:
    """State which words are nearest to one."""
    each = [say("embeddings.near", token=name, cosine=fixed(cosine, 2)) for name, cosine in near]
    return say("embeddings.nearest", token=token, listed=listed(each))


def answer_of_nouns(plane: NounPlane, side: Side, numbers: int) -> str:
    """State whether the numbers of a noun tell its gender in French."""
    gender = plane.gender
    shares = {"right": percent_text(gender.right), "share": percent_text(gender.baseline)}
    values = {**shares, "usual": "la" if gender.usual else "le"}
    said = [say("embeddings.answer_nouns", count=numbers)]
    if not gender.is_better:
        said.append(say_of("embeddings.nothing", side, **values))
    elif gender.right < _CLEAR:
        said.append(say_of("embeddings.hints", side, **values))
    else:
        said.append(say_of("embeddings.tells", side, **values))
        said.append(say_of("embeddings.untold", side))
    return " ".join(said)


def measured(plane: NounPlane, side: Side) -> str:
    """State how the directions were found, and how far they can be trusted."""
    shown = int(plane.is_shown.sum())
    said = [
        say("embeddings.probe", used=len(plane.words) - shown, count=shown),
        say(
            "embeddings.number",
            right=percent_text(plane.number.right),
            share=percent_text(plane.number.baseline),
            usual=say_of("embeddings.usual", "several" if plane.number.usual else "one"),
        ),
    ]
    if side == "source" and (found := _counted_as_french(plane)):
        word, french = found
        said.append(say("embeddings.french_number", word=word, french=french))
    return " ".join(said)


def _counted_as_french(plane: NounPlane) -> tuple[str, str] | None:
    """Find a noun that looks plural but is singular in French, and whose vector says so."""
    for i, (word, noun) in enumerate(zip(plane.words, plane.nouns, strict=True)):
        form = noun.form
        is_right = (plane.points[i, 1] > 0) == form.is_plural
        if plane.is_shown[i] and is_right and form.looks_plural and not form.is_plural:
            return word, noun.french
    return None


def near_gender(plane: NounPlane) -> str:
    """State how often the neighbours of a noun share its gender."""
    shares = {"right": plane.near.right, "chance": plane.near.baseline}
    said = {name: percent_text(share) for name, share in shares.items()}
    return say("embeddings.near_gender", count=BESIDE, **said)


def of_noun(word: str, noun: KnownNoun) -> str:
    """Describe a noun's gender and number in French, for the pointer."""
    form = noun.form
    name = ("f" if form.is_feminine else "m") + ("_several" if form.is_plural else "_one")
    lines = [f"<b>{literal(word)}</b>", literal(noun.french), say_of("embeddings.form", name)]
    return "<br>".join(lines)


def nouns_alt(plane: NounPlane) -> str:
    """Describe the picture of the nouns to readers who do not see it."""
    return say(
        "embeddings.nouns_alt",
        count=int(plane.is_shown.sum()),
        gender=percent_text(plane.gender.right),
        number=percent_text(plane.number.right),
    )


def trails_words(states: int, left_out: int, shares: Sequence[float]) -> str:
    """State the number of projected states, and the share of their variance in the plane."""
    said = say("embeddings.trails", count=states, share=percent_text(sum(shares[:2])))
    return f"{said} {say('embeddings.trails_left_out', count=left_out)}" if left_out else said


def trails_alt(tokens: int, steps: Sequence[str]) -> str:
    """Describe the picture of the trails to readers who do not see it."""
    return say(
        "embeddings.trails_alt", count=tokens, steps=len(steps), first=steps[0], last=steps[-1]
    )


def axis_titles(shares: Sequence[float]) -> tuple[str, ...]:
    """Name the axes of a PCA, with the share of the variance."""
    return tuple(
        say("embeddings.axis_share", number=i + 1, share=percent_text(shares[i])) for i in range(2)
    )
