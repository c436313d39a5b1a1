"""What the page of the hand shows, as lines of Python that follow those of the run."""

from collections.abc import Mapping

from viz.run.as_python import lines
from viz.run.selection import Selection
from viz.run.view import View


def cards(_view: View, selection: Selection) -> Mapping[str, str]:
    """Write what computes each card, by its heading."""
    row = selection.step
    return {
        "A pull": lines(
            [
                "from model.intervention import Intervention",
                "from viz.subjects.touch.pulls import shares",
            ],
            f"print(shares(run)[{row}])",
            'weights = "decoder.layers.*.cross_attn.weights"',
            f'pull = Intervention("point", weights, rows=({row},), columns=(0,))',
            "print(make_run(checkpoint, text, interventions=(pull,)).text)",
        ),
    }
