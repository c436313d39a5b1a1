"""The lines of Python that compute what Touch shows, after the lines of the run."""

from collections.abc import Mapping

from texts import say
from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.view import View
from viz.subjects.touch.cache import pull_of


def cards(view: View, selection: Selection) -> Mapping[str, str]:
    """Write the lines for each card, by its heading."""
    pull = pull_of(view.beside(view.inputs.unchanged))
    row, key = (pull.row, pull.to) if pull else (selection.step, 0)
    needs_more = any(change.needs_material for change in view.inputs.interventions)
    made = "*changes, " if view.inputs.interventions and not needs_more else ""
    return {
        say("touch.card"): lines(
            [
                "from model.interventions.kinds import Intervention",
                "from viz.subjects.touch.pulls import shares",
            ],
            f"print(shares(run)[{row}])",
            'weights = "decoder.layers.*.cross_attn.weights"',
            f'pull = Intervention("point", weights, rows=({row},), columns=({key},))',
            f"print(make_run(checkpoint, text, interventions=({made}pull,)).text)",
        ),
    }
