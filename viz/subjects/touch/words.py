"""Sentences of Touch that depend on several values or on the case."""

from markupsafe import Markup

from texts import say
from viz.address.selection import Selection
from viz.pictures.numbers import percent_text
from viz.pictures.tokens import say_markup, token
from viz.run.axes import axis_tokens
from viz.run.record import Run
from viz.subjects.touch.pulls import Pull, shares


def invitation(run: Run, chosen: Selection, pull: Pull | None) -> Markup:
    """Describe the attention of the word in view, and suggest a change.

    Args:
        run: The run in view, without changes.
        chosen: The selection: the board shows the lines of this row.
        pull: The pull that is worth a try, described if its row is in view.
    """
    if run.given:
        return say_markup("touch.invite_given")
    if pull and (chosen.kind, chosen.query) == (run.anatomy.names[-1], pull.row):
        return _to_pull(run, pull)
    return _to_choose(run, chosen)


def _to_choose(run: Run, chosen: Selection) -> Markup:
    """Describe a row that the reader or a link chose."""
    encodes = chosen.kind == "encoder self-attention"
    if not encodes and chosen.query < run.n_prompt:
        return say_markup("touch.invite_choose")  # the prompt fixed its word
    _, columns = axis_tokens(run, chosen.kind)
    words = run.texts["source"] if encodes else run.target_tokens[1:]
    row = shares(run, chosen.kind)[chosen.query]
    key = int(row.argmax())
    parts = {
        "word": token(words[chosen.query]),
        "share": percent_text(float(row[key])),
        "held": token(columns[key]),
    }
    if not run.anatomy.writes:
        return say_markup("touch.invite_any_guess", **parts)
    return say_markup("touch.invite_any_read" if encodes else "touch.invite_any_written", **parts)


def _to_pull(run: Run, pull: Pull) -> Markup:
    translates = run.anatomy.translates
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
    """State whether the active changes affect the text, and what can be done."""
    if same:
        return say("touch.same")
    return say("touch.writes_else" if writes else "touch.guesses_else")
