"""The lines of Python that compute what the map shows, after the lines of the run."""

from collections.abc import Mapping

from viz.address.link import selected_tensor
from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.tensors import run_tensor_names
from viz.run.view import View


def cards(view: View, _selection: Selection) -> Mapping[str, str]:
    """Write the lines for each card, by its heading."""
    names = run_tensor_names(view.run)
    asked = selected_tensor()
    name = asked if asked in names else "encoder.output"
    return {
        "One tensor": lines(
            ["from model.traces import find_tensor"],
            f"tensor = find_tensor(run.trace, {name!r})",
            "print(tensor.shape, tensor)",
        ),
        "All tensors": lines(
            ["from model.traces import named_tensors"],
            "for name, tensor in named_tensors(run.trace):",
            "    print(name, tuple(tensor.shape))",
        ),
    }
