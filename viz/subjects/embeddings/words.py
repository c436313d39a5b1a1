"""Sentences about a picture: what it shows of the vectors, and what it distorts."""

from viz.subjects.embeddings.jobs import Job
from viz.subjects.embeddings.projection import PCA, TSNE, Projection, Settings

METHODS = {"PCA": "PCA", "TSNE": "t-SNE", "UMAP": "UMAP"}
"""Names of the methods by the types of their settings."""


def method_name(settings: Settings) -> str:
    """Name a method."""
    return METHODS[type(settings).__name__]


def axis_titles(settings: Settings, projection: Projection) -> tuple[str, ...]:
    """Name the axes: of a PCA, with the share of the variance."""
    numbers = range(1, settings.dimensions + 1)
    if projection.explained is None:
        return tuple(f"{method_name(settings)} {i}" for i in numbers)
    return tuple(f"component {i} ({_percent(projection.explained[i - 1])})" for i in numbers)


def trust_words(settings: Settings, projection: Projection, d_model: int) -> str:
    """Say how far nearness in the picture is to be trusted, and what else not to read from it."""
    words = (
        f"Trustworthiness {projection.trust:.3f}: how far the {projection.trust_neighbours} points "
        f"nearest to each point of this picture are near it in all {d_model} dimensions too "
        f"({settings.metric} distance); 1 is wholly, about 0.5 is chance."
    )
    if isinstance(settings, PCA):
        return words
    return (
        f"{words} {method_name(settings)} keeps neighbours: how far apart groups are says little."
    )


def variance_words(settings: Settings, projection: Projection) -> str:
    """Say how much of the variance the axes show; nothing where it is no PCA."""
    if projection.explained is None:
        return ""
    share = projection.explained[: settings.dimensions].sum()
    return f"The {settings.dimensions} axes show {_percent(share)} of the variance."


def mean_words(cosine: float) -> str:
    """Say how alike different tokens are on average."""
    return f"mean of different tokens {cosine:.2f}".replace("-", "−")


def kept_words(token: str, kept: int, count: int) -> str:
    """Say how many true neighbours of a token stand next to it in the picture."""
    return (
        f"Of the {count} nearest to “{token}” by cosine, {kept} are among its {count} nearest in "
        "the picture."
    )


def progress_words(job: Job) -> str:
    """Say how far a projection is."""
    name, seconds = method_name(job.settings), f"{job.seconds:.0f} s"
    if job.status == "waiting":
        return f"{name}: waiting for its turn, {seconds}"
    if job.total:
        return f"{name}: iteration {job.done:,} of {job.total:,}, {seconds}"
    if isinstance(job.settings, TSNE):
        return f"{name}: starting, {seconds}"
    return f"{name}: starting, {seconds}. The first time on a computer takes about half a minute."


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
