"""All that the page of decoding says in Python; what changes with each step, its pictures say."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from viz.pictures.numbers import number_text, percent_text

TITLE = "Decoding"
QUESTION = "How is the sentence written?"
QUESTION_OF_PROMPT = "How does the text go on?"
BRANCHES_FOLD = "Branches: take another token, and see where the model goes from there"
CACHE_FOLD = "The key/value cache: what is kept from step to step"
DIALS_FOLD = "Fewer layers, or cooler choices: every page then shows that run"
LENS_FOLD = "Every depth: what each layer would have written"
HEADING = "One step at a time"
WRITTEN_BY = "Written by"
WIDTH = "Width"
PENALTY = "Length penalty α"
PENALTY_HELP = (
    "A hypothesis is scored by its log-probability divided by ((5 + length) / 6)^α, where length "
    "counts its tokens."
)
DECODING = "Decoding"
DRAWING_TREE = "Drawing the tree"
BASES = {
    "Given": "The given target",
    "Greedy": "The model's choice",
    "Sampling": "The sample",
    "Beam": "The best of the beam",
}
UNDO = "Undo the latest branch"
EXPLORE = "Explore this target"
EXPLORE_HELP = "Uses the text that is being played as the target on all pages."
ENDED_AT_ONCE = (
    "The model wrote </s> at once. Take another of its candidates to go on from there, or give a "
    "target above."
)
NO_CACHE = (
    "This variant has no causal mask: earlier positions change with each new token, so nothing can "
    "be kept in a cache. Every step reads the whole target so far, and nothing that comes later."
)


@dataclass(frozen=True)
class Written:
    """What a way of writing gave, and how probable the model found each token."""

    text: str
    tokens: Sequence[str]
    probabilities: Sequence[float]
    ranks: Sequence[int]
    """0 is the most probable."""
    total: float
    """Log-probability of all of them."""
    vocabulary: int
    first: int = 0
    """The step that wrote the first of them: those before it read a prompt."""
    prompted: bool = False
    """Whether it goes on from a prompt, rather than reading a source."""


@dataclass(frozen=True)
class Greedy:
    """What greedy decoding writes, to be compared with a beam."""

    text: str
    total: float
    """Log-probability of all its tokens."""
    tokens: Sequence[str]


def first_difference(one: Sequence[object], other: Sequence[object]) -> int | None:
    """Give the first step at which two texts differ; None where they do not."""
    pairs = zip_longest(one, other)
    return next((step for step, (a, b) in enumerate(pairs) if a != b), None)


def question(*, prompted: bool) -> str:
    """Ask how a text comes about: from a prompt, or from a source."""
    return QUESTION_OF_PROMPT if prompted else QUESTION


def only_read(count: int) -> str:
    """Say that the prompt of so many tokens is as long as the model reads."""
    return (
        f"It does not: the prompt has {count} tokens, as many as this model is given here. Each "
        "step shows what the model expected to come next."
    )


def answer(mode: str, written: Written, *, width: int = 0, greedy: Greedy | None = None) -> str:
    """Say how the text came about.

    Args:
        mode: How it is written.
        written: What that gave.
        width: Of the beam.
        greedy: What greedy decoding writes beside a beam.
    """
    who, read = ("model", "prompt") if written.prompted else ("decoder", "source")
    said = (
        f"One token at a time: at each step the {who} gives all {written.vocabulary:,} tokens "
        f"that it knows a probability, from the {read} and what it has written so far."
    )
    least = min(range(len(written.tokens)), key=written.probabilities.__getitem__)
    token = f"“{written.tokens[least]}”, {percent_text(written.probabilities[least])}"
    step = written.first + least
    if mode == "Greedy":
        return f"{said} The most probable is taken. It was least sure at step {step}: {token}."
    if mode == "Sampling":
        return f"{said} One is drawn by lot. The least probable that was drawn: {token}."
    if mode == "Given":
        own = sum(rank == 0 for rank in written.ranks)
        return (
            f"{said} Here the target was given: at {own} of {len(written.tokens)} steps the model "
            "itself would have written the same token."
        )
    return f"{said} {_beam(written, width, greedy)}"


def _beam(written: Written, width: int, greedy: Greedy | None) -> str:
    kept = f"A beam keeps the best {width} texts at each step"
    if greedy is None or greedy.text == written.text:
        return f"{kept}; here it finds what greedy decoding finds."
    differ = _say_difference(written.tokens, greedy.tokens, written.first)
    if greedy.total >= written.total:
        return (
            f"{kept}. Where greedy decoding writes “{greedy.text}”, it prefers “{written.text}”. "
            f"{differ}"
        )
    return (
        f"{kept}, and so finds “{written.text}” (log p {number_text(written.total)}), where greedy "
        f"decoding, which never looks back, writes “{greedy.text}” ({number_text(greedy.total)}). "
        f"{differ}"
    )


def _say_difference(beam: Sequence[str], greedy: Sequence[str], first: int) -> str:
    place = first_difference(beam, greedy)
    if place is None:
        return ""
    step = first + place
    if place < min(len(beam), len(greedy)):
        return (
            f"They differ at step {step}: greedy wrote “{greedy[place]}”, the beam “{beam[place]}”."
        )
    longer = "the beam" if len(beam) > len(greedy) else "greedy"
    return f"They are the same up to step {step}, where {longer} goes on."


def beam_finds_more(source: str) -> str:
    """Offer a sentence on which the beam finds a better text."""
    return f"Where a beam finds more: {_shortened(source)}"


def back_to(source: str) -> str:
    """Offer the sentence that an example took the place of."""
    return f"Back to: {_shortened(source)}"


def sample_goes_astray(source: str) -> str:
    """Offer a sentence on which a sample goes astray."""
    return f"Where a sample goes astray: {_shortened(source)}"


def not_searched(checkpoint: str) -> str:
    """Say that nobody looked for examples for these weights."""
    return (
        "No sentences were searched for on which a beam or a sample writes something else than "
        f"greedy decoding: python -m sample_data.find_examples {checkpoint} does so for the "
        "checkpoints that are shipped."
    )


def none_found(sort: str, searched: int) -> str:
    """Say that a search found nothing."""
    what = {
        "beam": "beam search found what greedy decoding missed",
        "sampling": "a sample went astray",
    }
    return f"Among {searched:,} held-out sentences there was none on which {what[sort]}."


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39].rstrip()}…"  # two stand beside each other


def branch_title(token: str, step: int) -> str:
    """Name a branch by its last fork."""
    return f"“{token}” at step {step}"


def return_to(mode: str) -> str:
    """Name the way back to what the strategy itself writes."""
    base = BASES[mode]
    return f"Return to {base[0].lower()}{base[1:]}"


def branch_lost(number: int, reason: str) -> str:
    """Say why a branch is left out."""
    return f"Branch {number} cannot be taken here: {reason}."


def hypothesis_lost(reason: str) -> str:
    """Say why another hypothesis is played."""
    return f"The link asks for a hypothesis that is not here: {reason}."


def not_a_branch(text: str) -> str:
    """Say that a link's text is no branch."""
    return f"The link asks for a branch {text!r}, which cannot be read, so it was left out."


def too_many_branches(asked: int, most: int) -> str:
    """Say that not all branches of a link are taken."""
    return f"The link asks for {asked} branches; at most {most} are shown."


def oddities(
    tokens: int, *, finished: bool, is_picked: bool, causal: bool, prompted: bool = False
) -> tuple[str, ...]:
    """Say what is unusual about the path that is played, in which so many tokens were written."""
    said: list[str] = []
    if tokens == 1 and finished:
        said.append(ENDED_AT_ONCE)
    if tokens and not finished and not is_picked:
        written = "1 token" if tokens == 1 else f"{tokens} tokens"
        what = "text" if prompted else "sentence"
        said.append(f"The {what} was cut off after {written}: the model had not ended it.")
    if not causal:
        said.append(NO_CACHE)
    return tuple(said)


def given_without_mask(stepwise: float, in_one_pass: float) -> str:
    """Say whose probabilities are shown of a given target where no causal mask hides it.

    Both losses are means in nats per token.
    """
    return (
        "The probabilities and losses here are those of steps that read only the tokens before "
        f"them: {number_text(stepwise)} nats per token. In one pass over the whole target, as in "
        "training, this variant also reads the tokens that it has to predict: "
        f"{number_text(in_one_pass)} nats per token."
    )
