"""All that the page of the map says: of each block and tensor one sentence, from the config."""

import math
from collections.abc import Sequence

from model.config import Activation, Positions, TransformerConfig
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

SEGMENTS, TRANSFORM = "Segments", "Head transform"
EMBEDDING, POSITIONS, SUM = "Embedding", "Positions", "Sum"
SELF_ATTENTION, MASKED_ATTENTION = "Self-attention", "Masked self-attention"
CROSS_ATTENTION, FEED_FORWARD = "Cross-attention", "Feed forward"
NORM, FINAL_NORM = "Norm", "Final norm"
ADD, ADD_NORM, ADD_NORM_SHORT = "Add", "Add & norm", "+ norm"
LINEAR, SOFTMAX, LOG_SOFTMAX = "Linear", "Softmax", "Log-softmax"
PROBABILITIES, PROBABILITIES_SHORT = "Output probabilities", "Output"
SHIFTED = "shifted right"
WHEN_DECODING = "when decoding"
CANDIDATES_OF_ROW = "The most probable tokens at the selected position."
CANDIDATES = "The most probable tokens at the selected step, by the softmax of the logits."

_TENSORS = {
    "input": "What goes into the layer.",
    "query": "What each position asks with, in every head.",
    "key": "What each position is found by, in every head.",
    "value": "What each position gives to those that read it, in every head.",
    "bias": "What is added to the scores for the distance of query and key, in every head.",
    "scores": "Dot products of queries and keys, {scaled}, before the mask.",
    "mask": "Which keys each query may attend to: 1 may, 0 may not.",
    "weights": "The softmax of the masked scores: each row sums to 1.",
    "heads": "Each head's mix of the values, by its weights.",
    "after_self_attn": "The residual stream after self-attention{norm}.",
    "after_cross_attn": "The residual stream after cross-attention{norm}.",
    "hidden": "The hidden layer of the feed-forward network, after its {activation}.",
    "segments": "What each token is given for the kind of text it is of: all are of the first.",
    "logits": "One number for each token of the {predicted}vocabulary, before the softmax.",
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
_ENDS = {"encoder": "What the encoder hands on.", "decoder": "What the decoder hands on."}
"""Of a model that reads one text and predicts nothing."""
_ACTIVATIONS: dict[Activation, str] = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "GELU, by its tanh formula",
    "silu": "SiLU",
}


def answer(config: TransformerConfig, *, source: int, target: int) -> str:
    """Say which way the tokens go, by this model's own sizes.

    `target` counts the rows of the decoder.
    """
    if not config.has_cross_attention:
        return _answer_of_one_text(config, target if config.has_decoder else source)
    return (
        f"Up, from below: {count(source, 'token')} become {source} × {config.d_model} numbers and "
        f"pass {count(config.n_encoder_layers, 'layer')} of the encoder; the decoder reads what "
        f"came of them, and writes {count(target, 'token')}, one at a time."
    )


def _answer_of_one_text(config: TransformerConfig, length: int) -> str:
    layers = config.n_decoder_layers or config.n_encoder_layers
    ends = "at the top, each says which token it expects next"
    if config.head == "none":
        ends = "at the top, each is a vector that tells of the token and of those around it"
    elif not config.has_decoder:
        ends = "at the top, each says which token stands in its place"
    return (
        f"Up, from below: {count(length, 'token')} become {length} × {config.d_model} numbers and "
        f"pass {count(layers, 'layer')}; {ends}."
    )


