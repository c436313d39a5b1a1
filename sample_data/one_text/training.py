"""Training on single texts: the model that suits a task, its tokenizer, and its examples."""

from collections.abc import Mapping, Sequence
from typing import Any

from model.checkpoints.metadata import CheckpointInfo
from model.config import TransformerConfig
from model.presets import preset
from model.text.text_corpus import KnownToken, TextExample
from model.text.tokenizer import BOS_ID, EOS_ID, MASK_TOKEN, Tokenizers
from sample_data.one_text.tasks import TextTask, load_held_out_texts, load_texts
from sample_data.one_text.text import Text

_DEFAULTS: dict[str, Any] = {
    "norm_placement": "pre",
    "final_norm": True,
    "positions": "rotary",
    "activation": "gelu",
    "tying": "none",
    "generator_bias": False,
    "dropout": 0.0,
}
"""The default choices of a model of one text, as in today's language models."""


def text_config(
    task: TextTask, vocab_size: int, layers: int, overrides: Mapping[str, Any]
) -> TransformerConfig:
    """Make a decoder-only model to predict the next word, else an encoder-only one.

    Embeddings begin with unit variance, which matters: with a fiftieth of it, the output of a head
    drowns the word itself, and heads of two layers find other ways to copy than the one that can be
    read off their weights.
    """
    side, other = ("target", "source") if task.reads == "before" else ("source", "target")
    stack, absent = ("decoder", "encoder") if task.reads == "before" else ("encoder", "decoder")
    sizes = {
        f"{side}_vocab_size": vocab_size,
        f"{other}_vocab_size": 0,
        f"n_{stack}_layers": layers,
        f"n_{absent}_layers": 0,
    }
    return preset("paper", **{**_DEFAULTS, **overrides, **sizes})


def text_tokenizers(task: TextTask) -> Tokenizers:
    """Number the words of a task; both sides are the same tokenizer."""
    between = " " if task.units == "word" else ""
    side = Tokenizers.train(
        [between.join(task.words)],
        [],
        source_kind=task.units,
        target_kind=task.units,
        shared=False,
    ).source
    return Tokenizers(side, side, shared=True)


def describe_text(
    task: TextTask,
    layers: int,
    overrides: Mapping[str, Any],
    name: str | None = None,
    title: str | None = None,
) -> CheckpointInfo:
    """Describe the training on a task."""
    tokenizers = text_tokenizers(task)
    config = text_config(task, tokenizers.target.vocab_size, layers, overrides)
    return CheckpointInfo(
        name=name or task.name,
        title=title or task.title,
        variant="custom",
        task=task.name,
        config=config,
        tokenizers=tokenizers,
    )


def encode_texts(
    texts: Sequence[Text], task: TextTask, vocabulary: Mapping[str, int]
) -> list[TextExample]:
    """Turn texts of a task into ids: `<s>` before texts read from left to right, `</s>` last."""
    before = (BOS_ID,) if task.reads == "before" else ()
    after = (EOS_ID,) if task.ends else ()
    mask = vocabulary[MASK_TOKEN] if task.reads == "around" else None
    choices = {
        sets: tuple(tuple(sorted(vocabulary[word] for word in one)) for one in sets)
        for sets in task.choices
    }

    def encode(text: Text) -> TextExample:
        words = task.split(text.text)
        known: list[KnownToken] = []
        for each in text.known:
            found = task.choice(words[each.word])
            known.append(
                KnownToken(
                    index=each.word + len(before),
                    looks=tuple(place + len(before) for place in each.looks),
                    kind=each.kind,
                    choices=choices[found[1]] if found else (),
                    right=found[1].index(found[0]) if found else vocabulary[words[each.word]],
                )
            )
        ids = (*before, *(vocabulary[word] for word in words), *after)
        return TextExample(ids, tuple(known), mask)

    return [encode(text) for text in texts]


def text_examples(
    task: TextTask, tokenizers: Tokenizers, count: int | None = None
) -> tuple[list[TextExample], list[TextExample]]:
    """Return the examples to train on, and the held-out ones."""
    vocabulary = tokenizers.target.vocabulary
    training = encode_texts(load_texts(task.name, count), task, vocabulary)
    return training, encode_texts(load_held_out_texts(task.name), task, vocabulary)
