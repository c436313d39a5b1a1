"""All that the page of decoding says in Python; what changes with each step, its pictures say."""

from viz.pictures.numbers import number_text

TITLE = "Decoding"
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
    "The model wrote </s> at once. Take another of its candidates to go on from there, or enter a "
    "target in the sidebar."
)
NO_CACHE = (
    "This variant has no causal mask: earlier positions change with each new token, so nothing can "
    "be kept in a cache. Every step reads the whole target so far, and nothing that comes later."
)


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


def oddities(tokens: int, *, finished: bool, is_picked: bool, causal: bool) -> tuple[str, ...]:
    """Say what is unusual about the path of so many tokens that is played."""
    said: list[str] = []
    if tokens == 1 and finished:
        said.append(ENDED_AT_ONCE)
    if not finished and not is_picked:
        written = "1 token" if tokens == 1 else f"{tokens} tokens"
        said.append(f"The sentence was cut off after {written}: the model had not ended it.")
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
