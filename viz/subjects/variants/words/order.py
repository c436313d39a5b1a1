"""What is said of the order of tokens without positions."""

from texts import say, say_of
from viz.pictures.numbers import number_text
from viz.subjects.variants.order import Order
from viz.subjects.variants.report import Report, Table

_ROUNDING = 1e-3
"""What float32 may add up to on logits about 10 when a sum is taken in another order."""


def report_order(found: Order) -> Report:
    """Say what knows of the order, and what does not."""
    header = (
        "",
        say("variants.order_memory"),
        say("variants.order_logits"),
        say("variants.order_swapped"),
    )
    rows = tuple(
        (say_of("variants.order_row", each.name), each.memory, each.logits, each.later_rows)
        for each in (found.own, found.without, found.open)
    )
    verdict = f"{_say_encoder(found)} {_say_decoder(found)}"
    return Report(verdict, (Table(say("variants.order_table"), header, rows),))


def _say_encoder(found: Order) -> str:
    memory = number_text(found.without.memory)
    if found.without.memory >= _ROUNDING:
        return say("variants.encoder_tells", memory=memory)
    logits, own = number_text(found.without.logits), number_text(found.own.memory)
    return say("variants.encoder_bag", memory=memory, logits=logits, own=own)


def _say_decoder(found: Order) -> str:
    without, opened = number_text(found.without.later_rows), number_text(found.open.later_rows)
    if found.without.later_rows > _ROUNDING > found.open.later_rows:
        return say("variants.decoder_keeps", without=without, opened=opened)
    if found.without.later_rows < _ROUNDING:
        return say("variants.decoder_bag", without=without)
    return say("variants.decoder_both", without=without, opened=opened)
