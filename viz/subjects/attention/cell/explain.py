"""Take one cell of attention out of a run: how one query position reads one key position."""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from model.positions import rotary_angles
from model.transformer import Transformer
from viz.run.record import AttentionKind, Run, attention_name, attention_trace
from viz.run.tensor_parcel import tolerance_of
from viz.subjects.attention.cell.arithmetic import (
    CellArithmetic,
    Mix,
    Output,
    Row,
    Score,
    Turned,
)
from viz.subjects.attention.cell.recompute import (
    Line,
    Recomputed,
    added,
    compare,
    linear,
    parameter,
    projection_input,
    single,
    turn_again,
    unchecked,
)

MAY_ATTEND, NOTHING = r"\ifmay", r"\nothing"
"""Words in a formula, which stand there in the language of the reader when it is shown."""


class _Place(NamedTuple):
    """The cell in view."""

    kind: AttentionKind
    layer: int
    head: int
    query: int
    key: int

    @property
    def position(self) -> dict[str, int]:
        """Return the position that each projection reads."""
        return {"query": self.query, "key": self.key, "value": self.key}

    @property
    def path(self) -> str:
        return attention_name(self.kind, self.layer).removesuffix(".weights")


class _Captured(NamedTuple):
    """What a trace holds on one head and one of its queries."""

    query: Float[np.ndarray, " d_k"]
    keys: Float[np.ndarray, "key d_k"]
    values: Float[np.ndarray, "key d_v"]
    scores: Float[np.ndarray, " key"]
    scale: float
    bias: Float[np.ndarray, " key"] | None
    softcap: float | None
    key_head: int
    sharing: tuple[int, ...]
    edited: bool
    allowed: Bool[np.ndarray, " key"]
    weights: Float[np.ndarray, " key"]
    heads: Float[np.ndarray, "head d_v"]
    """Of all heads: the output projection reads them together."""
    output: Float[np.ndarray, " d_model"]


def explain_cell(
    run: Run,
    model: Transformer | None,
    kind: AttentionKind,
    layer: int,
    head: int,
    query: int,
    key: int,
) -> CellArithmetic:
    """Take one cell out of a run, with every step between query, key and output.

    Only the parameters of the model are read. Where it gives none, the steps that need them are
    shown and not recomputed. Raises ValueError on positions that are not there.
    """
    place = _Place(kind, layer, head, query, key)
    captured = _captured(run, place)
    return CellArithmetic(
        name=place.path,
        head=head,
        query=query,
        key=key,
        score=_score(run, model, place, captured),
        row=_row(run, place, captured),
        mix=_mix(run, model, place, captured),
        output=_output(run, model, place, captured),
        key_head=captured.key_head,
        sharing=captured.sharing,
        turned=_turned(run, place),
        changed=touched_lines(run, place.path),
        tolerance=tolerance_of(run),
    )


def touched_lines(run: Run, path: str) -> tuple[str, ...]:
    """Name the lines of an attention's arithmetic whose result a person changed."""
    return tuple(line for line, part in _PARTS.items() if run.edits.touches(f"{path}.{part}"))


_PARTS = {
    "query": "query",
    "key": "key",
    "score": "scores",
    "weights": "weights",
    "value": "value",
    "mix": "heads",
    "output": "output",
}
"""Lines that are held against a captured tensor, and which one."""


def _captured(run: Run, place: _Place) -> _Captured:
    attention = attention_trace(run, place.kind, place.layer)
    head, query = place.head, place.query
    _, n_heads, n_queries, n_keys = attention.weights.shape
    asked = (("head", head, n_heads), ("query", query, n_queries), ("key", place.key, n_keys))
    for axis, position, size in asked:
        if not 0 <= position < size:
            raise ValueError(f"{axis} must be 0 to {size - 1}, got {position}")
    key_head = attention.key_head(head)
    sharing = tuple(i for i in range(n_heads) if attention.key_head(i) == key_head)
    return _Captured(
        query=attention.query[0, head, query].numpy(),
        keys=attention.key[0, key_head].numpy(),
        values=attention.value[0, key_head].numpy(),
        scores=attention.scores[0, head, query].numpy(),
        scale=attention.scale,
        bias=None if attention.bias is None else attention.bias[0, head, query].numpy(),
        key_head=key_head,
        sharing=sharing if len(sharing) > 1 else (),
        softcap=attention.softcap,
        edited=attention.edited_scores is not None,
        allowed=attention.mask[0].expand(n_queries, n_keys)[query].numpy(),
        weights=attention.weights[0, head, query].numpy(),
        heads=attention.heads[0, :, query].numpy(),
        output=attention.output[0, query].numpy(),
    )


