"""What each demonstration is about: its title, and what is measured."""

from viz.subjects.variants.depth import DEEP_LAYERS

EXPLANATIONS: dict[str, tuple[str, str]] = {
    "future": (
        "No causal mask",
        "While a model is trained, its decoder is given the whole correct target. Without a causal "
        "mask each row can read the very token that it is to predict. Here is the checkpoint that "
        "was trained this way, and its weights with a causal mask imposed on them.",
    ),
    "frequency": (
        "One frequency",
        "A floor division makes every exponent 0, so that all dimensions turn with the position "
        "itself: sin(pos) and cos(pos), over and over. Whole sentences are moved by some places, "
        "source and target alike, to see which places a model cannot tell apart. The variant has "
        "no causal mask either: its losses are those of a decoder that reads ahead.",
    ),
    "movement": (
        "The double sine",
        "The exponent doubles an index that already runs over single dimensions, so wavelengths "
        "grow faster, and beside each sine stands another instead of its cosine. The range of a "
        "dimension over the first positions says whether it tells them apart.",
    ),
    "order": (
        "No positions at all",
        "Positions are set to zero by an edit of the running model. Then the source is reversed, "
        "and two tokens of the target are swapped: what follows their order, and what knows of "
        "none?",
    ),
    "norm": (
        "Unbiased std",
        "LayerNorm divides by √(variance + eps) with the variance over n. Two write-ups divide by "
        "std + eps with the std over n − 1. Both are given what the first norm of the paper's "
        "checkpoint reads for the source in view, without learned weights.",
    ),
    "fill": (
        "−1e9 or −∞",
        "Both give a hidden key a weight of exactly 0, as long as a row has at least one key that "
        "it may read. In a row that has none, softmax must make something of nothing.",
    ),
    "padding": (
        "Padding in the encoder",
        "Padding stands after a source so that it fits into a batch. Where the encoder does not "
        "hide it, tokens read it, and a sentence gets another memory in another batch.",
    ),
    "heads": (
        "Heads that do not divide",
        "The paper splits d_model evenly among its heads. One write-up rounds down, and lets the "
        "output projection make up the rest.",
    ),
    "depth": (
        "Pre- and post-norm",
        "After the residual connection, a norm gives every position a length that its own learned "
        "weights decide. Before the sublayer, it leaves the stream free to grow. New models of "
        f"{DEEP_LAYERS} + {DEEP_LAYERS} layers show what that does to the gradients at the start "
        "of training.",
    ),
    "tied": (
        "Tied weights",
        "Both embeddings and the generator can be one matrix (section 3.4).",
    ),
    "scale": (
        "Scale of embeddings",
        "The paper multiplies embeddings by √d_model (section 3.4), which sets their size against "
        "that of the positions.",
    ),
    "biases": (
        "Biases of attention",
        "One write-up has none in its four projections. The biases of one projection after another "
        "are taken out of the paper's checkpoint by edits.",
    ),
}
"""By the demonstration's name, in the order in which they are offered."""
