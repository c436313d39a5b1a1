"""Constants of the paper that can be turned: each place of a dial is what is changed in the run."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from model.config import TransformerConfig
from model.intervention import Intervention

_ATTENTIONS = (
    "encoder.layers.*.self_attn",
    "decoder.layers.*.self_attn",
    "decoder.layers.*.cross_attn",
)
_FILLS = (-10.0, -3.0, 0.0)
_TEMPERATURES = (0.25, 0.5, 1.0, 2.0, 4.0)
_SUBLAYERS = {
    "encoder": {"self_attn": "self-attention", "feed_forward": "feed-forward"},
    "decoder": {
        "self_attn": "self-attention",
        "cross_attn": "cross-attention",
        "feed_forward": "feed-forward",
    },
}


@dataclass(frozen=True)
class Place:
    """One place of a dial: how it is labelled, and what it changes."""

    label: str
    interventions: tuple[Intervention, ...] = ()
    """None where the model is as it was."""


@dataclass(frozen=True)
class Dial:
    """A constant, and the places that it can be turned to."""

    name: str
    title: str
    places: tuple[Place, ...]

    @property
    def usual(self) -> Place:
        """Give the place at which the model is as it was."""
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
    """Give each dial of a model by its name, but for its sublayers.

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
        "Scores are divided by",
        tuple(
            Place(_number(value, name), () if value == own else scores_divided(config, value))
            for value, name in sorted(names.items())
        ),
    )


def divided_scores(made: Iterable[Intervention]) -> tuple[Intervention, ...]:
    """List those of some interventions that divide the scores of a whole kind of attention."""
    names = {f"{each}.scores" for each in _ATTENTIONS}
    return tuple(one for one in made if one.kind == "scale" and one.name in names)


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
    usual = Place("by −∞" if config.mask_fill == -math.inf else f"by {config.mask_fill:g}")
    filled = (Place(f"by {fill:.0f}".replace("-", "−"), (_filled(fill),)) for fill in _FILLS)
    return Dial(
        "causal",
        "Scores of later tokens are replaced",
        (usual, *filled, Place("not at all", (opened,))),
    )


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
        "Embeddings are multiplied by",
        tuple(
            Place(
                _number(value, "√d_model" if value == root else ""),
                () if value == own else _embeddings(config, value / own),
            )
            for value in values
        ),
    )


def temperature() -> Dial:
    """By what the logits are divided before the softmax: 1 in the paper."""
    return Dial(
        "temperature",
        "Logits are divided by (temperature)",
        tuple(
            Place(f"{by:g}", () if by == 1 else (Intervention("scale", "logits", amount=1 / by),))
            for by in _TEMPERATURES
        ),
    )


def layers_used(config: TransformerConfig, stack: str) -> Dial:
    """How many layers of the encoder or decoder are used: the later ones hand on what they read."""
    count = config.n_encoder_layers if stack == "encoder" else config.n_decoder_layers
    return Dial(
        f"{stack}_layers",
        f"{stack.capitalize()} layers used",
        tuple(Place(str(used), _skipped(stack, used, count)) for used in range(count + 1)),
    )


def sublayers(config: TransformerConfig) -> tuple[Dial, ...]:
    """Each sublayer, on or off: without it only the residual connection is left."""
    layers = {"encoder": config.n_encoder_layers, "decoder": config.n_decoder_layers}
    parts = [
        (f"{stack}.layers.{layer}.{part}", f"{stack} {layer}, {name}")
        for stack, count in layers.items()
        for layer in range(count)
        for part, name in _SUBLAYERS[stack].items()
        if _has(config, part)
    ]
    return tuple(
        Dial(path, title, (Place("on"), Place("off", (Intervention("zero", f"{path}.output"),))))
        for path, title in parts
    )


def _positions_of(side: str, length: int) -> Dial:
    name, rows = f"{side}_embedding.positions", tuple(range(length))
    return Dial(
        f"{side}_positions",
        f"Positions of the {side}",
        (
            Place("as they are"),
            Place("none", (Intervention("zero", name),)),
            Place("in reverse", (Intervention("reverse", name, rows=rows),)),
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
    layers = {"encoder": config.n_encoder_layers, "decoder": config.n_decoder_layers}
    return tuple(
        name
        for name in _ATTENTIONS
        if layers[name.partition(".")[0]] and _has(config, name.rpartition(".")[2])
    )


def _has(config: TransformerConfig, part: str) -> bool:
    """Tell whether layers have a sublayer."""
    if part == "cross_attn":
        return config.has_cross_attention
    return part != "feed_forward" or config.d_ff > 0


def _skipped(stack: str, used: int, count: int) -> tuple[Intervention, ...]:
    return tuple(Intervention("skip", f"{stack}.layers.{i}.output") for i in range(used, count))


def _number(value: float, name: str) -> str:
    text = f"{value:.4g}"
    return f"{name} = {text}" if name else text