def _score(run: Run, model: Transformer | None, place: _Place, captured: _Captured) -> Score:
    q, k = captured.query, captured.keys[place.key]
    products = q * k
    bias = None if captured.bias is None else float(captured.bias[place.key])
    scaled = float(captured.scores[place.key])
    allowed, fill = bool(captured.allowed[place.key]), run.info.config.mask_fill
    masked = float(_masked(captured.scores, captured.allowed, fill)[place.key])
    dot = float(products.sum())
    exact = q.astype(np.float64) * k.astype(np.float64)
    scaled_again = _scaled_again(exact * captured.scale, bias, captured.softcap)
    return Score(
        q=q,
        k=k,
        products=products,
        order=np.argsort(-np.abs(products), kind="stable"),
        dot=dot,
        scale=captured.scale,
        bias=bias,
        softcap=captured.softcap,
        scaled=scaled,
        edited=captured.edited,
        allowed=allowed,
        fill=fill,
        masked=masked,
        lines=(
            _projected(run, model, place, "query", q, place.head),
            _projected(run, model, place, "key", k, captured.key_head),
            compare(
                "dot product",
                r"\mathbf{q}\cdot\mathbf{k} = \sum_i \mathbf{q}_i\,\mathbf{k}_i",
                dot,
                added(exact, 0),
            ),
            compare(
                "score",
                _score_formula(captured, is_biased=bias is not None),
                scaled,
                scaled_again,
            ),
            compare(
                "masked score",
                rf"s' = s \;{MAY_ATTEND}{{{_latex(fill)}}}",
                masked,
                single(scaled if allowed else fill),
            ),
        ),
    )


def _scaled_again(
    terms: Float[np.ndarray, " d_k"], bias: float | None, softcap: float | None
) -> Recomputed:
    """Add up scaled products in float64, bend the sum where the model does so, add the bias."""
    scaled = added(terms, 0)
    if softcap is not None:
        bent = np.asarray(softcap * np.tanh(scaled.result / softcap))
        scaled = Recomputed(bent, scaled.largest_term)
    if bias is None:
        return scaled
    largest = np.asarray(np.maximum(scaled.largest_term, abs(bias)))
    return Recomputed(np.asarray(scaled.result + bias), largest)


def _score_formula(captured: _Captured, *, is_biased: bool) -> str:
    scaled = r"\mathbf{q}\cdot\mathbf{k}"
    if math.isclose(captured.scale, captured.query.size**-0.5):
        scaled = rf"{scaled} \,/\, \sqrt{{d_k}}"
    elif captured.scale != 1:
        scaled = rf"{scaled} \cdot {captured.scale:.4g}"
    if (cap := captured.softcap) is not None:
        scaled = rf"{cap:.4g} \tanh\left(({scaled}) \,/\, {cap:.4g}\right)"
    return rf"s = {scaled} + b" if is_biased else rf"s = {scaled}"


def _row(run: Run, place: _Place, captured: _Captured) -> Row:
    scores = _masked(captured.scores, captured.allowed, run.info.config.mask_fill)
    exact = scores.astype(np.float64)
    with np.errstate(invalid="ignore"):  # minus infinity less minus infinity
        exponentials = np.exp(scores - scores.max())
        exact = np.exp(exact - exact.max())
    # What a row may leave unread stands in the denominator, beside its keys.
    taken = float(captured.weights.astype(np.float64).sum())
    left = 1 - taken if run.anatomy.site(place.kind).sinks and 0 < taken < 1 else 0.0
    unread = exact.sum() * left / (1 - left)
    denominator = float(exponentials.sum() + unread)
    total = r"Z = \sum_j e_j"
    return Row(
        scores=scores,
        allowed=captured.allowed,
        exponentials=exponentials,
        denominator=denominator,
        weights=captured.weights,
        order=np.argsort(-captured.weights, kind="stable"),
        left=left,
        lines=(
            compare("exponentials", r"e_j = \exp(s'_j - \max s')", exponentials, single(exact)),
            compare(
                "denominator",
                rf"{total} + e_{{{NOTHING}}}" if left else total,
                denominator,
                added(exact, 0, unread),
            ),
            compare(
                "weights",
                r"w = e \,/\, Z",
                captured.weights,
                single(exact / (exact.sum() + unread)),
            ),
        ),
    )


