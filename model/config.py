"""The config of a transformer: its sizes, and the choices of its variant."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Side = Literal["source", "target"]
"""The encoder reads the source; the decoder reads and writes the target."""
NormPlacement = Literal["post", "pre", "parallel"]
Norm = Literal["layer", "unbiased_std", "rms"]
Positions = Literal[
    "sinusoidal",
    "double_sine",
    "single_frequency",
    "sinusoidal_halves",
    "learned",
    "rotary",
    "alibi",
    "relative",
    "none",
]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
Head = Literal["linear", "transform", "none"]
Tying = Literal["none", "decoder", "all"]
Output = Literal["logits", "log_softmax", "softmax"]
DropoutPoint = Literal["embedding", "attention_weights", "feed_forward_hidden", "sublayer_output"]

_CHOICES = {
    "norm_placement": get_args(NormPlacement),
    "norm": get_args(Norm),
    "positions": get_args(Positions),
    "activation": get_args(Activation),
    "head": get_args(Head),
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
"""The fields that set a model's size but not its computation."""
_MAY_BE_ZERO = {
    "source_vocab_size",
    "target_vocab_size",
    "n_encoder_layers",
    "n_decoder_layers",
    "d_ff",
}

_LEAST = {"relative_buckets": 4, "relative_max_distance": 2} | dict.fromkeys(
    ("n_kv_heads", "window", "position_offset", "rotary_context", "segments"), 0
)
"""The smallest values of whole numbers."""
_LARGEST_FLOAT = 3.4028234663852886e38
"""The largest float32 number; models compute in float32."""


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """One model, fully described. The defaults are the paper's base model (table 3).

    A model without an encoder, such as GPT, has 0 encoder layers and a source vocabulary of 0; one
    without a decoder, such as BERT, has 0 decoder layers and a target vocabulary of 0.

    `d_k` and `d_v` are free numbers here; `model.presets.preset` derives them from `d_model` and
    `n_heads` as each write-up does.
    """

    source_vocab_size: int
    target_vocab_size: int
    pad_id: int = 0
    """Id that pads short sequences."""
    padding_by_id: bool = True
    """Whether every `pad_id` in a text is padding, as in code that derives its masks from the ids.
    If not, only a mask that is passed to the model hides a position: models of transformers read a
    token of a text even if its id is that of the padding."""

    d_model: int = 512
    d_ff: int = 2048
    """The size of the feed-forward network's hidden layer; 0 if the layers have none."""
    n_heads: int = 8
    n_kv_heads: int = 0
    """The number of key and value heads, each read by the same number of query heads (grouped
    queries, Ainslie et al. 2023); 0 if every query head has its own."""
    d_k: int = 64
    """Size of one head's queries and keys."""
    d_v: int = 64
    """Size of one head's values."""
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6

    norm_placement: NormPlacement = "post"
    """post: norm(x + sublayer(x)), section 3.1. pre: x + sublayer(norm(x)). parallel: x +
    attention(norm(x)) + feed_forward(norm(x)), with two separate norms (Wang and Komatsuzaki 2021,
    GPT-J)."""
    final_norm: bool = False
    """Whether a norm follows the last layer of each stack."""
    norm: Norm = "layer"
    """layer: LayerNorm. unbiased_std: (x - mean) / (std + eps), std with n - 1. rms: x / sqrt(mean
    of squares + eps), without subtracting the mean and without a bias (Zhang and Sennrich 2019)."""
    norm_eps: float = 1e-5
    attention_bias: bool = True
    """Whether the four projections of each attention have biases."""
    attention_output_bias: bool = True
    """Whether the output projection has a bias, if `attention_bias` is set."""
    score_scale: float | None = None
    """The factor of the scores; None for 1 / sqrt(d_k), section 3.2.1."""
    window: int = 0
    """The largest number of positions that a row of decoder self-attention reads, its own the last
    (sliding window, Beltagy et al. 2020); 0 for all."""
    activation: Activation = "relu"
    """The activation of the feed-forward network. gelu_tanh is the tanh approximation of GELU."""
    gated: bool = False
    """Whether to compute activation(gate(x)) * expand(x) instead of activation(expand(x)) (Shazeer
    2020)."""
    feed_forward_bias: bool = True
    """Whether the maps of the feed-forward network have biases."""

    positions: Positions = "sinusoidal"
    """The first six are vectors added to the embeddings. rotary rotates queries and keys (Su et al.
    2021). alibi lowers scores with the distance (Press et al. 2022). relative adds a learned number
    for each head and distance to the scores (Raffel et al. 2020)."""
    max_length: int = 512
    """The longest sequence for learned positions. The other kinds have no limit."""
    position_offset: int = 0
    """The row of the learned positions at which a sequence begins."""
    positions_skip_padding: bool = False
    """Whether learned positions count only tokens whose id is not `pad_id`; a token with that id
    gets the row before the first position (RoBERTa, Liu et al. 2019). Only for encoders."""
    rotary_share: float = 1.0
    """The share of the dimensions of queries and keys that rotary positions rotate."""
    rotary_base: float = 10000.0
    """Base of the wavelengths of rotary positions."""
    rotary_factor: float = 1.0
    """The factor that stretches rotary wavelengths, for texts longer than those in training."""
    rotary_context: int = 0
    """The length of texts in training. Waves with many periods in it keep their length (Llama 3.1);
    0 stretches all wavelengths equally."""
    rotary_low: float = 1.0
    """The number of periods in that length up to which a wave is fully stretched."""
    rotary_high: float = 4.0
    """The number of periods from which a wave is not stretched; waves in between are in part."""
    relative_buckets: int = 32
    """The number of distances that relative positions distinguish."""
    relative_max_distance: int = 128
    """The distance from which relative positions no longer distinguish."""
    segments: int = 0
    """The number of text kinds with an added embedding (Devlin et al. 2019); 0 for none."""
    embedding_norm: bool = False
    """Whether a norm follows the sum of the embeddings."""
    scale_embeddings: bool = True
    """Whether embeddings are multiplied by sqrt(d_model), section 3.4."""
    tying: Tying = "all"
    """none; decoder: target embedding = generator; all: source embedding too, section 3.4."""
    head: Head = "linear"
    """The head that turns hidden states into logits. linear: one map, the generator. transform: a
    map, the activation and a norm before the generator (Devlin et al. 2019). none: the model
    predicts nothing."""
    generator_bias: bool = True
    scale_logits: bool = False
    """Whether hidden states are divided by sqrt(d_model) before the generator (Raffel et al.
    2020)."""

    mask_fill: float = -math.inf
    """The value of a masked score before the softmax."""
    causal_mask: bool = True
    """Whether decoder self-attention hides later target positions, section 3.2.3."""
    encoder_padding_mask: bool = True
    """Whether encoder self-attention hides source padding."""
    decoder_padding_mask: bool = True
    """Whether decoder self-attention hides target padding, and cross-attention source padding."""
    target_padding_mask: bool = True
    """Whether `decoder_padding_mask` hides target padding; if not, it hides only source padding."""
    output: Output = "logits"

    dropout: float = 0.1
    dropout_at: tuple[DropoutPoint, ...] = ("embedding", "sublayer_output")
    """The points at which dropout acts during training, section 5.4."""

    def __post_init__(self) -> None:
        for name in SIZES:
            size = getattr(self, name)
            least = 0 if name in _MAY_BE_ZERO else 1
            if not isinstance(size, int) or isinstance(size, bool) or size < least:
                raise ValueError(f"{name} must be a positive whole number, got {size!r}")
        self._check_stacks()
        self._check_attention()
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
        smaller = min(size for size in self._vocab_sizes() if size)
        if self.pad_id not in range(smaller) or not isinstance(self.pad_id, int):
            raise ValueError(
                f"pad_id must be an id of both vocabularies, 0 to {smaller - 1}, "
                f"got {self.pad_id!r}"
            )
        if self.positions in ("sinusoidal", "double_sine", "sinusoidal_halves") and (
            self.d_model % 2
        ):
            raise ValueError(
                f"{self.positions} positions come in pairs of dimensions: "
                f"d_model must be even, got {self.d_model}"
            )
        if self.positions_skip_padding and (self.has_decoder or self.position_offset < 1):
            raise ValueError(
                "positions_skip_padding is for encoders whose table has a row before the first "
                f"position: position_offset must be at least 1, got {self.position_offset}, and "
                f"n_decoder_layers 0, got {self.n_decoder_layers}"
            )
        if self.tying == "all" and len(set(self._vocab_sizes()) - {0}) > 1:
            raise ValueError(
                "tying all embeddings needs one vocabulary for both sides: source_vocab_size and "
                f"target_vocab_size must be equal, got {self.source_vocab_size} and "
                f"{self.target_vocab_size}"
            )

    @property
    def has_encoder(self) -> bool:
        """Whether there is an encoder."""
        return self.n_encoder_layers > 0

    @property
    def has_decoder(self) -> bool:
        """Whether there is a decoder, so that the model writes."""
        return self.n_decoder_layers > 0

    @property
    def has_cross_attention(self) -> bool:
        """Whether the decoder reads an encoder."""
        return self.has_encoder and self.has_decoder

    @property
    def key_value_heads(self) -> int:
        """Return the number of key and value heads."""
        return self.n_kv_heads or self.n_heads

    @property
    def scale(self) -> float:
        """The factor of the scores (section 3.2.1)."""
        return self.d_k**-0.5 if self.score_scale is None else self.score_scale

    @property
    def predicted_vocab_size(self) -> int:
        """The size of the logits' vocabulary: the target's, or the source's without a decoder."""
        return self.target_vocab_size if self.has_decoder else self.source_vocab_size

    @property
    def masks_target_padding(self) -> bool:
        """Whether tokens with the padding id are hidden from decoder self-attention."""
        return self.padding_by_id and self.decoder_padding_mask and self.target_padding_mask

    @property
    def has_position_vectors(self) -> bool:
        """Whether positions are vectors added to the embeddings."""
        return self.positions not in ("rotary", "alibi", "relative", "none")

    def _vocab_sizes(self) -> tuple[int, int]:
        return self.source_vocab_size, self.target_vocab_size

    def _check_stacks(self) -> None:
        if not self.has_encoder and not self.has_decoder:
            raise ValueError("a model needs encoder layers or decoder layers, got 0 of both")
        for side, layers, size in zip(
            ("source", "target"),
            (self.n_encoder_layers, self.n_decoder_layers),
            self._vocab_sizes(),
            strict=True,
        ):
            if (layers > 0) != (size > 0):
                raise ValueError(
                    f"{side}_vocab_size must be positive if that side has layers, and 0 otherwise, "
                    f"got {size} and {layers} layers"
                )
        if self.tying == "decoder" and not self.has_decoder:
            raise ValueError(
                "tying='decoder' needs a decoder; a single stack takes 'none' or 'all'"
            )

    def _check_attention(self) -> None:
        for name, least in _LEAST.items():
            size = getattr(self, name)
            if not isinstance(size, int) or isinstance(size, bool) or size < least:
                raise ValueError(f"{name} must be a whole number of at least {least}, got {size!r}")
        if self.n_heads % self.key_value_heads:
            raise ValueError(
                "n_heads must be a multiple of n_kv_heads, "
                f"got {self.n_heads} and {self.n_kv_heads}"
            )
        if self.score_scale is not None and not 0 < self.score_scale <= _LARGEST_FLOAT:
            raise ValueError(f"score_scale must be positive, got {self.score_scale}")
        if not 0 < self.rotary_share <= 1:
            raise ValueError(f"rotary_share must be above 0 and at most 1, got {self.rotary_share}")
        if not 1 < self.rotary_base <= _LARGEST_FLOAT:
            raise ValueError(f"rotary_base must be above 1, got {self.rotary_base}")
        if not 0 < self.rotary_factor <= _LARGEST_FLOAT:
            raise ValueError(f"rotary_factor must be positive, got {self.rotary_factor}")
        if not 0 < self.rotary_low < self.rotary_high <= _LARGEST_FLOAT:
            raise ValueError(
                "rotary_low must be positive and below rotary_high, "
                f"got {self.rotary_low} and {self.rotary_high}"
            )
        if self.positions == "rotary" and int(self.d_k * self.rotary_share) % 2:
            raise ValueError(
                "rotary positions rotate pairs of dimensions: their share of d_k must be even, "
                f"got {self.rotary_share} of {self.d_k}"
            )
        # Half of the buckets are exact, and an encoder has half of all for each direction.
        exact = self.relative_buckets // (2 if self.has_decoder else 4)
        if self.positions == "relative" and self.relative_max_distance <= exact:
            raise ValueError(
                f"{self.relative_buckets} buckets of relative positions need a max_distance above "
                f"{exact}, as {exact} distances are exact, got {self.relative_max_distance}"
            )

    def within_positions(self, length: int) -> int:
        """Return a length, or the number of learned positions if that is smaller."""
        return min(length, self.max_length) if self.positions == "learned" else length

    def dropout_rate(self, point: DropoutPoint) -> float:
        """Return the dropout rate at one point: `dropout` if the variant drops there, else 0."""
        return self.dropout if point in self.dropout_at else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; an infinite `mask_fill` becomes the string "-inf"."""
        values = dataclasses.asdict(self)
        values["dropout_at"] = list(self.dropout_at)
        if math.isinf(self.mask_fill):
            values["mask_fill"] = "-inf"
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "TransformerConfig":
        """Undo `to_dict`. Raises ValueError if a field is missing, unknown or of the wrong type."""
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
            elif fields[name].type == float | None and value is None:
                continue
            elif fields[name].type in (float, float | None):
                if value != "-inf" and (
                    not isinstance(value, int | float) or isinstance(value, bool)
                ):
                    raise ValueError(f"{name} must be a number, got {value!r}")
                given[name] = float(value)
            elif fields[name].type is bool and not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false, got {value!r}")
        return cls(**given)
