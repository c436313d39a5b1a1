"""What is said of the order of tokens without positions."""

from viz.pictures.numbers import number_text
from viz.subjects.variants.order import Order
from viz.subjects.variants.report import Report, Table

_ROUNDING = 1e-3
"""What float32 may add up to on logits about 10 when a sum is taken in another order."""


def report_order(found: Order) -> Report:
    """Say what knows of the order, and what does not."""
    header = ("", "source reversed: memory", "logits", "two target tokens swapped")
    rows = tuple(
        (each.name, each.memory, each.logits, each.later_rows)
        for each in (found.own, found.without, found.open)
    )
    verdict = f"{_say_encoder(found)} {_say_decoder(found)}"
    return Report(verdict, (Table("Largest change", header, rows),))


def _say_encoder(found: Order) -> str:
    if found.without.memory >= _ROUNDING:
        return (
            "Without positions the encoder still tells the order: its output differs by "
            f"{number_text(found.without.memory)}."
        )
    return (
        "Without positions the encoder sees a bag of words: when the source is reversed, its "
        "output is the same in another order (it differs by "
        f"{number_text(found.without.memory)}, which is rounding), and so are the logits (by "
        f"{number_text(found.without.logits)}). With positions the output differs by "
        f"{number_text(found.own.memory)}."
    )


def _say_decoder(found: Order) -> str:
    without, opened = number_text(found.without.later_rows), number_text(found.open.later_rows)
    if found.without.later_rows > _ROUNDING > found.open.later_rows:
        return (
            "The decoder keeps an order without them: swapping two target tokens changes the later "
            f"rows by {without}, because the causal mask lets each token see only those before it; "
            f"with the mask open too, by {opened}."
        )
    if found.without.later_rows < _ROUNDING:
        return (
            "Nor does the decoder know of an order without them: swapping two target tokens "
            f"changes the later rows by {without}."
        )
    return (
        "The decoder keeps an order, with the causal mask or without: the later rows change by "
        f"{without} and {opened}."
    )
