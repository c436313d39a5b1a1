"""All that the page of the map says: of each block and tensor one sentence, from the config."""

import math
from collections.abc import Sequence

from model.config import Positions, TransformerConfig
from viz.pictures.numbers import number_text
from viz.run import config_words
from viz.run.record import AttentionKind

NORM_NAMES = {"layer": "LayerNorm", "unbiased_std": "unbiased std", "rms": "RMSNorm"}

TITLE = "Map"
QUESTION = "Where does the sentence go?"
TENSOR_FOLD = "Any tensor, in numbers and as a file"
ANY_TENSOR = "Any tensor of this run"
TENSOR_FILE = "This tensor (CSV)"
RUN_FILE = "All tensors of the run (NPZ)"

EMBEDDING, POSITIONS, SUM = "Embedding", "Positions", "Sum"
SELF_ATTENTION, MASKED_ATTENTION = "Self-attention", "Masked self-attention"
CROSS_ATTENTION, FEED_FORWARD = "Cross-attention", "Feed forward"
NORM, FINAL_NORM = "Norm", "Final norm"
ADD, ADD_NORM, ADD_NORM_SHORT = "Add", "Add & norm", "+ norm"
LINEAR, SOFTMAX, LOG_SOFTMAX = "Linear", "Softmax", "Log-softmax"
PROBABILITIES, PROBABILITIES_SHORT = "Output probabilities", "Output"
SHIFTED = "shifted right"
WHEN_DECODING = "when decoding"
CANDIDATES = "The most probable tokens at the selected step, by the softmax of the logits."

_TENSORS = {
    "input": "What goes into the layer.",
    "query": "What each position asks with, in every head.",
    "key": "What each position is found by, in every head.",
    "value": "What each position gives to those that read it, in every head.",
    "scores": "Dot products of queries and keys, divided by √{d_k}, before the mask.",
    "mask": "Which keys each query may attend to: 1 may, 0 may not.",
    "weights": "The softmax of the masked scores: each row sums to 1.",
    "heads": "Each head's mix of the values, by its weights.",
    "after_self_attn": "The residual stream after self-attention{norm}.",
    "after_cross_attn": "The residual stream after cross-attention{norm}.",
    "hidden": "The hidden layer of the feed-forward network, after its {activation}.",
    "logits": "One number for each token of the target vocabulary, before the softmax.",
    "probabilities": "The softmax of the logits: what each next token is chosen by.",
}
"""By the last part of a tensor's name; the other parts tell where it stands."""
_OUTPUTS = {
    "encoder": "The memory: what cross-attention reads in every layer of the decoder.",
    "decoder": "What the final linear layer reads.",
    "self_attn": "All heads side by side, through the output projection.",
    "cross_attn": "All heads side by side, through the output projection.",
    "feed_forward": "What the feed-forward network adds.",
}
"""Of tensors called output, by the module that gives them; of others, the residual stream."""
_ACTIVATION = "ReLU"


def answer(config: TransformerConfig, *, source: int, target: int) -> str:
    """Say which way the tokens go, by this model's own sizes."""
    return (
        f"Up, from below: {count(source, 'token')} become {source} × {config.d_model} numbers and "
        f"pass {count(config.n_encoder_layers, 'layer')} of the encoder; the decoder reads what "
        f"came of them, and writes {count(target, 'token')}, one at a time."
    )


def tokens_label(side: str, length: int) -> str:
    """Name the tokens that go in."""
    return f"{side.capitalize()}, {count(length, 'token')}"


def embedding_label(side: str) -> str:
    """Name the embedding of one side."""
    return f"{side.capitalize()} embedding"


def position_name(kind: Positions) -> str:
    """Name a kind of positions."""
    return config_words.POSITIONS[kind].name


def whose_run(*, given: bool) -> str:
    """Say which run the map shows, beside pages that play other ones too."""
    return f"This map shows {'the target that you gave' if given else 'the greedy run'}."


def unknown_tensor(asked: str, shown: str) -> str:
    """Say, in Markdown, that no tensor has the name that was asked for."""
    return f"There is no tensor called {asked}. Showing {shown}."


def head_name(head: int) -> str:
    """Name one head's matrix."""
    return f"head {head}"


def first_heads(shown: int, heads: int) -> str:
    """Say that not all heads are drawn."""
    return f"The first {shown} of {heads} heads; the file has them all."


def value_range(smallest: float, largest: float, *, is_probability: bool) -> str:
    """Say between which values the colours run."""
    colours = "run from 0 to 1" if is_probability else "are centred on 0"
    values = f"Values from {number_text(smallest)} to {number_text(largest)}"
    return f"{values}; the colours {colours}."


