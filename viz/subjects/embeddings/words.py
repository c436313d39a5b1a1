"""Sentences of the page on embeddings about what it shows."""

from collections.abc import Sequence

from texts import listed, say
from viz.pictures.numbers import fixed, percent_text


def answer(token: str, numbers: int, near: Sequence[tuple[str, float]], *, are_words: bool) -> str:
    """State what a word is to the model, and which are nearest to one."""
    each = [say("embeddings.near", token=name, cosine=fixed(cosine, 2)) for name, cosine in near]
    return say(
        "embeddings.answer" if are_words else "embeddings.answer_tokens",
        token=token,
        count=numbers,
        listed=listed(each),
    )


def trails_words(states: int, left_out: int, shares: Sequence[float]) -> str:
    """State what is projected together, and how much of it a plane shows."""
    said = say("embeddings.trails", count=states, share=percent_text(sum(shares[:2])))
    return f"{said} {say('embeddings.trails_left_out', count=left_out)}" if left_out else said


def trails_alt(tokens: int, steps: Sequence[str]) -> str:
    """Describe the picture of the trails to those who do not see it."""
    return say(
        "embeddings.trails_alt", count=tokens, steps=len(steps), first=steps[0], last=steps[-1]
    )


def nearest_alt(near: Sequence[tuple[str, float]]) -> str:
    """List the neighbours of a token for those who do not see the picture."""
    each = [f"{name} {fixed(cosine, 2)}" for name, cosine in near]
    return say("embeddings.nearest_alt", listed=", ".join(each))


def axis_titles(shares: Sequence[float]) -> tuple[str, ...]:
    """Name the axes of a PCA, with the share of the variance."""
    return tuple(
        say("embeddings.axis_share", number=i + 1, share=percent_text(shares[i])) for i in range(2)
    )
