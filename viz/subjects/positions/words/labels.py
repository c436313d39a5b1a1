"""Texts of the page on positions that do not depend on what was measured."""

from typing import Literal, get_args

from model.config import Positions
from viz.pictures.numbers import fixed, number_text
from viz.run.config_words import POSITIONS
from viz.run.encodings import STILL_OVER
from viz.subjects.positions.reruns import Change, Where

FAR = 128
"""Positions that are compared with each other, where the text is shorter."""

NAMES: dict[Positions, str] = {
    kind: POSITIONS[kind].origin
    for kind in ("sinusoidal", "double_sine", "single_frequency", "learned", "none")
}
"""Of the encodings that are offered beside a run's own."""
OWN = "This run's"

Closer = Literal["Waves", "Dot products", "Shift by k", "Which look alike", "Formulas compared"]
CLOSER: tuple[Closer, ...] = get_args(Closer)

MAPS, LENGTHS = "Vectors", "Lengths"
CHANGES: dict[str, Change] = {
    "Set to zero": "zeroed",
    "Shuffled": "shuffled",
    "Reversed": "reversed",
    "Scale √d_model switched": "rescaled",
}
WHERE: dict[Where, str] = {"both": "Both texts", "source": "Source alone", "target": "Target alone"}

DIMENSION = "dimension"
DIMENSION_AXIS = "dimension of the model"
POSITION_AXIS = "position in the text"
POS_AXIS = "position pos"
POSITION_I, POSITION_J = "position i", "position j"
OFFSET_AXIS = "k, positions apart"
WAVES_AXIS = "dimension: its wave"
WAVELENGTH_AXIS = "wavelength in positions, logarithmic"
TURN_AXIS = "turn to pos + k, degrees"
LENGTH_AXIS = "length of the vector"
PRODUCTS_AXIS = "PE(i)·PE(i + k): mean, and range over i"
DISTANCES_AXIS = "|PE(p) − PE(p + k)|: smallest, and range over p"
MEAN_PRODUCT, LEAST_DISTANCE = "mean product", "smallest distance"

ENCODING_HOVER = "position %{y}<br>dimension %{x}<br>PE %{z:.6f}<extra></extra>"
PRODUCT_HOVER = "PE(%{y})·PE(%{x}) = %{z:.4f}<extra></extra>"
WAVELENGTH_HOVER = "dimension %{x}<br>wavelength %{y:,.2f} positions<extra></extra>"

SUMMARY_HEADER = (
    "",
    "longest wave, positions",
    f"dimensions that hardly move over {STILL_OVER} positions",
    f"nearer than neighbours, within {FAR} positions",
    "a shift is a rotation",
    "products depend on i − j alone",
)
RERUN_HEADER = ("", "loss, nats a token", "target tokens it ranks first")
RERUN_HEADER_OF_ONE = ("", "loss, nats a token", "tokens it ranks first")
RATIO_HEADER = ("", "mean length of an embedding", "of an encoding", "embedding ÷ encoding")
NO_WORDS = "(no words)"