def heads(config: TransformerConfig) -> str:
    """Count the heads, and those of keys and values where they are fewer."""
    own = count(config.n_heads, "head")
    if config.key_value_heads == config.n_heads:
        return own
    return f"{own}, {config.key_value_heads} K/V"


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
        if module == "encoder" and not config.has_decoder:
            return {"none": _ENDS["encoder"], "transform": "What the head reads."}.get(
                config.head, _OUTPUTS["decoder"]
            )
        if module == "decoder" and config.head == "none":
            return _ENDS["decoder"]
        if module.endswith("_embedding"):
            stack = "encoder" if module == "source_embedding" else "decoder"
            return embedding_norm(config) if config.embedding_norm else sum_of(config, stack)
        part = module.rpartition(".")[2]
        return _OUTPUTS.get(part, "What the layer hands on: its residual stream at the end.")
    said = _TENSORS[last].format(
        scaled=_scaled(config, name),
        predicted="target " if config.has_cross_attention else "",
        norm=" and the norm" if config.norm_placement == "post" else "",
        activation=_hidden(config),
    )
    never_negative = config.activation == "relu" and not config.gated and is_positive
    return f"{said} None of its values is below 0." if last == "hidden" and never_negative else said


def _scaled(config: TransformerConfig, name: str) -> str:
    usual = math.isclose(config.scale, config.d_k**-0.5)
    said = f"divided by √{config.d_k}" if usual else f"times {number_text(config.scale)}"
    if config.positions in ("alibi", "relative") and ".cross_attn." not in name:
        return f"{said}, plus the bias"
    return said


def _hidden(config: TransformerConfig) -> str:
    name = _ACTIVATIONS[config.activation]
    return f"gate, a {name}, was multiplied in" if config.gated else name


