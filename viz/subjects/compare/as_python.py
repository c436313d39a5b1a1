"""The lines of Python that compute the Compare page, after the lines of the run in view."""

from collections.abc import Mapping

from viz.address.selection import Selection
from viz.frame.python import checkpoint_path
from viz.run.as_python import lines, load_line, write
from viz.run.inputs import Inputs
from viz.run.view import View
from viz.subjects.compare.cache import other_in_view

_PAIRS = "from viz.subjects.compare.pairing import pair_runs"
_PAIR = "pairing = pair_runs(run, other)"


def cards(view: View, _selection: Selection) -> Mapping[str, str]:
    """Write the lines for each card, by its heading."""
    inputs = other_in_view(view)
    if any(change.needs_material for change in inputs.interventions):
        return {}
    one_model = inputs.checkpoint == view.inputs.checkpoint
    made = _other_run(inputs, None if one_model else checkpoint_path(view.beside(inputs)))
    imports = ["from model.interventions.kinds import Intervention"] if inputs.interventions else []
    found = {
        "Which heads changed most": lines(
            [
                *imports,
                "from viz.subjects.compare.heads import kind_changes, strongest_rows",
                _PAIRS,
            ],
            *made,
            _PAIR,
            f"changes = kind_changes(run, other, pairing, by_likeness={not one_model})",
            "for row in strongest_rows(changes):",
            "    print(row)",
        )
    }
    if one_model:
        found["How far the numbers are apart"] = lines(
            [*imports, _PAIRS, "from viz.subjects.compare.stages import stage_changes"],
            *made,
            _PAIR,
            "for stage in stage_changes(run, other, pairing):",
            "    print(stage.name, stage.change, stage.identical)",
        )
    return found


def _other_run(inputs: Inputs, path: str | None) -> list[str]:
    """Write the lines that make the other run; `path` is its checkpoint's, if that is another."""
    written = []
    if path:
        written.append(f"other_checkpoint = {load_line(path, inputs.device)}")
    arguments = ["other_checkpoint" if path else "checkpoint", repr(inputs.source)]
    if inputs.target:
        arguments.append(f"target={inputs.target!r}")
    if inputs.interventions:
        changes = "".join(f"{write(change)}, " for change in inputs.interventions)
        arguments.append(f"interventions=({changes})")
    return [*written, f"other = make_run({', '.join(arguments)})"]