def tensor(config: TransformerConfig, name: str, *, is_positive: bool) -> str:
    """Say what a tensor of a run is; `is_positive` where none of its values is below 0."""
    module, _, last = name.rpartition(".")
    if name == "output":
        return output(config)
    if last == "tokens":
        return embedding(config, module.removesuffix("_embedding"))
    if last == "positions":
        return positions(config)
    if last == "output":
        if module.endswith("_embedding"):
            return embedding_sum("encoder" if module == "source_embedding" else "decoder")
        part = module.rpartition(".")[2]
        return _OUTPUTS.get(part, "What the layer hands on: its residual stream at the end.")
    said = _TENSORS[last].format(
        d_k=config.d_k,
        norm=" and the norm" if config.norm_placement == "post" else "",
        activation=_ACTIVATION,
    )
    return f"{said} None of its values is below 0." if last == "hidden" and is_positive else said


def count(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tokens(side: str) -> str:
    """Say what goes in."""
    if side == "source":
        return "The tokens that the encoder reads."
    return "The tokens so far, <s> first: each row predicts the token that comes next."


def embedding(config: TransformerConfig, side: str) -> str:
    """Say what the embedding looks up, how it is scaled, and whose weights it has."""
    vocabulary = config.source_vocab_size if side == "source" else config.target_vocab_size
    parts = [f"A learned vector of {config.d_model} numbers for each of {vocabulary} tokens"]
    if config.scale_embeddings:
        root = f"{math.sqrt(config.d_model):.4g}"
        exact = "=" if math.isqrt(config.d_model) ** 2 == config.d_model else "≈"
        parts.append(f", times √{config.d_model} {exact} {root}")
    shared = {
        "none": {},
        "decoder": {"target": "the linear layer"},
        "all": {
            "source": "the target embedding and the linear layer",
            "target": "the source embedding and the linear layer",
        },
    }[config.tying].get(side)
    return "".join(parts) + (f". Its weights are also those of {shared}." if shared else ".")


def positions(config: TransformerConfig) -> str:
    """Say how positions are told apart."""
    longest = 10000 ** ((config.d_model - 2) / config.d_model)
    words = config_words.POSITIONS[config.positions].sentence
    return words.format(longest=longest, most=config.max_length)


def embedding_sum(stack: str) -> str:
    """Say what the first layer reads."""
    return f"Embeddings plus positions: what the first layer of the {stack} reads."


def attention(config: TransformerConfig, kind: AttentionKind, masks: Sequence[str]) -> str:
    """Say who reads whom, and what the masks hide."""
    parts = {
        "encoder self-attention": "Each source token reads the source tokens",
        "decoder self-attention": "Each target token reads the target tokens",
        "cross-attention": "Each target token reads the encoder's memory of the source",
    }
    if kind == "decoder self-attention":
        later = ", itself and those before it" if "causal" in masks else ", later ones too"
    else:
        later = ""
    hidden = " Padding is hidden." if "padding" in masks else " Nothing hides padding."
    weights = f"weights are softmax(QKᵀ / √{config.d_k})"
    return f"{parts[kind]}{later}: {weights} in {count(config.n_heads, 'head')}.{hidden}"


def feed_forward(config: TransformerConfig) -> str:
    """Say what the network does with each position."""
    width = f"{config.d_model} numbers become {config.d_ff}, negative ones set to 0 ({_ACTIVATION})"
    return f"Each position by itself: {width}, then {config.d_model} again."


def norm_before(config: TransformerConfig) -> str:
    """Say what a norm before its sublayer does. The trace has its input, not its output."""
    return f"Normalises what the sublayer reads: {_norm(config)}. A click shows the norm's input."


def add() -> str:
    """Say how a residual connection ends."""
    return "Adds the sublayer's output to what came in before the norm."


def add_norm(config: TransformerConfig) -> str:
    """Say how a residual connection ends, with a norm after it."""
    return f"Adds the sublayer's output to its input, then normalises: {_norm(config)}."


def final_norm(config: TransformerConfig, stack: str) -> str:
    """Say what the norm after the last layer is for."""
    reader = "every layer of the decoder reads" if stack == "encoder" else "the linear layer reads"
    return f"One more norm, after the last layer, gives what {reader}: {_norm(config)}."


def linear(config: TransformerConfig) -> str:
    """Say what the last layer gives, and whose weights it has."""
    tied = {
        "none": "",
        "decoder": " Its weights are those of the target embedding.",
        "all": " Its weights are those of both embeddings.",
    }
    scores = f"A logit for each of the {config.target_vocab_size} target tokens"
    return f"{scores}, at every position.{tied[config.tying]}"


def output(config: TransformerConfig) -> str:
    """Say what the variant hands on."""
    return {
        "logits": "The model hands on the logits; the softmax is taken when a token is chosen.",
        "log_softmax": "The model hands on the logarithms of the softmax of the logits.",
        "softmax": "The model hands on the softmax of the logits: probabilities.",
    }[config.output]


def _norm(config: TransformerConfig) -> str:
    if config.norm == "layer":
        return "LayerNorm, each position to mean 0 and variance 1, then scaled and shifted"
    eps = number_text(config.norm_eps)
    if config.norm == "rms":
        return f"x / √(mean of its squares + {eps}), then scaled; no mean is taken off"
    return f"(x − mean) / (std + {eps}), std with n − 1, then scaled and shifted"