def count(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tokens(side: str) -> str:
    """Say what goes in."""
    if side == "source":
        return "The tokens that the encoder reads."
    return "The tokens so far, <s> first: each row predicts the token that comes next."


def tokens_of(config: TransformerConfig, side: str) -> str:
    """Say what goes in, in a model of one text or two."""
    if config.has_cross_attention:
        return tokens(side)
    if side == "source":
        return "The tokens that the model reads."
    return "The tokens so far: each row predicts the token that comes next."


def embedding(config: TransformerConfig, side: str) -> str:
    """Say what the embedding looks up, how it is scaled, and whose weights it has."""
    vocabulary = config.source_vocab_size if side == "source" else config.target_vocab_size
    parts = [f"A learned vector of {config.d_model} numbers for each of {vocabulary} tokens"]
    if config.scale_embeddings:
        root = f"{math.sqrt(config.d_model):.4g}"
        exact = "=" if math.isqrt(config.d_model) ** 2 == config.d_model else "≈"
        parts.append(f", times √{config.d_model} {exact} {root}")
    if not config.has_cross_attention:
        is_tied = config.tying == "all" and config.head != "none"
        tied = ". Its weights are also those of the linear layer." if is_tied else "."
        return "".join(parts) + tied
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


def sum_of(config: TransformerConfig, stack: str) -> str:
    """Say what is added up before the first layer."""
    if not config.segments and not config.embedding_norm and config.has_position_vectors:
        return embedding_sum(stack)
    parts = ["Embeddings"]
    if config.has_position_vectors:
        parts.append("positions")
    if config.segments:
        parts.append("segments")
    if config.embedding_norm:
        return f"{' plus '.join(parts)}. A click shows them after the norm that follows."
    if len(parts) == 1:
        return f"The embeddings: what the first layer of the {stack} reads."
    return f"{' plus '.join(parts)}: what the first layer of the {stack} reads."


def segments(config: TransformerConfig) -> str:
    """Say what segments are."""
    return (
        f"A learned vector for each of {count(config.segments, 'kind')} of text, such as the first "
        "and the second sentence of a pair. Here all tokens are of the first."
    )


def embedding_norm(config: TransformerConfig) -> str:
    """Say what the norm after the embeddings does."""
    return f"Normalises the sum, and the first layer reads it: {_norm(config)}."


def transform(config: TransformerConfig) -> str:
    """Say what stands between the last layer and the linear one."""
    return (
        f"One more map of {config.d_model} numbers to {config.d_model}, "
        f"{_ACTIVATIONS[config.activation]}, and a norm. A click shows what it reads."
    )


def _attention_of_one_text(
    config: TransformerConfig, kind: AttentionKind, masks: Sequence[str]
) -> str:
    who = "Each token reads all tokens"
    if "window" in masks:
        who = f"Each token reads itself and the {count(config.window - 1, 'token')} before it"
    elif "causal" in masks:
        who = "Each token reads itself and those before it"
    return f"{who}: {_weights(config, kind)}.{_place(config)}{_padding(masks)}"


def _weights(config: TransformerConfig, kind: AttentionKind) -> str:
    usual = math.isclose(config.scale, config.d_k**-0.5)
    scores = f"QKᵀ / √{config.d_k}" if usual else "QKᵀ"
    if not usual and config.scale != 1:
        scores = f"QKᵀ · {number_text(config.scale)}"
    if kind != "cross-attention" and config.positions in ("alibi", "relative"):
        scores += " + bias"
    said = f"weights are softmax({scores}) in {count(config.n_heads, 'head')}"
    if config.key_value_heads == config.n_heads:
        return said
    each = config.n_heads // config.key_value_heads
    return f"{said}, and each {count(each, 'head')} share their keys and values"


def _place(config: TransformerConfig) -> str:
    return {
        "rotary": " Queries and keys are turned by their places.",
        "alibi": " The bias falls with the distance.",
        "relative": " The bias is a learned number for each distance.",
    }.get(config.positions, "")


def _padding(masks: Sequence[str]) -> str:
    return " Padding is hidden." if "padding" in masks else " Nothing hides padding."


def attention(config: TransformerConfig, kind: AttentionKind, masks: Sequence[str]) -> str:
    """Say who reads whom, and what the masks hide."""
    if not config.has_cross_attention:
        return _attention_of_one_text(config, kind, masks)
    parts = {
        "encoder self-attention": "Each source token reads the source tokens",
        "decoder self-attention": "Each target token reads the target tokens",
        "cross-attention": "Each target token reads the encoder's memory of the source",
    }
    if kind == "decoder self-attention":
        later = ", itself and those before it" if "causal" in masks else ", later ones too"
    else:
        later = ""
    place = "" if kind == "cross-attention" else _place(config)
    return f"{parts[kind]}{later}: {_weights(config, kind)}.{place}{_padding(masks)}"


def feed_forward(config: TransformerConfig) -> str:
    """Say what the network does with each position."""
    name = _ACTIVATIONS[config.activation]
    width = f"{config.d_model} numbers become {config.d_ff}"
    if config.gated:
        width += f", each times a gate: the {name} of another {config.d_ff}"
    elif config.activation == "relu":
        width += f", negative ones set to 0 ({name})"
    else:
        width += f", through {name}"
    return f"Each position by itself: {width}, then {config.d_model} again."


def norm_before(config: TransformerConfig) -> str:
    """Say what a norm before its sublayer does. The trace has its input, not its output."""
    return f"Normalises what the sublayer reads: {_norm(config)}. A click shows the norm's input."


def add() -> str:
    """Say how a residual connection ends."""
    return "Adds the sublayer's output to what came in before the norm."


def add_both() -> str:
    """Say how a layer ends whose sublayers stand side by side."""
    return "Adds what attention and feed-forward network give to what came into the layer."


def add_norm(config: TransformerConfig) -> str:
    """Say how a residual connection ends, with a norm after it."""
    return f"Adds the sublayer's output to its input, then normalises: {_norm(config)}."


def final_norm(config: TransformerConfig, stack: str) -> str:
    """Say what the norm after the last layer is for."""
    reader = "the linear layer reads"
    if config.head == "none":
        reader = "the model hands on"
    elif stack == "encoder" and config.has_decoder:
        reader = "every layer of the decoder reads"
    elif config.head == "transform":
        reader = "the head reads"
    return f"One more norm, after the last layer, gives what {reader}: {_norm(config)}."


def linear(config: TransformerConfig) -> str:
    """Say what the last layer gives, and whose weights it has."""
    if not config.has_cross_attention:
        tied_here = " Its weights are those of the embedding." if config.tying == "all" else ""
        every = f"A logit for each of the {config.predicted_vocab_size} tokens it knows"
        return f"{every}, at every position.{tied_here}"
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
