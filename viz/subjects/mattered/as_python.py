"""What the page of what mattered shows, as lines of Python that follow those of the run."""

from collections.abc import Mapping

from viz.run.as_python import lines
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.mattered.cache import suggestion


def cards(view: View, _selection: Selection) -> Mapping[str, str]:
    """Write what computes each card, by its heading."""
    found = {
        "Every cut": lines(
            ["from viz.subjects.mattered.damage import measure_losses"],
            'found = measure_losses(run, checkpoint.model, "zero")',
            "for one in sorted(found.of, key=lambda one: -one.damage):",
            "    print(one.part, one.damage, one.text)",
        ),
    }
    if other := suggestion(view):
        found["Patching"] = lines(
            ["from model.attribution.patching import contest, patch"],
            f"other = run.info.tokenizers.encode_source({other!r})",
            "which = contest(checkpoint.model, run.source.ids, other.ids)",
            "print(patch(checkpoint.model, which))",
        )
    return found
