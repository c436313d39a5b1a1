"""The dials: constants of the paper that a reader can change, each value by interventions."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from model.attribution.sublayers import sublayers as sublayers_of
from model.config import TransformerConfig
from model.interventions.kinds import Intervention
from texts import say_of
from texts.saying import written
from viz.address.changes import Change

_ATTENTIONS = (
    "encoder.layers.*.self_attn",
    "decoder.layers.*.self_attn",
    "decoder.layers.*.cross_attn",
)
_FILLS = (-10.0, -3.0, 0.0)
_TEMPERATURES = (0.25, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class Place:
    """One value of a dial: its label, and the interventions that set it."""

    says: str
    """A key of the texts in "dial.place"."""
    interventions: tuple[Intervention, ...] = ()
    """Empty for the model's own value."""
    value: str = ""
    """The number that it sets, if any, as Python writes it."""
    symbol: str = ""
    """The paper's symbol for that number."""

    @property
    def label(self) -> str:
        """The words for this value."""
        return say_of("dial.place", self.says, value=written(self.value), symbol=self.symbol)


@dataclass(frozen=True)
class Dial:
    """A constant, and the values that it can have."""

    name: str
    says: str
    """A key of the texts in "dial.title"."""
    places: tuple[Place, ...]
    layer: int | None = None
    """The layer of the one sublayer that it switches; else None."""

    @property
    def title(self) -> str:
        """The words for the constant."""
        return say_of("dial.title", self.says, layer=self.layer)

    @property
    def usual(self) -> Place:
        """The place that leaves the model as it is."""
        return next(place for place in self.places if not place.interventions)

    def place_of(self, made: Iterable[Intervention]) -> Place:
        """Return the place at which the interventions of a run put this dial."""
        there = set(made)
        found = (p for p in self.places if p.interventions and there.issuperset(p.interventions))
        return max(found, key=lambda place: len(place.interventions), default=self.usual)

    def interventions(self) -> set[Intervention]:
        """Return all interventions of its places."""
        return {one for place in self.places for one in place.interventions}


def constants(config: TransformerConfig, lengths: dict[str, int]) -> dict[str, Dial]:
    """Return the dials of a model by name, except those of single sublayers.

    Args:
        config: The config of the model.
        lengths: Tokens of each text that the model reads, by the name of the side; of the target,
            those that the decoder reads.
    """
    mask = causal_mask(config)
    dials = (
        *(() if config.positions in ("alibi", "relative") else (divisor(config),)),
        *((mask,) if mask else ()),
        embedding_scale(config),
        *positions(config, lengths),
        *((temperature(),) if config.head != "none" else ()),
        *((layers_used(config, "encoder"),) if config.has_encoder else ()),
        *((layers_used(config, "decoder"),) if config.has_decoder else ()),
    )
    return {dial.name: dial for dial in dials}


def divisor(config: TransformerConfig) -> Dial:
    """Return the dial for the divisor of the scores (section 3.2.1): sqrt(d_k) in the paper."""
    root, own = math.sqrt(config.d_k), 1 / config.scale
    if math.isclose(own, root):
        own = root
    names = {own: "", 1.0: "", root / 2: "", 2 * root: "", float(config.d_k): "d_k", root: "√d_k"}
    return Dial(
        "divisor",
        "divisor",
        tuple(
            _number(value, name, () if value == own else scores_divided(config, value))
            for value, name in sorted(names.items())
        ),
    )


def divided_scores(made: Iterable[Intervention]) -> tuple[Intervention, ...]:
    """Return the interventions that divide the scores of a whole kind of attention."""
    names = {f"{each}.scores" for each in _ATTENTIONS}
    return tuple(one for one in made if one.kind == "scale" and one.name in names)


def turned_together(made: Sequence[Change]) -> list[tuple[int, ...]]:
    """Group the indices of changes that one dial makes together; any other change is alone."""
    groups: dict[object, list[int]] = {}
    for at, change in enumerate(made):
        turned = _turned(change.intervention)
        key = (turned, change.intervention.amount, change.is_on) if turned else at
        groups.setdefault(key, []).append(at)
    return [tuple(group) for group in groups.values()]


def _turned(made: Intervention) -> str:
    """Name the target of a dial that makes several changes; empty for any other change."""
    if divided_scores((made,)):
        return "scores"
    if made.kind == "scale" and made.name.endswith("_embedding.tokens"):
        return "tokens"
    return f"skip {made.name.partition('.')[0]}" if made.kind == "skip" else ""


