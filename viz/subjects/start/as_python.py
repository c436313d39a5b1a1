"""What Start shows, as lines of Python that follow those of the run."""

from collections.abc import Mapping

from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.view import View


def cards(_view: View, _selection: Selection) -> Mapping[str, str]:
    """Write what computes each card, by its heading."""
    return {
        "The question": lines(
            [
                "from viz.subjects.start.effect import probability_without",
                "from viz.subjects.start.question import ask",
            ],
            "question = ask(run)",
            "print(question)",
            "print(probability_without(run, checkpoint.model, question, 0))",
        ),
    }
