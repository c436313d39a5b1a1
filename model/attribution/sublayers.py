"""The parts of a model that can be cut: its sublayers and their heads, by name."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal, get_args

from model.attribution.options import check_choice
from model.config import TransformerConfig

How = Literal["zero", "mean", "even"]
"""The replacement for a part that is cut.

`zero`: nothing. `mean`: its mean over other sentences and all positions (Wang et al. 2022). `even`:
its values stay, but each row reads all its keys with equal weight, so only the attention pattern is
lost.
"""


def check_how(how: str) -> None:
    """Raise ValueError unless `how` names a replacement for a part that is cut."""
    check_choice("how", how, get_args(How))


@dataclass(frozen=True, order=True)
class Part:
    """A head of an attention, or a whole sublayer if no head is named."""

    sublayer: str
    """The path of its module: `encoder.layers.0.self_attn`, `decoder.layers.1.feed_forward`."""
    head: int | None = None

    @property
    def is_attention(self) -> bool:
        """Whether it is an attention, and so has weights."""
        return not self.sublayer.endswith("feed_forward")


Cut = tuple[Part, ...]
"""The parts that are cut together; an empty tuple cuts nothing."""


def sublayers(config: TransformerConfig) -> tuple[Part, ...]:
    """List the sublayers in the order in which they compute."""
    feed_forward = ("feed_forward",) if config.d_ff else ()
    crossing = ("cross_attn",) if config.has_cross_attention else ()
    encoder = ("self_attn", *feed_forward)
    decoder = ("self_attn", *crossing, *feed_forward)
    return (
        *(Part(f"encoder.layers.{i}.{n}") for i in range(config.n_encoder_layers) for n in encoder),
        *(Part(f"decoder.layers.{i}.{n}") for i in range(config.n_decoder_layers) for n in decoder),
    )


def heads(config: TransformerConfig) -> tuple[Part, ...]:
    """List all heads in the order in which they compute."""
    attentions = (part for part in sublayers(config) if part.is_attention)
    return tuple(Part(a.sublayer, head) for a in attentions for head in range(config.n_heads))


def parts(config: TransformerConfig, how: How = "zero") -> tuple[Part, ...]:
    """List each sublayer and then its heads; a part without weights cannot be cut as `even`."""
    check_how(how)
    of = defaultdict(list)
    for head in heads(config):
        of[head.sublayer].append(head)
    listed = (part for part in sublayers(config) if how != "even" or part.is_attention)
    return tuple(each for part in listed for each in (part, *of[part.sublayer]))
