"""What a page may need of a model, each as the sentence that says why it has nothing to show."""

from collections.abc import Callable

from model.anatomy import Anatomy
from texts import say


def running_again(anatomy: Anatomy) -> str | None:
    """Need a model of our own: parts of it are run again, or with something changed."""
    return say("need.running_again") if anatomy.is_recorded else None


def all_of(*needs: Callable[[Anatomy], str | None]) -> Callable[[Anatomy], str | None]:
    """Need several things: the first that is missing is told."""
    return lambda anatomy: next((why for need in needs if (why := need(anatomy))), None)


def translating(anatomy: Anatomy) -> str | None:
    """Need a model that reads one text and writes another."""
    return None if anatomy.translates else say("need.translating")


def writing(anatomy: Anatomy) -> str | None:
    """Need a model that writes, a token at a time."""
    return None if anatomy.writes else say("need.writing")


def predicting(anatomy: Anatomy) -> str | None:
    """Need a model that says something of tokens: which comes next, or which stands there."""
    return None if anatomy.predicts else say("need.predicting")


def going_on(anatomy: Anatomy) -> str | None:
    """Need a decoder alone: it goes on from what it has read."""
    return None if anatomy.writes and not anatomy.translates else say("need.going_on")
