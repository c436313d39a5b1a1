"""A run as lines of Python: what a page shows, to be computed anew outside of it."""

from collections.abc import Iterable
from dataclasses import fields

from model.intervention import Intervention
from viz.run.models import PREFIX
from viz.run.view import View

_LOAD_CHECKPOINT = "model.checkpoint", "load_checkpoint"
_OPEN_FOLDER = "model.imports.load", "open_folder"
_USUAL = {field.name: field.default for field in fields(Intervention)}


def run_lines(view: View, path: str) -> str:
    """Write what makes the run of a view, its changes included.

    Args:
        view: What is in view.
        path: Of its checkpoint, as seen from where the lines are to run.
    """
    _, source, target, device, changes = view.inputs
    foreign = view.inputs.checkpoint.startswith(PREFIX)
    package, load = _OPEN_FOLDER if foreign else _LOAD_CHECKPOINT
    imports = ["from pathlib import Path", "", f"from {package} import {load}"]
    if changes:
        imports.append("from model.intervention import Intervention")
    if any(change.needs_material for change in changes):
        imports.append("from viz.run.material import material")
    imports.append("from viz.run.record import make_run")
    own = "" if device == "cpu" else f", {device!r}"
    lines = [f"checkpoint = {load}(Path({path!r}){own})", f"text = {source!r}"]
    named = [] if device == "cpu" else [f"device={device!r}"]
    if target:
        lines.append(f"target = {target!r}")
        named.append("target=target")
    if changes:
        lines += ["changes = (", *(f"    {line}," for line in map(write, changes)), ")"]
        named.append("interventions=changes")
    if any(change.needs_material for change in changes):
        given = "checkpoint, text, target" if target else "checkpoint, text"
        named.append(f"material=material({given})")
    arguments = ", ".join(["checkpoint", "text", *named])
    lines += [f"run = make_run({arguments})", "print(run.text)"]
    return "\n".join([*imports, "", *lines])


def write(intervention: Intervention) -> str:
    """Write an intervention as it is made, without what is as usual."""
    named = (
        f"{name}={value!r}"
        for name, usual in _USUAL.items()
        if name not in ("kind", "name") and (value := getattr(intervention, name)) != usual
    )
    arguments = [repr(intervention.kind), repr(intervention.name), *named]
    return f"Intervention({', '.join(arguments)})"


def lines(imports: Iterable[str], *statements: str) -> str:
    """Write what follows the run: its imports, then its statements."""
    return "\n".join([*imports, "", *statements])
