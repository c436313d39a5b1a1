"""What distinguishes one transformer from another: sizes, and the choices of a variant."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

NormPlacement = Literal["post", "pre"]
Norm = Literal["layer", "unbiased_std"]
Positions = Literal["sinusoidal", "double_sine", "single_frequency", "learned", "none"]
Tying = Literal["none", "decoder", "all"]
Output = Literal["logits", "log_softmax", "softmax"]
DropoutPoint = Literal["embedding", "attention_weights", "feed_forward_hidden", "sublayer_output"]

_CHOICES = {
    "norm_placement": get_args(NormPlacement),
    "norm": get_args(Norm),
    "positions": get_args(Positions),
    "tying": get_args(Tying),
    "output": get_args(Output),
}
SIZES = (
    "source_vocab_size",
    "target_vocab_size",
    "d_model",
    "d_ff",
    "n_heads",
    "d_k",
    "d_v",
    "n_encoder_layers",
    "n_decoder_layers",
    "max_length",
)
"""Fields that say how large a model is, and not what it computes."""


_LARGEST_FLOAT = 3.4028234663852886e38
"""The largest number of float32, in which models compute."""


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """One model, fully described. The defaults are the paper's base model (table 3).

    `d_k` and `d_v` are free numbers here; `model.presets.preset` derives them from `d_model` and
    `n_heads` as each write-up does.
    """

    source_vocab_size: int
    target_vocab_size: int
    pad_id: int = 0
    """Id that pads short sequences; the masks are derived from it."""

    d_model: int = 512
    d_ff: int = 2048
    n_heads: int = 8
    d_k: int = 64
    """Size of one head's queries and keys."""
    d_v: int = 64
    """Size of one head's values."""
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6

    norm_placement: NormPlacement = "post"
    """post: norm(x + sublayer(x)), section 3.1. pre: x + sublayer(norm(x))."""
    final_norm: bool = False
    """One more norm after the last layer of each stack."""
    norm: Norm = "layer"
    """layer: LayerNorm. unbiased_std: (x - mean) / (std + eps), std with n - 1."""
    norm_eps: float = 1e-5
    attention_bias: bool = True
    """Biases in the four projections of each attention."""

    positions: Positions = "sinusoidal"
    max_length: int = 512
    """Longest sequence that learned positions can hold. The other kinds have no limit."""
    scale_embeddings: bool = True
    """Multiply embeddings by sqrt(d_model), section 3.4."""
    tying: Tying = "all"
    """none; decoder: target embedding = generator; all: source embedding too, section 3.4."""

    mask_fill: float = -math.inf
    """Value of a masked score before the softmax."""
    causal_mask: bool = True
    """Hide later target positions from decoder self-attention, section 3.2.3."""
    encoder_padding_mask: bool = True
    """Hide source padding from encoder self-attention."""
    decoder_padding_mask: bool = True
    """Hide target padding from decoder self-attention, and source padding from cross-attention."""
    output: Output = "logits"

    dropout: float = 0.1
    dropout_at: tuple[DropoutPoint, ...] = ("embedding", "sublayer_output")
    """Where dropout acts while training, section 5.4."""

    def __post_init__(self) -> None:
        for name in SIZES:
            size = getattr(self, name)
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise ValueError(f"{name} must be a positive whole number, got {size!r}")
        for name, choices in _CHOICES.items():
            choice = getattr(self, name)
            if choice not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {choice!r}")
        if unknown := set(self.dropout_at) - set(get_args(DropoutPoint)):
            raise ValueError(
                f"dropout_at must be among {', '.join(get_args(DropoutPoint))}, "
                f"got {', '.join(sorted(unknown))}"
            )
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be at least 0 and below 1, got {self.dropout}")
        if not self.norm_eps > 0:
            raise ValueError(f"norm_eps must be positive, got {self.norm_eps}")
        if math.isnan(self.mask_fill) or self.mask_fill == math.inf:
            raise ValueError(f"mask_fill must be a number or -inf, got {self.mask_fill}")
        for name in ("norm_eps", "mask_fill"):
            value = getattr(self, name)
            if abs(value) > _LARGEST_FLOAT and value != -math.inf:
                raise ValueError(f"{name} must be within float32's 3.4e38, got {value}")
        smaller = min(self.source_vocab_size, self.target_vocab_size)
        if self.pad_id not in range(smaller) or not isinstance(self.pad_id, int):
            raise ValueError(
                f"pad_id must be an id of both vocabularies, 0 to {smaller - 1}, "
                f"got {self.pad_id!r}"
            )
        if self.positions in ("sinusoidal", "double_sine") and self.d_model % 2:
            raise ValueError(
                f"{self.positions} positions come in pairs of dimensions: "
                f"d_model must be even, got {self.d_model}"
            )
        if self.tying == "all" and self.source_vocab_size != self.target_vocab_size:
            raise ValueError(
                "tying all embeddings needs one vocabulary for both sides: source_vocab_size and "
                f"target_vocab_size must be equal, got {self.source_vocab_size} and "
                f"{self.target_vocab_size}"
            )

    def dropout_rate(self, point: DropoutPoint) -> float:
        """Rate of dropout at one point: `dropout` where the variant has it, else 0."""
        return self.dropout if point in self.dropout_at else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; an infinite `mask_fill` becomes the string "-inf"."""
        values = dataclasses.asdict(self)
        values["dropout_at"] = list(self.dropout_at)
        if math.isinf(self.mask_fill):
            values["mask_fill"] = "-inf"
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "TransformerConfig":
        """Undo `to_dict`. Raises ValueError on a name that is missing, unknown or ill-typed."""
        fields = {field.name: field for field in dataclasses.fields(cls)}
        if unknown := sorted(values.keys() - fields.keys()):
            raise ValueError(f"a config has no {', '.join(unknown)}")
        required = {n for n, field in fields.items() if field.default is dataclasses.MISSING}
        if missing := sorted(required - values.keys()):
            raise ValueError(f"a config needs {', '.join(missing)}")
        given = dict(values)
        for name, value in given.items():
            if name == "dropout_at":
                if not isinstance(value, list | tuple) or not all(
                    isinstance(point, str) for point in value
                ):
                    raise ValueError(f"{name} must be a list of names, got {value!r}")
                given[name] = tuple(value)
            elif fields[name].type is float:
                if value != "-inf" and (
                    not isinstance(value, int | float) or isinstance(value, bool)
                ):
                    raise ValueError(f"{name} must be a number, got {value!r}")
                given[name] = float(value)
            elif fields[name].type is bool and not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false, got {value!r}")
        return cls(**given)