def _mix(run: Run, model: Transformer | None, place: _Place, captured: _Captured) -> Mix:
    v, weight = captured.values[place.key], captured.weights[place.key]
    mix = captured.heads[place.head]
    terms = captured.weights[:, None].astype(np.float64) * captured.values
    lengths = np.sqrt((terms * terms).sum(axis=1))
    total = lengths.sum()
    return Mix(
        v=v,
        weighted=weight * v,
        mix=mix,
        share=float(lengths[place.key] / total) if total else 0.0,
        lines=(
            _projected(run, model, place, "value", v, captured.key_head),
            compare("weighted value", r"w\,\mathbf{v}", weight * v, single(terms[place.key])),
            compare("mix", r"\mathrm{head} = \sum_j w_j\,\mathbf{v}_j", mix, added(terms, 0)),
        ),
    )


_CONTRIBUTION = r"W^O_h\,\mathrm{head}_h"


def _output(run: Run, model: Transformer | None, place: _Place, captured: _Captured) -> Output:
    whole = rf"\mathrm{{output}} = \sum_h {_CONTRIBUTION}"
    if model is None:
        unknown = np.full_like(captured.output, np.nan)
        lines = (
            unchecked("contribution", _CONTRIBUTION, unknown),
            unchecked("output", whole, captured.output),
        )
        return Output(None, None, captured.output, lines)
    weight, bias = output_projection(run, model, place.path)
    n_heads, d_v = captured.heads.shape
    columns = weight.reshape(-1, n_heads, d_v)
    terms = columns * captured.heads
    contributions = np.einsum("mhv,hv->hm", columns.astype(np.float32), captured.heads)
    plus_bias = "" if bias is None else " + b^O"
    return Output(
        contributions=contributions,
        bias=bias,
        output=captured.output,
        lines=(
            compare(
                "contribution",
                _CONTRIBUTION,
                contributions[place.head],
                added(terms[:, place.head], 1),
            ),
            compare(
                "output",
                whole + plus_bias,
                captured.output,
                added(terms.reshape(len(weight), -1), 1, 0.0 if bias is None else bias),
            ),
        ),
    )


def output_projection(
    run: Run, model: Transformer, path: str
) -> tuple[Float[np.ndarray, "d_model heads_d_v"], Float[np.ndarray, " d_model"] | None]:
    """Return the projection that all heads of an attention write through, and its bias if any."""
    weight = parameter(model, f"{path}.output.weight")
    if run.info.config.attention_bias and run.info.config.attention_output_bias:
        return weight, parameter(model, f"{path}.output.bias")
    return weight, None


def _projected(
    run: Run,
    model: Transformer | None,
    place: _Place,
    part: str,
    shown: Float[np.ndarray, " size"],
    head: int,
) -> Line:
    """Hold a captured query, key or value against a head's rows of its projection.

    Queries and keys are turned after it where positions are rotary.
    """
    position = place.position[part]
    if model is None:
        return unchecked(part, rf"\mathbf{{{part[0]}}}", shown)
    x, symbol = projection_input(run, model, place.kind, place.layer, part, position)
    rows = slice(head * shown.size, (head + 1) * shown.size)
    weight = parameter(model, f"{place.path}.{part}.weight")[rows]
    letter = part[0]
    formula, bias = rf"W^{letter.upper()}{symbol}", 0.0
    if run.info.config.attention_bias:
        bias = parameter(model, f"{place.path}.{part}.bias")[rows]
        formula = rf"{formula} + b^{letter.upper()}"
    again = linear(x, weight, bias)
    turned = _turned(run, place)
    if turned is not None and part != "value":
        again = turn_again(again, turned.query if part == "query" else turned.key)
        formula = rf"R_{{{position}}}\,({formula})"
    return compare(part, rf"\mathbf{{{letter}}} = {formula}", shown, again)


def _turned(run: Run, place: _Place) -> Turned | None:
    """Return the angles of rotary positions; cross-attention has none."""
    config = run.info.config
    if config.positions != "rotary" or place.kind == "cross-attention":
        return None
    query, key = (
        rotary_angles(at, at + 1, config.d_k, share=config.rotary_share, base=config.rotary_base)
        for at in (place.query, place.key)
    )
    return Turned(query[0].numpy(), key[0].numpy())


def _masked(
    scores: Float[np.ndarray, " key"], allowed: Bool[np.ndarray, " key"], fill: float
) -> Float[np.ndarray, " key"]:
    return np.where(allowed, scores, np.float32(fill))


def _latex(fill: float) -> str:
    """Write what stands at a masked place, -inf or a number such as -1e9."""
    if fill == -math.inf:
        return r"-\infty"
    mantissa, _, exponent = f"{fill:.4g}".partition("e")
    if not exponent:
        return mantissa
    power = rf"10^{{{int(exponent)}}}"
    return f"-{power}" if mantissa == "-1" else rf"{mantissa}\cdot {power}"
