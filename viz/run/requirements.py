"""Requirements of pages: each function returns why a page has nothing to show, or None."""

from collections.abc import Callable

from model.anatomy import Anatomy
from texts import say


def running_again(anatomy: Anatomy) -> str | None:
    """Need a model in Loupe's own code, whose parts can run again, also with changes."""
    return say("need.running_again") if anatomy.is_recorded else None


def all_of(*needs: Callable[[Anatomy], str | None]) -> Callable[[Anatomy], str | None]:
    """Need several things; the reason names the first that is missing."""
    return lambda anatomy: next((why for need in needs if (why := need(anatomy))), None)


def translating(anatomy: Anatomy) -> str | None:
    """Need a model that reads one text and writes another."""
    return None if anatomy.translates else say("need.translating")


def writing(anatomy: Anatomy) -> str | None:
    """Need a model that writes one token at a time."""
    return None if anatomy.writes else say("need.writing")


def predicting(anatomy: Anatomy) -> str | None:
    """Need a model that predicts tokens: the next one, or the one at each place."""
    return None if anatomy.predicts else say("need.predicting")


def going_on(anatomy: Anatomy) -> str | None:
    """Need a decoder-only model, which continues the text that it has read."""
    return None if anatomy.writes and not anatomy.translates else say("need.going_on")
