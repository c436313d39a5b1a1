"""The demonstrations: what each is about, in the order in which they are offered."""

from collections.abc import Callable
from dataclasses import dataclass

from viz.subjects.variants.depth import DEEP_LAYERS, compare_depth
from viz.subjects.variants.facts import compare_scale, count_tied, remove_biases
from viz.subjects.variants.future import read_future
from viz.subjects.variants.heads import compare_heads
from viz.subjects.variants.material import Material
from viz.subjects.variants.norms import compare_norms
from viz.subjects.variants.order import shuffle
from viz.subjects.variants.padding import compare_fills, compare_padding
from viz.subjects.variants.positions import compare_frequencies, compare_movement
from viz.subjects.variants.report import Demonstration


@dataclass(frozen=True)
class Entry:
    """One demonstration on offer."""

    title: str
    explanation: str
    variants: tuple[str, ...]
    """Whose checkpoints it cannot do without; the difference shows in the first."""
    measure: Callable[[Material], Demonstration]


DEMONSTRATIONS = {
    "future": Entry(
        "No causal mask",
        "While a model is trained, the decoder is given the whole right target. Without a causal "
        "mask each row can read the very token that it is to predict. Here the checkpoint that "
        "was trained so, and its weights under a causal mask imposed on them.",
        ("headlist", "paper"),
        read_future,
    ),
    "frequency": Entry(
        "One frequency",
        "A floor division makes every exponent 0, so that all dimensions turn with the position "
        "itself: sin(pos) and cos(pos), over and over. Whole sentences are moved by some places, "
        "source and target alike, to see which places a model cannot tell apart. The variant has "
        "no causal mask either: its losses are those of a decoder that reads ahead.",
        ("headlist", "paper"),
        compare_frequencies,
    ),
    "movement": Entry(
        "The double sine",
        "The exponent doubles an index that already runs over single dimensions, so wavelengths "
        "grow faster, and beside each sine stands another instead of its cosine. What a dimension "
        "spans over the first positions says whether it tells them apart.",
        ("addnorm",),
        compare_movement,
    ),
    "order": Entry(
        "No positions at all",
        "Positions are set to zero by an edit of the running model. Then the source is turned "
        "round, and two tokens of the target change places: what follows their order, and what "
        "knows none?",
        ("paper",),
        shuffle,
    ),
    "norm": Entry(
        "Unbiased std",
        "LayerNorm divides by √(variance + eps) with the variance over n. Two write-ups divide by "
        "std + eps with the std over n − 1. Both are given what the first norm of the paper's "
        "checkpoint reads for the source in view, without weights.",
        ("paper",),
        compare_norms,
    ),
    "fill": Entry(
        "−1e9 or −∞",
        "Both give a hidden key a weight of exactly 0, as long as a row has one key that it may "
        "read. In a row that has none, softmax must make something of nothing.",
        ("paper",),
        compare_fills,
    ),
    "padding": Entry(
        "Padding in the encoder",
        "Padding stands after a source so that it fits into a batch. Where the encoder does not "
        "hide it, tokens read it, and a sentence gets another memory in another batch.",
        ("paper",),
        compare_padding,
    ),
    "heads": Entry(
        "Heads that do not divide",
        "The paper splits d_model evenly among its heads. One write-up rounds down, and lets the "
        "output projection make up the rest.",
        (),
        compare_heads,
    ),
    "depth": Entry(
        "Pre- and post-norm",
        "After the residual connection a norm brings every position back to one length. Before "
        f"the sublayer it leaves the stream free to grow. New models of {DEEP_LAYERS} + "
        f"{DEEP_LAYERS} layers show what that does to the gradients at the start of a training.",
        ("paper", "prenorm"),
        compare_depth,
    ),
    "tied": Entry(
        "Tied weights",
        "Both embeddings and the generator can be one matrix (section 3.4).",
        ("paper",),
        count_tied,
    ),
    "scale": Entry(
        "Scale of embeddings",
        "The paper multiplies embeddings by √d_model (section 3.4), which sets their size against "
        "that of the positions.",
        ("paper",),
        compare_scale,
    ),
    "biases": Entry(
        "Biases of attention",
        "One write-up has none in its four projections. The biases of one projection after the "
        "other are taken out of the paper's checkpoint by edits.",
        ("paper",),
        remove_biases,
    ),
}
