"""A second way to captured numbers: plain float64 formulas, and how far they are apart."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from model.config import TransformerConfig
from model.traces import present
from model.transformer import Transformer
from viz.run.record import AttentionKind, Run, attention_name
from viz.run.tensor_parcel import TOLERANCE

_SMALLEST = float(np.finfo(np.float32).smallest_normal)
"""Below it float32 has no full precision, so a difference this small is none."""


@dataclass(frozen=True, eq=False)
class Line:
    """One step of the arithmetic: what is shown, and the same from the step's captured inputs.

    A difference is relative to the result or, in a sum, to its largest term where that is larger:
    terms that cancel to almost 0 leave their rounding errors behind, and no digit of the result
    need be right.
    """

    name: str
    formula: str
    """In LaTeX; vectors that belong to one token are bold."""
    shown: Float[np.ndarray, " *axes"]
    """As captured, or computed in float32 from what was captured."""
    recomputed: Float[np.ndarray, " *axes"]
    """In float64."""
    absolute: float
    """Largest difference between the two; infinite where one of them is not a number."""
    relative: float
    """NaN where nothing was recomputed."""

    @property
    def agrees(self) -> bool:
        """Whether the two are the same but for the rounding of float32."""
        return self.relative <= TOLERANCE


@dataclass(frozen=True, eq=False)
class Recomputed:
    """What a float64 formula gives, and the size of the largest term of each of its sums."""

    result: Float[np.ndarray, " *axes"]
    largest_term: Float[np.ndarray, " *axes"]


def compare(name: str, formula: str, shown: np.ndarray | float, again: Recomputed) -> Line:
    """Hold what is shown against its recomputation. Two infinities or two NaN are the same."""
    shown, result = np.asarray(shown, np.float32), again.result
    with np.errstate(invalid="ignore"):
        difference = np.abs(shown - result)
    same = (shown == result) | (np.isnan(shown) & np.isnan(result))
    difference = np.where(same, 0.0, np.where(np.isnan(difference), np.inf, difference))
    scale = np.fmax(np.fmax(np.abs(result), again.largest_term), _SMALLEST / TOLERANCE)
    finite = np.isfinite(difference)
    relative = np.where(finite, np.where(finite, difference, 0.0) / scale, np.inf)
    return Line(name, formula, shown, result, float(difference.max()), float(relative.max()))


def unchecked(name: str, formula: str, shown: np.ndarray) -> Line:
    """Show what needs parameters to be recomputed, of a model that gives none."""
    nothing = np.full_like(shown, np.nan, dtype=np.float64)
    return Line(name, formula, np.asarray(shown, np.float32), nothing, np.nan, np.nan)


def single(result: np.ndarray | float) -> Recomputed:
    """Return a result that is no sum: its only term is itself."""
    result = np.asarray(result, np.float64)
    return Recomputed(result, np.asarray(np.abs(result)))


def added(terms: np.ndarray, axis: int, bias: np.ndarray | float = 0.0) -> Recomputed:
    """Add up terms, and a bias."""
    terms = np.asarray(terms, np.float64)
    largest = np.maximum(np.abs(terms).max(axis=axis), np.abs(bias))
    return Recomputed(np.asarray(terms.sum(axis=axis) + bias), np.asarray(largest))


def linear(
    x: Float[np.ndarray, " columns"],
    weight: Float[np.ndarray, "rows columns"],
    bias: Float[np.ndarray, " rows"] | float,
) -> Recomputed:
    """Compute Wx + b in float64."""
    return added(weight * x, 1, bias)


def turn_again(before: Recomputed, angles: Float[np.ndarray, " pair"]) -> Recomputed:
    """Turn the pairs of dimensions (i, i + pairs) of a vector by angles (Su et al. 2021)."""
    half = angles.size
    cos, sin = np.cos(angles.astype(np.float64)), np.sin(angles.astype(np.float64))
    one, other = before.result[:half], before.result[half : 2 * half]
    turned = np.concatenate([one * cos - other * sin, other * cos + one * sin])
    largest = before.largest_term.copy()
    largest[: 2 * half] = np.tile(np.maximum(largest[:half], largest[half : 2 * half]), 2)
    return Recomputed(np.concatenate([turned, before.result[2 * half :]]), largest)


def projection_input(
    run: Run, model: Transformer, kind: AttentionKind, layer: int, part: str, position: int
) -> tuple[Float[np.ndarray, " d_model"], str]:
    """Return what the "query", "key" or "value" projection reads at a position, and its symbol.

    Where the norm stands before the attention, what it gives is not captured: it is computed again.
    Keys and values of cross-attention read the memory as it is.
    """
    if kind == "cross-attention" and part != "query":
        return present(run.trace.encoder).output[0, position].double().numpy(), "m"
    if kind == "encoder self-attention":
        states = present(run.trace.encoder).layers[layer].input
    elif kind == "cross-attention":
        states = present(run.trace.decoder).layers[layer].after_self_attn
    else:
        states = present(run.trace.decoder).layers[layer].input
    x = present(states)[0, position].double().numpy()
    if run.info.config.norm_placement == "post":
        return x, "x"
    norm = f"{attention_name(kind, layer).removesuffix('.weights')}_norm"
    weight = parameter(model, f"{norm}.weight")
    bias = 0.0 if run.info.config.norm == "rms" else parameter(model, f"{norm}.bias")
    return normalised(x, run.info.config, weight, bias), r"\,\mathrm{norm}(x)"


def normalised(
    x: Float[np.ndarray, " d_model"],
    config: TransformerConfig,
    weight: Float[np.ndarray, " d_model"],
    bias: Float[np.ndarray, " d_model"] | float,
) -> Float[np.ndarray, " d_model"]:
    """Normalise one position's vector in float64, as the variant does."""
    centred = x if config.norm == "rms" else x - x.mean()
    squares = (centred * centred).sum()
    if config.norm == "unbiased_std":
        spread = np.sqrt(squares / (x.size - 1)) + config.norm_eps
    else:
        spread = np.sqrt(squares / x.size + config.norm_eps)
    return centred / spread * weight + bias


def parameter(model: Transformer, name: str) -> Float[np.ndarray, "..."]:
    """Read one parameter, by its path in the model, in float64."""
    return model.get_parameter(name).detach().cpu().double().numpy()
