"""The lines of Python that compute the Positions page, after the lines of the run."""

from collections.abc import Mapping

from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.view import View


def cards(view: View, _selection: Selection) -> Mapping[str, str]:
    """Write the lines for each card, by its heading."""
    if not view.run.anatomy.translates:
        return {
            "Without positions": lines(
                [
                    "from viz.run.effect import mean_loss",
                    "from viz.subjects.positions.reruns import guesses, rerun",
                ],
                'changed = rerun(run, checkpoint.model, "zeroed", "both", 0)',
                "for each in (run, changed.forced):",
                "    if guesses(each):",
                "        print(each.text, mean_loss(guesses(each)))",
            )
        }
    return {
        "Without positions": lines(
            [
                "from viz.run.effect import mean_loss",
                "from viz.subjects.positions.reruns import order_gap, rerun",
            ],
            'changed = rerun(run, checkpoint.model, "zeroed", "both", 0)',
            "print(changed.text, mean_loss(run.steps), mean_loss(changed.forced.steps))",
            "print(order_gap(run, checkpoint.model, 0, zeroed=True))",
        ),
        "The encoding": lines(
            ["from model.positions import fixed_positions"],
            "config = run.info.config",
            'if config.positions in ("sinusoidal", "sines"):',
            "    print(fixed_positions(config.positions, 16, config.d_model))",
        ),
    }
