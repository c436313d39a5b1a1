"""All that the page on embeddings says: its labels, and sentences about what it shows."""

from collections.abc import Mapping, Sequence
from typing import Literal

from model.config import TransformerConfig
from viz.pictures.numbers import fixed, percent_text
from viz.subjects.embeddings.projection import METRICS, PCA, TSNE, Metric, Projection, Settings
from viz.work.job import Job

QUESTION = "Which words are alike to the model?"
VOCABULARY_FOLD = "The vocabulary as points: tokens that are used alike lie together"
LAYERS_FOLD = "Layer by layer: how the tokens of this run move apart"
LIKENESS_FOLD = "Similarity and norms: which tokens grow alike, and how long their vectors are"
TRUST_FOLD = "How far to trust the picture, and its points as a file"
TITLE = "Embeddings"
VOCABULARY = "Vocabulary"
LAYERS = "Layer by layer"
LIKENESS = "Similarity and norms"

METHODS = {"PCA": "PCA", "TSNE": "t-SNE", "UMAP": "UMAP"}
"""Names of the methods by the types of their settings."""
METHOD = "Projection"
DIMENSIONS = "Dimensions"
FLAT, DEEP = "2-D", "3-D"

PERPLEXITY = "Perplexity"
PERPLEXITY_HELP = "Roughly how many neighbours each point tries to keep."
ITERATIONS = "Iterations"
ITERATIONS_HELP = "At most: it stops once nothing moves any more."
RATE = "Learning rate"
RATE_HELP = "Automatic: the number of points divided by 48, but at least 50."
AUTOMATIC = "automatic"
NEIGHBOURS = "Neighbours"
NEIGHBOURS_HELP = (
    "Of each point, in the graph that is laid out: few bring out detail, many the whole."
)
DISTANCE = "Minimum distance"
DISTANCE_HELP = "Between points in the picture: small values draw tight clumps."
METRIC = "Metric"
SEED = "Seed"
SEED_HELP = "The same seed draws the same picture; a different one shows what was chance."

NOT_PROJECTED = "This cannot be projected"
NOTHING_DRAWN = "Nothing was drawn."
START_AGAIN = "Start again"
STOP = "Stop"

COLOUR = "Colour by"
TOKEN = "Token (type to search, or click a point)"
POINTS_CSV = "Points as CSV"
TRUST = "How far to trust the picture"

LEARNED_TO_WRITE = "because it helped to tell what comes next"
LEARNED_TO_READ = "because it helped to tell what stands where"
VOCABULARY_HEADING = "A vocabulary as points"

SIDES: dict[str, Literal["source", "target"]] = {
    "Source, encoder": "source",
    "Target, decoder": "target",
}
TEXT = "Text"
HIGHLIGHT = "Highlight a token"
NOBODY = "none"
STEP = "Step"
ALL_STEPS = "all steps"
TRAILS_HEADING = "A sentence on its way through the layers"
SIMILARITY_HEADING = "How alike the tokens are after each step: cosines"
NORMS_HEADING = "How long the vectors are after each step: norms"
MATRIX_AXES = ("token", "other token")

_METRIC_NAMES: dict[Metric, str] = dict(zip(METRICS, ("Euclidean", "cosine"), strict=True))


def method_name(settings: Settings) -> str:
    """Name a method."""
    return METHODS[type(settings).__name__]


def perplexity_words(points: int, allowed: int) -> str:
    """State that the perplexity was lowered to what so many points allow."""
    return f"{points} points allow a perplexity of at most {allowed}, which is used instead."


def neighbours_words(points: int, allowed: int) -> str:
    """State that the neighbours were cut to what so many points have."""
    return f"{points} points have at most {allowed} neighbours, and that many are used."


def tying_words(config: TransformerConfig, side: str) -> str:
    """State what else uses these rows."""
    if not config.has_cross_attention:
        if config.tying == "all" and config.head != "none":
            return "Tied: the embedding and the final linear layer are these same rows."
        return "Only the embedding uses these rows."
    if config.tying == "all":
        return (
            "Tied: the source embedding, the target embedding and the final linear layer are "
            "these same rows (section 3.4)."
        )
    if config.tying == "decoder" and side == "target":
        return "Tied: the target embedding and the final linear layer are these same rows."
    return f"Only the {side} embedding uses these rows."


def left_out_words(count: int, *, by_frequency: bool = True) -> str:
    """State how many tokens of a vocabulary there was no room for; nothing where all are shown."""
    if count and not by_frequency:
        return f" {count:,} tokens of higher ids are left out: there is no room for all of them."
    return f" The {count:,} least frequent tokens are left out." if count else ""


