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


def invitation(run: Run, pull: Pull | None) -> Markup:
    """Say what was read to write a word, and what to do about it."""
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


def outcome(before: Run, run: Run) -> str:
    """Say whether the changes in force have done anything to the text, and what can be done."""
    ways = "Press u to undo; hold b to see the run as it was."
    if before.text == run.text:
        return f"The words are as they were, though the numbers are not. {ways}"
    return f"It writes something else now. {ways}"


WHY = Markup(
    "<p>Several heads do the same work. If one of them looks elsewhere, the others still bring the "
    "old word, and what they bring together decides. That a pull of one head changes nothing is "
    "the usual case, not an error: the line above the picture says what the other heads still "
    "read. Pull all of them, and the word nearly always follows.</p>"
    "<p>A cut line is hidden <em>before</em> the softmax, so that the other weights share what it "
    "had. To set a weight to 0 afterwards would leave a row whose weights no longer sum to 1.</p>"
)
COPIES = Markup(
    "<p>A pull of 60 % leaves each weight 40 % of what it was and adds .60 to the one you pull "
    "to: the row still sums to 1. Everything after it is computed anew, every later word too.</p>"
    "<p>While you drag, this page runs the model itself, in JavaScript. When you let go, PyTorch "
    "makes the same change, and the page shows how far the two are apart. Where that is more than "
    "1e−4, PyTorch’s numbers are shown.</p>"
)
