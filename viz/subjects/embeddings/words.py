"""Sentences of the page on embeddings about what it shows."""

from collections.abc import Mapping, Sequence

from model.config import TransformerConfig
from texts import listed, say, say_of
from viz.pictures.numbers import fixed, percent_text
from viz.subjects.embeddings.projection import PCA, Projection, Settings

METHODS = ("PCA", "t-SNE")
"""Names of the methods, in a link too."""


def method_name(settings: Settings) -> str:
    """Name a method."""
    return METHODS[not isinstance(settings, PCA)]


def cannot_project(points: int, numbers: int, settings: Settings) -> str:
    """Explain why so many vectors of so many numbers cannot be projected; empty if they can."""
    dimensions = settings.dimensions
    if points < dimensions + 2:
        return say(
            "embeddings.too_few_points", dimensions=dimensions, least=dimensions + 2, count=points
        )
    if numbers < dimensions:
        return say("embeddings.too_few_numbers", dimensions=dimensions, count=numbers)
    return ""


def tying_words(config: TransformerConfig, side: str) -> str:
    """State what else uses these rows."""
    if not config.has_cross_attention:
        is_tied = config.tying == "all" and config.head != "none"
        return say("embeddings.tied_one_text" if is_tied else "embeddings.untied")
    if config.tying == "all":
        return say("embeddings.tied_all")
    if config.tying == "decoder" and side == "target":
        return say("embeddings.tied_target")
    return say_of("embeddings.untied_side", side)


def left_out_words(count: int, *, by_frequency: bool = True) -> str:
    """State how many tokens of a vocabulary there was no room for; nothing where all are shown."""
    if not count:
        return ""
    return say("embeddings.left_out" if by_frequency else "embeddings.left_out_ids", count=count)


def trails_words(states: int, left_out: int) -> str:
    """State what is projected together, and how many tokens there was no room for."""
    said = say("embeddings.trails", count=states)
    return f"{said} {say('embeddings.trails_left_out', count=left_out)}" if left_out else said


def trails_alt(tokens: int, steps: Sequence[str]) -> str:
    """Describe the picture of the trails to those who do not see it."""
    return say(
        "embeddings.trails_alt", count=tokens, steps=len(steps), first=steps[0], last=steps[-1]
    )


def nearest_alt(names: Sequence[str], cosines: Sequence[float]) -> str:
    """List the neighbours of a token for those who do not see the picture."""
    each = [f"{n} {fixed(cosine, 3)}" for n, cosine in zip(names, cosines, strict=True)]
    return say("embeddings.nearest_alt", listed=", ".join(each))


def axis_titles(settings: Settings, projection: Projection) -> tuple[str, ...]:
    """Name the axes: of a PCA, with the share of the variance."""
    numbers = range(1, settings.dimensions + 1)
    shares = projection.explained
    if shares is None:
        name = method_name(settings)
        return tuple(say("embeddings.axis", method=name, number=i) for i in numbers)
    return tuple(
        say("embeddings.axis_share", number=i, share=percent_text(shares[i - 1])) for i in numbers
    )


def trust_words(settings: Settings, projection: Projection, d_model: int) -> str:
    """State how far nearness in the picture can be trusted, and what else not to read into it."""
    said = say(
        "embeddings.trust",
        trust=fixed(projection.trust, 3),
        count=projection.trust_neighbours,
        dimensions=d_model,
    )
    if projection.explained is None:
        return f"{said} {say('embeddings.preserves', method=method_name(settings))}"
    share = percent_text(projection.explained[: settings.dimensions].sum())
    return f"{said} {say('embeddings.variance', dimensions=settings.dimensions, share=share)}"


def mean_words(cosine: float) -> str:
    """State how alike different tokens are on average."""
    return say("embeddings.mean", cosine=fixed(cosine, 2))


def norm_words(means: Mapping[str, float]) -> str:
    """List the mean length of the vectors after each step."""
    each = (
        say("embeddings.norm_at_step", step=step, norm=fixed(mean, 2))
        for step, mean in means.items()
    )
    return say("embeddings.norms_mean", listed=", ".join(each))


def kept_words(token: str, kept: int, count: int) -> str:
    """State how many true neighbours of a token stand next to it in the picture."""
    return say("embeddings.kept", token=token, count=kept, among=count)


def among_words(drawn: int, size: int) -> str:
    """State that neighbours are looked for among the tokens that are drawn; or nothing."""
    return say("embeddings.among", count=drawn, all=size) if drawn < size else ""


def near_words(near: Sequence[tuple[str, float]]) -> str:
    """List tokens with their cosines."""
    return listed(
        [say("embeddings.near", token=name, cosine=fixed(cosine, 2)) for name, cosine in near]
    )
