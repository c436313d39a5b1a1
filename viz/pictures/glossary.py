"""The words of the field, each explained in a sentence or two where it stands on a page."""

import re
from typing import NamedTuple, TypedDict

from markupsafe import Markup

from viz.pictures.component import picture
from viz.pictures.tokens import escape

_glossary = picture("glossary", "pictures/browser/glossary.js")


class Term(NamedTuple):
    """A word of the field."""

    name: str
    """As the list of all terms has it."""
    text: str
    """True of every model that Loupe can run, not only of the one on the page."""


class WireTerm(TypedDict):
    """A term as the browser reads it."""

    key: str
    group: str
    name: str
    text: str


TERMS: dict[str, dict[str, Term]] = {
    "Attention": {
        "attention": Term(
            "Attention",
            "How a token takes in others: it gives each of them a weight, and mixes what they hand "
            "over by those weights.",
        ),
        "self-attention": Term(
            "Self-attention", "Attention within one sentence: its tokens read each other."
        ),
        "cross-attention": Term(
            "Cross-attention",
            "Attention from one sentence to another: each token being written reads the source.",
        ),
        "query": Term(
            "Query",
            "What a token asks with: a short vector that is compared with the key of every token "
            "it may read.",
        ),
        "key": Term(
            "Key",
            "What a token is found by: a short vector that the queries are compared with.",
        ),
        "value": Term(
            "Value",
            "What a token hands over to those that read it, in proportion to the weight they give "
            "it.",
        ),
        "score": Term(
            "Score",
            "How well a query fits a key: their dot product divided by √d_k. The softmax turns a "
            "row of scores into weights.",
        ),
        "weight": Term(
            "Weight (of attention)",
            "The share of its attention that one token gives to another, between 0 and 1. The "
            "weights of a row add up to 1.",
        ),
        "softmax": Term(
            "Softmax",
            "Turns any numbers into shares that add up to 1. A number that is larger by 1 gets a "
            "share 2.7 times as large, so the largest tend to take nearly everything.",
        ),
        "head": Term(
            "Head",
            "One of several attentions that work side by side in a layer. Each has queries, keys "
            "and values of its own, so each can look for something else.",
        ),
        "d_k": Term(
            "d_k",
            "How many numbers a query and a key have in one head. The longer they are, the larger "
            "their dot products become, which is why scores are divided by √d_k.",
        ),
    },
    "The model": {
        "transformer": Term(
            "Transformer",
            "A network that reads all the tokens of a sentence at once and lets them look at each "
            "other by attention, layer after layer.",
        ),
        "token": Term(
            "Token",
            "A piece of text that the model treats as one unit: a word, a part of a word, a letter "
            "or a punctuation mark. A few, such as </s>, are signals and not text.",
        ),
        "vocabulary": Term(
            "Vocabulary", "All the tokens that a model knows. It can neither read nor write others."
        ),
        "unknown": Term(
            "Unknown word (<unk>)",
            "A word that is not in the vocabulary. The model reads the same <unk> for all of them, "
            "so it cannot tell one from another.",
        ),
        "embedding": Term(
            "Embedding",
            "The list of numbers by which the model represents a token. It is learned, and tokens "
            "that are used alike end up with similar lists.",
        ),
        "positional encoding": Term(
            "Positional encoding",
            "Numbers that stand for a token's place in the sentence and are added to its "
            "embedding. Without them, attention would not notice the order of the words.",
        ),
        "encoder": Term("Encoder", "The half of the model that reads the source sentence."),
        "decoder": Term(
            "Decoder",
            "The half of the model that writes the target, one token after the other, while it "
            "reads what it has written and what the encoder made of the source.",
        ),
        "memory": Term(
            "Memory",
            "What the encoder hands to the decoder: one vector for each token of the source. "
            "Cross-attention reads it.",
        ),
        "layer": Term(
            "Layer",
            "One round of attention followed by a feed-forward network. Each layer works on what "
            "the layer below it has made. Layers are counted from 0.",
        ),
        "residual": Term(
            "Residual connection",
            "The way past a part of a layer: what the part computes is added to what went into it, "
            "so that nothing is lost on the way up.",
        ),
        "norm": Term(
            "Norm",
            "Layer normalisation: it brings the numbers of one position to a common average and "
            "spread, then scales and shifts each of them by learned amounts.",
        ),
        "feed-forward": Term(
            "Feed-forward network",
            "The other half of a layer: it works on each position by itself, without a look at the "
            "others.",
        ),
        "hidden state": Term(
            "Hidden state", "The vector that stands for one position somewhere inside the model."
        ),
        "dimension": Term("Dimension", "One number of a vector, by its place in the vector."),
        "checkpoint": Term(
            "Checkpoint", "A trained model as it was saved: all that it has learned, in a file."
        ),
    },
    "Masks": {
        "mask": Term(
            "Mask",
            "Says which keys a query may not read. Their scores become minus infinity, so the "
            "softmax gives them a weight of exactly 0.",
        ),
        "causal": Term(
            "Causal mask",
            "Keeps a token from reading those after it. Without it, the decoder could copy the "
            "answer during training instead of learning to find it.",
        ),
        "padding": Term(
            "Padding (<pad>)",
            "Empty tokens that make the sentences of a batch equally long. A mask keeps the others "
            "from reading them.",
        ),
    },
    "Writing": {
        "logit": Term(
            "Logit",
            "The number that the model gives to each token of its vocabulary as the next one. The "
            "softmax turns the logits into probabilities.",
        ),
        "probability": Term(
            "Probability",
            "How likely a token is as the next one in the model's own estimate, between 0 and 1.",
        ),
        "step": Term("Step", "The writing of one token. Steps are counted from 0."),
        "greedy": Term("Greedy decoding", "Writes the most probable token at each step."),
        "beam": Term(
            "Beam search",
            "Keeps several beginnings of a translation and goes on with those that are most "
            "probable as a whole, so a poor start can be made good later.",
        ),
        "sampling": Term(
            "Sampling", "Draws each next token by chance, by the probabilities of all tokens."
        ),
        "temperature": Term(
            "Temperature",
            "Divides the logits before the softmax. Below 1, the most probable tokens gain; above "
            "1, the improbable ones do.",
        ),
        "teacher forcing": Term(
            "Teacher forcing",
            "The decoder is given a target to read, token by token, whatever it would have written "
            "itself. This is how the model is trained.",
        ),
        "gold": Term(
            "Gold",
            "What is known to be right: the correct target, or which words of source and target "
            "belong together. The model never sees it while it writes.",
        ),
    },
    "Measures and training": {
        "entropy": Term(
            "Entropy",
            "How widely something is spread. It is 0 where one token gets everything, and largest "
            "where all tokens get the same.",
        ),
        "jensen-shannon divergence": Term(
            "Jensen-Shannon divergence",
            "How far two ways to share something out are apart, in bits: 0 where they are the "
            "same, 1 where nothing is shared out to the same.",
        ),
        "chance": Term(
            "Chance",
            "What one would measure if nothing had been learned. Only what lies well above it says "
            "anything.",
        ),
        "loss": Term(
            "Loss",
            "How wrong the model is: the less probability it gives to the right token, the larger "
            "the loss. Training makes it small.",
        ),
        "label smoothing": Term(
            "Label smoothing",
            "During training, a small part of what is asked for goes to all other tokens, so that "
            "the model does not become too sure of itself.",
        ),
        "learning rate": Term(
            "Learning rate",
            "How far one step of training moves the weights of the model. The paper lets it rise "
            "first, then fall.",
        ),
    },
}
"""By group, and there by the key that `term` takes."""

