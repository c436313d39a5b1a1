"""Sentences on the parts that a run leaves out: attentions, layers, windows of an image."""

from collections.abc import Iterator, Mapping, Sequence

from loupe.records import AxisNames, Record
from model.traces import Layers

_NAMED = 4
"""The number of paths that a sentence names."""


def missing_words(missing: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each reason why something was not recorded."""
    for why in dict.fromkeys(missing.values()):
        paths = [path for path, said in missing.items() if said == why]
        said = f"{listed(paths)}; " if any(paths) else ""
        yield f"Not recorded: {said}{why}."


def part_words(axes: Mapping[str, AxisNames]) -> Iterator[str]:
    """Yield a sentence for each number of parts into which attentions cut a text or an image."""
    found: dict[tuple[int, bool], list[str]] = {}
    for name, each in axes.items():
        if each.parts > 1:
            found.setdefault((each.parts, each.of_image), []).append(name)
    for (parts, of_image), names in found.items():
        word = "window" if of_image else "part"
        whole = "image" if of_image else "input"
        yield (
            f"{listed(names)}: weights[0] is {word} 1 of {parts} of the {whole}, and its rows and "
            f"columns are numbered within the {word}."
        )


def numbers_words(record: Record) -> Iterator[str]:
    """Yield a sentence for each stack whose recorded layers have others between them."""
    for name in ("encoder", "decoder"):
        layers = getattr(getattr(record, name, None), "layers", ())
        if isinstance(layers, Layers):
            numbers = listed([str(number) for number in layers.numbers])
            yield (
                f"The picture shows these layers of the model's {name}, counted from 0: {numbers}."
            )


def listed(names: Sequence[str]) -> str:
    """List names in a sentence, the first of many."""
    more = len(names) - _NAMED
    shown = ", ".join(name or "the model itself" for name in names[:_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
