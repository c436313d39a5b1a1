"""Words of the sidebar, the sentence bar and the messages that depend on values or cases."""

from collections.abc import Mapping, Sequence
from typing import Literal

from model.foreign.unrecorded import NO_ATTENTION, SOFTMAX
from texts import listed, named, say, say_of
from viz.pictures.numbers import number_text, percent_text

KEYS = (
    ("← → ↑ ↓", "cell"),
    ("← → Home End", "steps"),
    ("Space", "play"),
    ("+ − Enter", "pull"),
    ("x", "cut"),
    ("[ ]", "layer"),
    (", .", "head"),
    ("c", "compare"),
    ("p", "pin"),
    ("x", "off"),
    ("u, Shift u", "undo"),
    ("b", "before"),
    ("a", "slide"),
    ("PageUp PageDown", "page"),
    ("?", "list"),
)
"""Keys of the keyboard, and the key of the text about each."""
VARIANTS = ("paper", "addnorm", "temperature", "prenorm", "headlist", "tied")
DEVICES = {"cpu": "CPU", "cuda": "CUDA", "mps": "MPS"}
_LONGEST_IN_TITLE = 40

PARTS = (
    "noun",
    "verb",
    "adjective",
    "adverb",
    "determiner",
    "pronoun",
    "preposition",
    "auxiliary",
    "conjunction",
    "negation",
    "word",
    "punctuation",
)
"""Parts of speech, in the order of the list of known words."""

Side = Literal["source", "target"]


def keys() -> list[tuple[str, str]]:
    """List the keys, and what each does."""
    return [(key, say_of("frame.key", name)) for key, name in KEYS]


def variant_title(variant: str) -> str:
    """Return the title of a variant, which names its most visible difference from the paper."""
    return say_of("frame.variant", variant)


def part_of(part: str | None, word: str) -> str:
    """Return the part of speech in the list of words; punctuation if it has no letter or digit."""
    if not any(map(str.isalnum, word)):
        return "punctuation"
    return part if part in PARTS else "word"


def own_title(title: str, step: int | None) -> str:
    """Return the title of a checkpoint that a person kept from their own training."""
    if step is None:
        return say("frame.own_title", title=title)
    return say("frame.own_title_step", title=title, step=step)


def cannot_know(unknown: Sequence[str], count: int) -> str:
    """Describe the words that a model does not know, before its output; `count` is their number."""
    parts = [say("frame.quoted", word=word) for word in unknown]
    if more := count - len(unknown):
        parts.append(say("frame.more_words", count=more))
    return say("frame.cannot_know", words=listed(parts))


def page_title(page: str = "", sentence: str = "") -> str:
    """Return the title of the browser tab, with the page and its sentence."""
    words = " ".join(sentence[: 4 * _LONGEST_IN_TITLE].split())
    if len(words) > _LONGEST_IN_TITLE:
        words = f"{words[: _LONGEST_IN_TITLE - 1].rstrip()}…"
    return " · ".join(part for part in (page, words, "Loupe") if part)


def only_reads(mask: str | None) -> str:
    """Say that a model does not write, and how it can be made to guess a word."""
    return say("frame.only_reads") if mask is None else say("frame.only_reads_mask", mask=mask)


def guessed(token: str, probability: float) -> str:
    """Describe the guess of a model for a hidden word."""
    return say("frame.guessed", token=token, share=percent_text(probability))


def field_label(kind: str, side: Side) -> str:
    """Return the label of a text field: "English source", or "Source" for your own task."""
    if side == "source":
        return named("frame.field_source", kind) or say_of("frame.side", side)
    return named("frame.field_target", kind) or say_of("frame.side", side)


def model_facts(  # noqa: D417 - the other names explain themselves
    title: str,
    *,
    layers: tuple[int, int],
    heads: int,
    parameters: int,
    device: str,
    precision: str | None,
) -> str:
    """Describe a model: its title, its size, and its device.

    Args:
        layers: Layers of the encoder and of the decoder, 0 for a missing one.
        precision: Type of the model's numbers, if it is less precise than float32.
    """
    found = [count for count in layers if count]
    depth = " + ".join(map(str, found))
    on = [DEVICES[device]] if precision is None else [DEVICES[device], in_precision(precision)]
    values = {
        "title": title,
        "depth": say("frame.layers", depth=depth, count=sum(found)),
        "heads": say("frame.heads", count=heads),
        "parameters": parameters,
        "device": ", ".join(on),
    }
    return say("frame.model_facts", **values)


def in_precision(precision: str) -> str:
    """Describe the precision of a model that computes in fewer digits than float32."""
    digits = {"bfloat16": 3, "float16": 4}[precision]
    return say("frame.precision", precision=precision, digits=digits)


def model_scores(right: float, count: int, weakest: tuple[str, float] | None) -> str:
    """Describe how often a model is right, and the construction that it gets wrong most often."""
    said = say("frame.scores", texts=count, share=percent_text(right))
    if weakest is None or weakest[1] >= right:
        return said
    name, share = weakest
    return f"{said} {say('frame.weakest', name=name, least=percent_text(share))}"


def recorded_difference(largest: float) -> str:
    """Describe the largest difference between a recorded pass and one without recording."""
    if largest == 0:
        return say("frame.recorded_same")
    return say("frame.recorded_difference", most=f"{largest:.1g}")


def missing_parts(missing: Mapping[str, str], numbers: Sequence[int] = ()) -> list[str]:
    """List the parts of a recorded model that ran but are not shown, and the shown layers.

    Args:
        missing: The reason why each part was not recorded, by path.
        numbers: The numbers of the shown layers in the model, if others lie between them.
    """
    layers = [path for path, why in missing.items() if why == NO_ATTENTION]
    attentions = [path for path, why in missing.items() if why == SOFTMAX]
    said = []
    if layers:
        said.append(say("frame.missing_layers", names=_first_paths(layers)))
    if attentions:
        said.append(say("frame.missing_softmax", names=_first_paths(attentions)))
    if numbers:
        said.append(say("frame.layer_numbers", numbers=listed([str(each) for each in numbers])))
    return said


def _first_paths(paths: Sequence[str]) -> str:
    more = len(paths) - _NAMED
    if more <= 0:
        return listed(paths)
    return say("frame.missing_more", names=", ".join(paths[:_NAMED]), count=more)


_NAMED = 4
"""Most paths in a sentence."""


def carried_over(carried: Sequence[tuple[str, str]]) -> str:
    """Say which words the translation copies, and the kind of each: ("laptop", "a noun")."""
    if len(carried) == 1:
        [(word, kind)] = carried
        return say("frame.carried_one", word=word, kind=kind)
    parts = [say("frame.word_and_kind", word=word, kind=kind) for word, kind in carried]
    return say("frame.carried", words=listed(parts))


def what_changes_did(count: int, *, given: bool) -> str:
    """Describe how many words of the output changed."""
    if given:
        return say("frame.changed_given")
    if count == 0:
        return say("frame.changed_nothing")
    return say("frame.changed_words", count=count)


def nats(value: float) -> str:
    """Write a value with its unit, nats."""
    return say("frame.nats", value=number_text(value))