_BY_KEY = {key: term for terms in TERMS.values() for key, term in terms.items()}
_MENTION = re.compile(
    r"<em>[^<]*</em>|<[^>]*>|(?<![\w-])(?P<key>{})s?(?![\w-])".format(
        "|".join(sorted(map(re.escape, _BY_KEY), key=len, reverse=True))
    ),
    re.IGNORECASE,
)
"""A token, a tag, or a term; linear in the length of a text."""


def term(key: str, shown: str = "") -> Markup:
    """Write a term that says what it means when it is pointed at, focused or tapped.

    Args:
        key: One of those in TERMS.
        shown: The words on the page where they are not the key, such as a plural.
    """
    if key not in _BY_KEY:
        raise ValueError(f"a term must be one of {', '.join(_BY_KEY)}, got {key}")
    return Markup(
        '<span class="loupe-term" role="button" tabindex="0" aria-expanded="false" '
        'data-term="{}">{}</span>'
    ).format(escape(key), escape(shown or key))


def explained(text: str) -> Markup:
    """Write a text of our own so that the first mention of each term in it can be asked.

    A term is found as its key stands, in small letters or with a capital, and with an "s" at its
    end or without; the longest one counts. Tokens, which are `<em>` in Markup, are none.
    """
    safe = escape(text)
    parts: list[Markup] = []
    seen: set[str] = set()
    position = 0
    for found in _MENTION.finditer(safe):
        key = (found["key"] or "").casefold()
        if key and key not in seen:
            seen.add(key)
            start, end = found.span()
            parts += [safe[position:start], term(key, safe[start:end])]
            position = end
    return Markup().join([*parts, safe[position:]])


def show_glossary() -> None:
    """Let the terms on the page answer, and put the list of them all below it. Once for a page."""
    _glossary(key="glossary", data={"terms": wire_terms()})


def wire_terms() -> list[WireTerm]:
    """List all terms in the order of the list."""
    return [
        {"key": key, "group": group, "name": term.name, "text": term.text}
        for group, terms in TERMS.items()
        for key, term in terms.items()
    ]