def trails_words(states: int, left_out: int) -> str:
    """State what is projected together, and how many tokens there was no room for."""
    rest = f" The last {left_out:,} tokens are left out." if left_out else ""
    return (
        f"All {states:,} states are projected together, so points of different steps can be "
        f"compared.{rest}"
    )


def trails_alt(tokens: int, steps: Sequence[str]) -> str:
    """Describe the picture of the trails to those who do not see it."""
    return f"{tokens} tokens at {len(steps)} steps, from {steps[0]} to {steps[-1]}"


def cloud_alt(points: int, chosen: str) -> str:
    """Describe the picture of a vocabulary to those who do not see it."""
    return f"{points} tokens as points; {chosen} is marked"


def nearest_words(token: str) -> str:
    """Head the neighbours of a token."""
    return f"Nearest to “{token}” by cosine"


def nearest_alt(names: Sequence[str], cosines: Sequence[float]) -> str:
    """List the neighbours of a token for those who do not see the picture."""
    listed = ", ".join(f"{n} {fixed(cosine, 3)}" for n, cosine in zip(names, cosines, strict=True))
    return f"The nearest tokens with their cosines: {listed}"


def first_words(shown: int, tokens: int) -> str:
    """State that a matrix shows only the first tokens."""
    return f"The first {shown} of {tokens} tokens."


def axis_titles(settings: Settings, projection: Projection) -> tuple[str, ...]:
    """Name the axes: of a PCA, with the share of the variance."""
    numbers = range(1, settings.dimensions + 1)
    if projection.explained is None:
        return tuple(f"{method_name(settings)} {i}" for i in numbers)
    return tuple(f"component {i} ({percent_text(projection.explained[i - 1])})" for i in numbers)


def trust_words(settings: Settings, projection: Projection, d_model: int) -> str:
    """State how far nearness in the picture can be trusted, and what else not to read into it."""
    words = (
        f"Trustworthiness {fixed(projection.trust, 3)}: how far the "
        f"{projection.trust_neighbours} points nearest to each point of this picture are also near "
        f"it in all {d_model} dimensions ({_METRIC_NAMES[settings.metric]} distance). 1 "
        "means entirely; chance gives about 0.5."
    )
    if isinstance(settings, PCA):
        return words
    return (
        f"{words} {method_name(settings)} preserves neighbourhoods: how far apart groups lie says "
        "little."
    )


def variance_words(settings: Settings, projection: Projection) -> str:
    """State how much of the variance the axes show; nothing where it is no PCA."""
    if projection.explained is None:
        return ""
    share = projection.explained[: settings.dimensions].sum()
    return f"The {settings.dimensions} axes show {percent_text(share)} of the variance."


def mean_words(cosine: float) -> str:
    """State how alike different tokens are on average."""
    return f"mean of different tokens {fixed(cosine, 2)}"


def norm_words(means: Mapping[str, float]) -> str:
    """List the mean length of the vectors after each step."""
    return f"On average: {', '.join(f'{step} {fixed(mean, 2)}' for step, mean in means.items())}."


def kept_words(token: str, kept: int, count: int) -> str:
    """State how many true neighbours of a token stand next to it in the picture."""
    are = "is" if kept == 1 else "are"
    return (
        f"Of the {count} tokens nearest to “{token}” by cosine, {kept} {are} among its {count} "
        "nearest in the picture."
    )


def stopped_words(seconds: float) -> str:
    """State that a projection was stopped."""
    return f"Stopped after {seconds:.1f} s"


def progress_words(job: Job, settings: Settings) -> str:
    """State how far a projection is."""
    name, seconds = method_name(settings), f"{job.seconds:.0f} s"
    if job.ended:
        return f"{name}: {job.status}"
    if job.status == "waiting":
        return f"{name}: waiting for its turn, {seconds}"
    done, total = job.progress
    if total:
        return f"{name}: iteration {done:,} of {total:,}, {seconds}"
    if isinstance(settings, TSNE):
        return f"{name}: starting, {seconds}"
    return f"{name}: starting, {seconds}. The first time on a computer takes about half a minute."


def among_words(drawn: int, size: int) -> str:
    """State that neighbours are looked for among the tokens that are drawn; or nothing."""
    return f"Among the {drawn:,} of {size:,} tokens that are drawn." if drawn < size else ""


def answer(
    token: str, near: Sequence[tuple[str, float]], why: str = "because it helped to translate"
) -> str:
    """Say to which tokens one is most alike: their names, and the cosines; and why learned."""
    others = [f"“{name}” ({fixed(cosine, 2)})" for name, cosine in near]
    listed = f"{', '.join(others[:-1])} and {others[-1]}" if others[1:] else "".join(others)
    return (
        f"Each token is a list of numbers, learned {why}. By their angle "
        f"(cosine), “{token}” is most like {listed}."
    )
