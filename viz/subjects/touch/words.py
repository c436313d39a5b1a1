"""What the page of the hand says of a run: answers that depend on it."""

from markupsafe import Markup

from texts import say
from viz.pictures.numbers import percent_text
from viz.pictures.tokens import say_markup, token
from viz.run.record import Run
from viz.subjects.touch.pulls import Pull, shares


def invitation(run: Run, pull: Pull | None) -> Markup:
    """Describe what was read to write a word, and what to do about it."""
    translates = run.anatomy.translates
    if run.given:
        return say_markup("touch.invite_given")
    if pull is None:
        return say_markup("touch.invite_choose")
    writes = run.anatomy.writes
    written = run.target_tokens if writes else run.source.tokens
    read = run.source.tokens if translates else written
    parts = {
        "word": token(written[pull.row + int(writes)]),
        "share": percent_text(float(shares(run)[pull.row, pull.held])),
        "held": token(read[pull.held]),
        "to": token(read[pull.to]),
    }
    if writes:
        return say_markup("touch.invite_written", **parts)
    return say_markup("touch.invite_read", **parts)


def outcome(*, same: bool, writes: bool = True) -> str:
    """State whether the changes in force have done anything to the text, and what can be done."""
    if same:
        return say("touch.same")
    return say("touch.writes_else" if writes else "touch.guesses_else")
