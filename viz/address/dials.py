"""Constants of the paper that can be turned: each place of a dial is what is changed in the run."""

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
    """One place of a dial: what it says, and what it changes."""

    says: str
    """A name in "dial.place" of the texts."""
    interventions: tuple[Intervention, ...] = ()
    """None where the model is as it was."""
    value: str = ""
    """The number at which it stands, where it is one, in the digits of Python."""
    symbol: str = ""
    """What the paper calls that number."""

    @property
    def label(self) -> str:
        """Describe where it stands."""
        return say_of("dial.place", self.says, value=written(self.value), symbol=self.symbol)


@dataclass(frozen=True)
class Dial:
    """A constant, and the places that it can be turned to."""

    name: str
    says: str
    """A name in "dial.title" of the texts."""
    places: tuple[Place, ...]
    layer: int | None = None
    """Of the one sublayer that it is about."""

    @property
    def title(self) -> str:
        """Describe what is turned."""
        return say_of("dial.title", self.says, layer=self.layer)

    @property
    def usual(self) -> Place:
        """Return the place at which the model is as it was."""
        return next(place for place in self.places if not place.interventions)

    def place_of(self, made: Iterable[Intervention]) -> Place:
        """Find where it stands, by what is changed in the run."""
        there = set(made)
        found = (p for p in self.places if p.interventions and there.issuperset(p.interventions))
        return max(found, key=lambda place: len(place.interventions), default=self.usual)

    def interventions(self) -> set[Intervention]:
        """List all that it may change."""
        return {one for place in self.places for one in place.interventions}


def constants(config: TransformerConfig, lengths: dict[str, int]) -> dict[str, Dial]:
    """Return each dial of a model by its name, but for its sublayers.

    Args:
        config: Of the model.
        lengths: Tokens of each text that it reads, the target as the decoder reads it, by the
            names of the sides.
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
    """By what the scores are divided (section 3.2.1): sqrt(d_k) in the paper."""
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
    """List those of some interventions that divide the scores of a whole kind of attention."""
    names = {f"{each}.scores" for each in _ATTENTIONS}
    return tuple(one for one in made if one.kind == "scale" and one.name in names)


def turned_together(made: Sequence[Change]) -> list[tuple[int, ...]]:
    """Group changes that are one turn of a dial; each other one stands alone."""
    groups: dict[object, list[int]] = {}
    for at, change in enumerate(made):
        turned = _turned(change.intervention)
        key = (turned, change.intervention.amount, change.is_on) if turned else at
        groups.setdefault(key, []).append(at)
    return [tuple(group) for group in groups.values()]


def _turned(made: Intervention) -> str:
    """Name what a dial turns with several changes; empty of any other change."""
    if divided_scores((made,)):
        return "scores"
    if made.kind == "scale" and made.name.endswith("_embedding.tokens"):
        return "tokens"
    return f"skip {made.name.partition('.')[0]}" if made.kind == "skip" else ""


def scores_divided(config: TransformerConfig, by: float) -> tuple[Intervention, ...]:
    """Divide the scores of all attentions by another number than sqrt(d_k)."""
    own = math.sqrt(config.d_k) if config.score_scale is None else 1 / config.score_scale
    return tuple(
        Intervention("scale", f"{each}.scores", amount=own / by) for each in _attentions(config)
    )


def causal_mask(config: TransformerConfig) -> Dial | None:
    """Whether later tokens are hidden (section 3.2.3), and by what; None without a causal mask."""
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
    """What is added for the order of the tokens (section 3.5), of each text by itself.

    None where positions are no vectors that could be taken away or moved.
    """
    if not config.has_position_vectors:
        return ()
    return tuple(_positions_of(side, length) for side, length in lengths.items())


def embedding_scale(config: TransformerConfig) -> Dial:
    """By what embeddings are multiplied (section 3.4): sqrt(d_model) in the paper."""
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
    """By what the logits are divided before the softmax: 1 in the paper."""
    return Dial(
        "temperature",
        "temperature",
        tuple(
            _number(by, "", () if by == 1 else (Intervention("scale", "logits", amount=1 / by),))
            for by in _TEMPERATURES
        ),
    )


def layers_used(config: TransformerConfig, stack: str) -> Dial:
    """How many layers of the encoder or decoder are used: the later ones hand on what they read."""
    count = config.n_encoder_layers if stack == "encoder" else config.n_decoder_layers
    return Dial(
        f"{stack}_layers",
        f"{stack}_layers",
        tuple(_number(float(used), "", _skipped(stack, used, count)) for used in range(count + 1)),
    )


def sublayers(config: TransformerConfig) -> tuple[Dial, ...]:
    """Each sublayer, on or off: without it only the residual connection is left."""
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
    """Name the attentions that a model has."""
    there = {re.sub(r"\d+", "*", part.sublayer) for part in sublayers_of(config)}
    return tuple(name for name in _ATTENTIONS if name in there)


def _skipped(stack: str, used: int, count: int) -> tuple[Intervention, ...]:
    return tuple(Intervention("skip", f"{stack}.layers.{i}.output") for i in range(used, count))


def _number(value: float, symbol: str, interventions: tuple[Intervention, ...]) -> Place:
    says = "named" if symbol else "number"
    return Place(says, interventions, value=f"{value:.4g}", symbol=symbol)
