"""The arithmetic of one cell of attention: one record for each part, with every number of it."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from model.traces import present
from viz.subjects.attention.cell.recompute import TOLERANCE, Line


@dataclass(frozen=True, eq=False)
class Score:
    """What the query and the key make of each other (equation 1, up to the softmax)."""

    q: Float[np.ndarray, " d_k"]
    k: Float[np.ndarray, " d_k"]
    products: Float[np.ndarray, " d_k"]
    order: Int[np.ndarray, " d_k"]
    """Places of the products, the largest magnitude first."""
    dot: float
    scale: float
    """What the dot product is multiplied by: 1 / sqrt(d_k) in the paper."""
    bias: float | None
    """What is added then, for the distance; None where nothing is."""
    softcap: float | None
    """What the scaled product is bent to stay within; None where it is taken as it is."""
    scaled: float
    """The score as captured, before the mask."""
    edited: bool
    """Whether an edit replaced the scores of this attention: q and k need not give this one."""
    allowed: bool
    """Whether the query may attend to the key."""
    fill: float
    """What stands where it may not."""
    masked: float
    """The score after the mask."""
    lines: tuple[Line, ...]


@dataclass(frozen=True, eq=False)
class Row:
    """The softmax over all keys of one query."""

    scores: Float[np.ndarray, " key"]
    """After the mask."""
    allowed: Bool[np.ndarray, " key"]
    exponentials: Float[np.ndarray, " key"]
    """Of each score less the largest one; NaN where all are minus infinity."""
    denominator: float
    weights: Float[np.ndarray, " key"]
    order: Int[np.ndarray, " key"]
    """Key positions, the largest weight first."""
    left: float
    """Share of the row that reads nothing, where the model lets a row do that; else 0."""
    lines: tuple[Line, ...]

    @property
    def largest(self) -> float:
        """The largest score, which is taken off before the exponential."""
        return float(self.scores.max())


@dataclass(frozen=True, eq=False)
class Mix:
    """What the head takes from the values."""

    v: Float[np.ndarray, " d_v"]
    weighted: Float[np.ndarray, " d_v"]
    mix: Float[np.ndarray, " d_v"]
    """Over all keys, as captured."""
    share: float
    """Length of this key's weighted value, of those of all keys together."""
    lines: tuple[Line, ...]


@dataclass(frozen=True, eq=False)
class Output:
    """What the heads write, each through its own columns of the output projection."""

    contributions: Float[np.ndarray, "head d_model"] | None
    """None of a model that gives no parameters."""
    bias: Float[np.ndarray, " d_model"] | None
    output: Float[np.ndarray, " d_model"]
    """The contributions and the bias together, as captured."""
    lines: tuple[Line, ...]

    @property
    def norms(self) -> Float[np.ndarray, " head"]:
        """The length of what each head writes. Raises LookupError where that is not known."""
        written = present(self.contributions)
        return np.sqrt((written * written).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Turned:
    """By which angles rotary positions turned a query and a key, a pair of dimensions each."""

    query: Float[np.ndarray, " pair"]
    key: Float[np.ndarray, " pair"]
    """In radians. Pair i is of the dimensions i and i + the number of pairs."""


@dataclass(frozen=True, eq=False)
class CellArithmetic:
    """Every number between one query and one key, in the order in which they are computed."""

    name: str
    """Path of the attention in the trace."""
    head: int
    query: int
    key: int
    score: Score
    row: Row
    mix: Mix
    output: Output
    key_head: int
    """Head of the keys and values that this head reads."""
    sharing: tuple[int, ...] = ()
    """Heads that read the same keys and values, where it is not alone in that."""
    turned: Turned | None = None
    changed: tuple[str, ...] = ()
    """Names of the lines whose result a person changed: it need not be what is recomputed."""
    tolerance: float = TOLERANCE
    """Largest relative difference of a line that agrees."""

    @property
    def weight(self) -> float:
        """How much of the query's reading goes to the key, as captured."""
        return float(self.row.weights[self.key])

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every step, held against its recomputation."""
        return (*self.score.lines, *self.row.lines, *self.mix.lines, *self.output.lines)
