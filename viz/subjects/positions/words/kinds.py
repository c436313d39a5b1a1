"""What positions do that are no vectors, and in models of one text, said from what was computed."""

from model.anatomy import Anatomy
from model.config import Positions, TransformerConfig
from viz.pictures.numbers import number_text
from viz.subjects.positions.words.labels import wavelength

_NO_ORDER = "Attention reads all words at once and sees no order."
_TOLD: dict[Positions, str] = {
    "rotary": (
        "This model turns each query and each key by angles that grow with its position, so that "
        "their product tells how far apart two words are."
    ),
    "alibi": (
        "This model lowers each score by how far apart the two words are, in some heads more "
        "steeply than in others."
    ),
    "relative": (
        "This model adds a number to each score that it has learned for each head and each "
        "distance between two words."
    ),
}
_ADDED = "What it knows of it are numbers that are added to each word, other ones at each place."
_MASK_ALONE = (
    "This model is given no positions. All that it knows of order is what its causal mask leaves "
    "it: each word reads those before it and no others."
)
_BAG = "This model is given no positions: to it a text is a bag of words."


def told(anatomy: Anatomy) -> str:
    """Say how a model knows of the order of words."""
    if anatomy.positions == "none":
        return _MASK_ALONE if anatomy.writes and not anatomy.translates else _BAG
    return f"{_NO_ORDER} {_TOLD.get(anatomy.positions, _ADDED)}"


def of_written(text: str, *, same: bool) -> str:
    """Say what a model writes without its positions."""
    if same:
        return "Here it writes the same without them."
    return (
        "Without them it writes another text."
        if text.strip()
        else "Without them it writes nothing."
    )


def of_read(first_before: int, first_after: int, count: int) -> str:
    """Say how a model that only reads fares without its positions."""
    return (
        f"It ranks the token that stands at a place first at {first_before} of {count} places, and "
        f"without them at {first_after}."
    )


def say_hidden(gap: float) -> str:
    """Say how far the last hidden states of a model without a head changed."""
    return (
        "This model predicts no tokens. The most that a number in its last hidden states changes: "
        f"{number_text(gap)}."
    )


def say_turn(config: TransformerConfig, angle_of_last_pair: float) -> str:
    """Say which dimensions are turned, and how fast."""
    pairs = int(config.d_k * config.rotary_share) // 2
    left = config.d_k - 2 * pairs
    slowest = 2 * 3.141592653589793 / angle_of_last_pair
    rest = f" The other {left} of {config.d_k} dimensions stay as they are." if left else ""
    return (
        f"Each query and each key of {config.d_k} numbers is taken as {pairs} pairs, and each pair "
        f"is turned in its plane: the first by 57.3° from one position to the next, the last once "
        f"round in {wavelength(slowest)} positions.{rest} Colour is the cosine of the angle."
    )


def say_apart(query: str, key: str, head: str) -> str:
    """Say what the line of a score by distance is of."""
    return (
        f"The query of “{query}” and the key of “{key}” in {head}, turned as they would be at "
        "other distances. What they are stays the same; only how far apart they stand changes."
    )


def say_slopes(kind: Positions) -> str:
    """Say what is added to the scores."""
    if kind == "alibi":
        return (
            "The score of a key falls in a straight line with its distance: no number of it was "
            "learned. A head with a steep line reads what is near, one with a flat line may read "
            "far back."
        )
    return (
        "One learned number for each head and bucket of distances, shared by all layers: near "
        "distances have a bucket each, far ones share them."
    )
