"""All that the page of the hand says in Python: its question, and answers made from a run."""

from markupsafe import Markup

from viz.pictures.numbers import percent_text
from viz.pictures.tokens import token
from viz.run.record import Run
from viz.run.weights import MOST_BYTES
from viz.subjects.touch.pulls import Pull, shares

TITLE = "Touch"
QUESTION = "What happens if the model looks somewhere else?"
WRONG = "This cannot be done"
WHY_HEADING = "Why a pull can change nothing"
COPIES_HEADING = "What a pull does to the numbers"
TOO_LARGE = (
    f"The weights of this model take more than {MOST_BYTES / 1e6:.0f} MB: too many for the browser "
    "to run it while you drag. The translation is written anew when you let go."
)


NOT_KNOWN = (
    "The browser’s own copy of the model knows the layers of the paper alone, and this model has "
    "others. So nothing follows your hand while you drag: PyTorch computes it when you let go."
)


_AT_A_WRITTEN = Markup(
    "To write {word}, the heads of all layers together put {share} of their weight on {held}. "
    "What would the model write if they looked at {to} instead?"
)
_AT_A_READ = Markup(
    "At {word}, the heads of all layers together put {share} of their weight on {held}. "
    "What would the model put there if they looked at {to} instead?"
)


def invitation(run: Run, pull: Pull | None) -> Markup:
    """Say what was read to write a word, and what to do about it."""
    if not run.anatomy.translates and not run.given:
        return _of_one_text(run, pull)
    if run.given:
        return Markup(
            "The target was given, so its words stay. You can still pull the lines: the bars show "
            "how sure the model is of each word then. Leave the target empty to let it write."
        )
    if pull is None:
        return Markup(
            "Choose a word of the translation below, take the end of one of its lines and drag it "
            "to another word: the weight goes there as far as you pull."
        )
    share = float(shares(run)[pull.row, pull.held])
    return Markup(
        "To write {written}, the heads of all layers together put {share} of their weight on "
        "{held}. What would the model write if they looked at {to} instead?"
    ).format(
        written=token(run.target_tokens[pull.row + 1]),
        share=percent_text(share),
        held=token(run.source.tokens[pull.held]),
        to=token(run.source.tokens[pull.to]),
    )


def _of_one_text(run: Run, pull: Pull | None) -> Markup:
    writes = run.anatomy.writes
    if pull is None:
        return Markup(
            "Choose a word of the text below, take the end of one of its lines and drag it to "
            "another word: the weight goes there as far as you pull."
        )
    text = run.target_tokens if writes else run.source.tokens
    share = float(shares(run)[pull.row, pull.held])
    told = _AT_A_WRITTEN if writes else _AT_A_READ
    return told.format(
        word=token(text[pull.row + int(writes)]),
        share=percent_text(share),
        held=token(text[pull.held]),
        to=token(text[pull.to]),
    )


def outcome(*, same: bool, writes: bool = True) -> str:
    """Say whether the changes in force have done anything to the text, and what can be done."""
    ways = "Press u to undo; hold b to see the run as it was."
    if same:
        return f"The words are as they were, though the numbers are not. {ways}"
    return (
        f"It writes something else now. {ways}" if writes else f"Its guesses are others now. {ways}"
    )


WHY = Markup(
    "<p>Several heads do the same work. If one of them looks elsewhere, the others still bring the "
    "old word, and what they bring together decides. That a pull of one head changes nothing is "
    "the usual case, not an error: the line above the picture says what the other heads still "
    "read. Pull all of them, and the word nearly always follows.</p>"
    "<p>A cut line is hidden <em>before</em> the softmax, so that the other weights share what it "
    "had. To set a weight to 0 afterwards would leave a row whose weights no longer sum to 1.</p>"
)
COPIES_ANEW = Markup(
    "<p>A pull of 60 % leaves each weight 40 % of what it was and adds .60 to the one you pull "
    "to: the row still sums to 1. Everything after it is computed anew, every later word too.</p>"
    "<p>PyTorch computes it when you let go. While you drag, only the row under your hand "
    "moves.</p>"
)
COPIES = Markup(
    "<p>A pull of 60 % leaves each weight 40 % of what it was and adds .60 to the one you pull "
    "to: the row still sums to 1. Everything after it is computed anew, every later word too.</p>"
    "<p>While you drag, this page runs the model itself, in JavaScript. When you let go, PyTorch "
    "makes the same change, and the page shows how far the two are apart. Where that is more than "
    "1e−4, PyTorch’s numbers are shown.</p>"
)