QUESTION = "How does the model know the order of words?"
ENCODING_FOLD = "The encoding itself: its formula, its numbers, its waves"
ADDITION_FOLD = "What adding it does to the words of this run"
HEAD_FOLD = "One head, as it is and with its positions changed"
DIALS_FOLD = "Take them away for good: every page then shows the run without them"
ORDER_FOLD = "A proof: shuffle the words, and see what the encoder notices"
WHICH = "Which encoding"
ONE_NUMBER, ALL_NUMBERS = "One number of it", "All its numbers"
NOT_COMPARED = "Not the encoding that this run added, so there is nothing to compare it with."
PRODUCTS = "Dot products of every two positions"
BY_OFFSET_BADGE = "the product depends on i − j alone"
IS_IT_ROTATION = "Is it one rotation?"
COMPARED = "The formulas at this size"
ROTARY_FOLD = "The turn itself: its angles, and what they make of a score"
BIAS_FOLD = "The numbers themselves: what is added to a score for its distance"
ANGLES = "By how much each pair of dimensions is turned"
ANGLES_AXIS = "pair of dimensions"
ANGLES_HOVER = "position %{y}<br>pair %{x}<br>turned by %{customdata:.2f}°<extra></extra>"
BY_DISTANCE = "One query and one key, moved apart"
DISTANCE_AXIS = "positions from the key to the query"
SCORE_AXIS = "score"
BIAS_AXIS = "added to the score"
STAYS_BADGE = "moved along the text together, their score stays"
BIAS_BADGE = "the numbers that this run added"
SLOPES_HEADER = ("head", "falls by, for each position")
RERUNS = "The same sentence, run again with its positions changed"
WRITES = {
    "zeroed": "without positions",
    "shuffled": "with positions shuffled",
    "reversed": "with positions reversed",
    "rescaled": "with the scale switched",
}
"""What the changed run is, said beside what it writes."""
RERUNS_NOTE = "A real run of this model: only what is chosen here is replaced."
RUN_LONG = "Run this long text again"
RUNNING = "Running the changed model"
FORCED_NOTE = (
    "The loss, and which tokens rank first, are those of the target in view, given to the decoder "
    "(teacher forcing)."
)
TEXT_NOTE = (
    "The loss, and which tokens rank first, are those of the whole text in view, prompt included."
)
READ_NOTE = (
    "The loss, and which tokens rank first, are those of each token at its own place, where the "
    "model reads it too."
)
AS_IT_IS, CHANGED = "as it is", "changed"
ORDER_NOTE = (
    "The source tokens themselves are shuffled, and the rows of encoder.output are put back in "
    "order: the number is the most that any of them then differs from those of the sentence as "
    "it is."
)
ORDER_BADGES = (
    "without positions the rows only move",
    "with this model's positions they change",
)
HALVES = (
    "This model's vectors hold all sines first, then all cosines. They are shown in the paper's "
    "order, where each cosine stands beside its sine."
)
NONE_LEARNED = "No checkpoint here has learned positions"


def train_learned(task: str, folder: object) -> str:
    """Say how a checkpoint with learned positions is made."""
    return (
        "Train one, and it is offered here:\n"
        f"python -m model.train {task} --set 'positions=\"learned\"' --name learned --out {folder}"
    )


def dimension(number: int) -> str:
    """Name a dimension."""
    return f"{DIMENSION} {number}"


def pair(number: int) -> str:
    """Name a pair of dimensions."""
    return f"pair {number}"


def wavelength(positions: float) -> str:
    """Write a wavelength; of long ones whole positions are enough."""
    return f"{positions:,.0f}" if positions >= 1000 else number_text(positions)


def text_length(positions: int) -> str:
    """Name the line across the wavelengths."""
    return f"the text: {positions} positions"


def wave_hover(number: int) -> str:
    """Say what a dot of a wave is."""
    return f"position %{{x}}<br>{dimension(number)}<br>PE %{{customdata:.6f}}<extra></extra>"


def band_hover(name: str) -> str:
    """Say what a dot of a band is."""
    return (
        f"k = %{{x}}<br>{name} %{{y:.4f}}"
        "<br>over all positions %{customdata[0]:.4f} to %{customdata[1]:.4f}<extra></extra>"
    )


def pair_hover(number: int) -> str:
    """Say what a dot of a plane is."""
    return (
        f"position %{{customdata}}<br>{dimension(2 * number)} %{{y:.6f}}"
        f"<br>{dimension(2 * number + 1)} %{{x:.6f}}<extra></extra>"
    )


def hand_hover(number: int, position: int, even: float, odd: float) -> str:
    """Say where a pair is at a position."""
    return (
        f"PE({position})<br>{dimension(2 * number)} {fixed(even, 6)}"
        f"<br>{dimension(2 * number + 1)} {fixed(odd, 6)}<extra></extra>"
    )


def turn_hover(number: int, shift: int) -> str:
    """Say what a dot of a line of turns is."""
    return (
        f"{pair(number)}: dimensions {2 * number} and {2 * number + 1}"
        f"<br>from position %{{x}}, {shift} further: %{{y:.3f}}°<extra></extra>"
    )


def sum_hover(title: str) -> str:
    """Say what a cell of one part of the sum is."""
    return f"{title}<br>%{{text}}, position %{{y}}<br>dimension %{{x}}<br>%{{z:.5f}}<extra></extra>"


def length_hover(title: str) -> str:
    """Say what a dot among the lengths is."""
    return f"%{{text}}, position %{{y}}<br>{title}: length %{{x:.4f}}<extra></extra>"
