"""What is said of a decoder that reads the tokens it is to predict."""

import numpy as np

from viz.pictures.numbers import number_text, percent_text
from viz.run.reading_ahead import say_imposed
from viz.subjects.variants.future import Future, Reading
from viz.subjects.variants.report import Report, Table


def report_future(found: Future) -> Report:
    """Say whether it reads ahead, and what that is worth."""
    if found.later.max() > 0:
        imposed = say_imposed(found.own.loss, found.masked.loss)
        verdict = f"{_reads_ahead(found)} {_on_its_own(found.own)} {imposed}"
    else:
        name = found.own.name
        verdict = (
            f"No weight falls on later tokens: {name} cannot read ahead. {_on_its_own(found.own)}"
        )
    return Report(verdict, (_readings(found), _weights(found)))


def _reads_ahead(found: Future) -> str:
    layer, head = np.unravel_index(found.following.argmax(), found.following.shape)
    return (
        f"It reads ahead: head {head} of layer {layer} puts "
        f"{percent_text(found.following[layer, head])} of a row's weight on the token that the row "
        f"is to predict. Given the correct target, it gets {percent_text(found.own.accuracy)} of "
        f"the tokens right, with a loss of {number_text(found.own.loss)} (the paper's: "
        f"{number_text(found.paper.loss)})."
    )


def _on_its_own(own: Reading) -> str:
    if own.exact_match is None:
        return f"On its own it writes “{own.written}” here."
    return f"On its own it gets {percent_text(own.exact_match)} of held-out sentences right."


def _readings(found: Future) -> Table:
    header = (
        "",
        "loss, nats a token",
        "right tokens, given the target",
        "right sentences, on its own",
        "writes here, on its own",
    )
    rows = tuple(
        (
            each.name,
            each.loss,
            percent_text(each.accuracy),
            "not measured" if each.exact_match is None else percent_text(each.exact_match),
            each.written or "(nothing)",
        )
        for each in (found.own, found.masked, found.paper)
    )
    return Table("On its own, and given the correct target", header, rows)


def _weights(found: Future) -> Table:
    heads = tuple(f"head {head}" for head in range(found.later.shape[1]))
    rows = tuple(
        (
            f"layer {layer}",
            *(f"{percent_text(a)}; {percent_text(b)}" for a, b in zip(*shares, strict=True)),
        )
        for layer, shares in enumerate(zip(found.later, found.following, strict=True))
    )
    title = "Share of a row's weight on all later tokens; on the very next one alone"
    return Table(title, ("", *heads), rows)
