"""Writes a run as lines of Python, which compute outside the app what a page shows."""

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from model.foreign.hub.cache import origin_of
from model.interventions.kinds import Intervention
from viz.run.view import View

_USUAL = {field.name: field.default for field in fields(Intervention)}


def run_lines(view: View, path: str) -> str:
    """Write the lines that make the run of a view, with its changes.

    Args:
        view: The view.
        path: The path of its checkpoint, as seen from where the lines will run, or its name.
    """
    _, source, target, device, changes = view.inputs
    if view.run.anatomy.is_recorded:
        return _recorded_lines(view, path)
    imports = ["import loupe"]
    if changes:
        imports.append("from model.interventions.kinds import Intervention")
    if any(change.needs_material for change in changes):
        imports.append("from viz.models.material import material")
    imports.append("from viz.run.making import make_run")
    lines = [f"checkpoint = {load_line(path, device)}", f"text = {source!r}"]
    named: list[str] = []
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


def _recorded_lines(view: View, path: str) -> str:
    _, source, target, device, _ = view.inputs
    given = f", target={target!r}" if target else ""
    return "\n".join(
        [
            "import loupe",
            "from viz.run.recorded_run import make_recorded_run",
            "",
            f"checkpoint = {load_line(path, device)}",
            f"run = make_recorded_run(checkpoint, {source!r}{given})",
            "print(run.text)",
        ]
    )


def load_line(path: str, device: str) -> str:
    """Write the expression that loads a checkpoint; one from the Hub by its name and commit."""
    on = "" if device == "cpu" else f", device={device!r}"
    if origin := origin_of(Path(path)):
        return f"loupe.load({origin.repo!r}, revision={origin.commit!r}{on})"
    return f"loupe.load({path!r}{on})"


def write(intervention: Intervention) -> str:
    """Write the constructor call of an intervention, without default values."""
    named = (
        f"{name}={value!r}"
        for name, usual in _USUAL.items()
        if name not in ("kind", "name") and (value := getattr(intervention, name)) != usual
    )
    arguments = [repr(intervention.kind), repr(intervention.name), *named]
    return f"Intervention({', '.join(arguments)})"


def held_lines(view: View) -> str:
    """Write the lines that trace the unchanged run, for a model that only its own process has."""
    _, source, target, _, _ = view.inputs
    given = f", target={target!r}" if target else ""
    return "\n".join(
        [
            "import loupe",
            "",
            f"run = loupe.trace(model, tokenizer, {source!r}{given})",
            "for name, tensor in run.items():",
            "    print(name, tuple(tensor.shape))",
        ]
    )


def as_imported(text: str) -> str:
    """Rewrite imports so that they work in the repository and with an installed Loupe."""
    own = tuple(f"from {folder}." for folder in ("model", "sample_data", "viz"))
    return "\n".join(
        line.replace("from ", "from loupe.", 1) if line.startswith(own) else line
        for line in text.split("\n")
    )


def lines(imports: Iterable[str], *statements: str) -> str:
    """Join the imports and the statements that follow a run."""
    return "\n".join([*imports, "", *statements])
