"""What a page may need of a model, each as the sentence that says why it has nothing to show."""

from model.anatomy import Anatomy


def translating(anatomy: Anatomy) -> str | None:
    """Need a model that reads one text and writes another."""
    if anatomy.translates:
        return None
    return f"It compares a text that is read with one that is written, and {_one_text(anatomy)}."


def in_five_ways(anatomy: Anatomy) -> str | None:
    """Need a model such as the paper's, of which there are five write-ups."""
    if anatomy.translates:
        return None
    return (
        "It sets five write-ups of the paper's model beside each other, which read one text and "
        f"write another, and {_one_text(anatomy)}."
    )


def writing(anatomy: Anatomy) -> str | None:
    """Need a model that writes, a token at a time."""
    if anatomy.writes:
        return None
    return "It follows a model as it writes, and this one only reads: it has no decoder."


def predicting(anatomy: Anatomy) -> str | None:
    """Need a model that says something of tokens: which comes next, or which stands there."""
    if anatomy.predicts:
        return None
    return (
        "It looks at what a model makes of a word in the end, and this one predicts no words: it "
        "has no head over a vocabulary."
    )


def going_on(anatomy: Anatomy) -> str | None:
    """Need a decoder alone: it goes on from what it has read."""
    if anatomy.writes and not anatomy.translates:
        return None
    if anatomy.translates:
        return "It follows a model that goes on from its own text, and this one translates another."
    return "It follows a model that goes on from its own text, and this one only reads."


def _one_text(anatomy: Anatomy) -> str:
    if anatomy.writes:
        return "this model goes on from one text: it has no encoder"
    return "this model only reads: it has no decoder"