def scores_divided(config: TransformerConfig, by: float) -> tuple[Intervention, ...]:
    """Divide the scores of all attentions by another number than the model's own."""
    own = math.sqrt(config.d_k) if config.score_scale is None else 1 / config.score_scale
    return tuple(
        Intervention("scale", f"{each}.scores", amount=own / by) for each in _attentions(config)
    )


def causal_mask(config: TransformerConfig) -> Dial | None:
    """Return the dial for the mask of later tokens (section 3.2.3); None without a causal mask."""
    if not config.causal_mask or not config.has_decoder:
        return None
    opened = Intervention("set", "decoder.layers.*.self_attn.mask")
    own = "−∞" if config.mask_fill == -math.inf else f"{config.mask_fill:g}"
    filled = (
        Place("by", (_filled(fill),), value=f"{fill:.0f}".replace("-", "−")) for fill in _FILLS
    )
    places = (Place("by", value=own), *filled, Place("not_at_all", (opened,)))
    return Dial("causal", "causal", places)


def positions(config: TransformerConfig, lengths: dict[str, int]) -> tuple[Dial, ...]:
    """Return a dial for the position vectors of each text (section 3.5).

    There is none if positions are not vectors that could be removed or moved.
    """
    if not config.has_position_vectors:
        return ()
    return tuple(_positions_of(side, length) for side, length in lengths.items())


def embedding_scale(config: TransformerConfig) -> Dial:
    """Return the dial for the embeddings' factor (section 3.4): sqrt(d_model) in the paper."""
    root = math.sqrt(config.d_model)
    own = root if config.scale_embeddings else 1.0
    values = sorted({1.0, root / 2, root, 2 * root, own})
    return Dial(
        "embedding_scale",
        "embedding_scale",
        tuple(
            _number(
                value,
                "√d_model" if value == root else "",
                () if value == own else _embeddings(config, value / own),
            )
            for value in values
        ),
    )


def temperature() -> Dial:
    """Return the dial for the divisor of the logits before the softmax: 1 in the paper."""
    return Dial(
        "temperature",
        "temperature",
        tuple(
            _number(by, "", () if by == 1 else (Intervention("scale", "logits", amount=1 / by),))
            for by in _TEMPERATURES
        ),
    )


def layers_used(config: TransformerConfig, stack: str) -> Dial:
    """Return the dial for the number of layers in use; the later ones pass on their input."""
    count = config.n_encoder_layers if stack == "encoder" else config.n_decoder_layers
    return Dial(
        f"{stack}_layers",
        f"{stack}_layers",
        tuple(_number(float(used), "", _skipped(stack, used, count)) for used in range(count + 1)),
    )


def sublayers(config: TransformerConfig) -> tuple[Dial, ...]:
    """Return one dial for each sublayer, on or off: off leaves only the residual connection."""
    return tuple(_sublayer(part.sublayer) for part in sublayers_of(config))


def _sublayer(path: str) -> Dial:
    stack, _, layer, part = path.split(".")
    off = Place("off", (Intervention("zero", f"{path}.output"),))
    return Dial(path, f"{stack}.{part}", (Place("on"), off), int(layer))


def _positions_of(side: str, length: int) -> Dial:
    name, rows = f"{side}_embedding.positions", tuple(range(length))
    return Dial(
        f"{side}_positions",
        f"{side}_positions",
        (
            Place("as_they_are"),
            Place("none", (Intervention("zero", name),)),
            Place("in_reverse", (Intervention("reverse", name, rows=rows),)),
            Place("shuffled", (Intervention("shuffle", name, rows=rows, amount=0.0),)),
        ),
    )


def _filled(fill: float) -> Intervention:
    return Intervention("fill", "decoder.layers.*.self_attn.scores", amount=fill)


def _embeddings(config: TransformerConfig, factor: float) -> tuple[Intervention, ...]:
    sides = {"source": config.has_encoder, "target": config.has_decoder}
    return tuple(
        Intervention("scale", f"{side}_embedding.tokens", amount=factor)
        for side, is_read in sides.items()
        if is_read
    )


def _attentions(config: TransformerConfig) -> tuple[str, ...]:
    """Return the names of the attentions that a model has."""
    there = {re.sub(r"\d+", "*", part.sublayer) for part in sublayers_of(config)}
    return tuple(name for name in _ATTENTIONS if name in there)


def _skipped(stack: str, used: int, count: int) -> tuple[Intervention, ...]:
    return tuple(Intervention("skip", f"{stack}.layers.{i}.output") for i in range(used, count))


def _number(value: float, symbol: str, interventions: tuple[Intervention, ...]) -> Place:
    says = "named" if symbol else "number"
    return Place(says, interventions, value=f"{value:.4g}", symbol=symbol)
