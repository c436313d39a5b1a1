"""The lines of Python that compute the Masks page, after the lines of the run."""

from collections.abc import Mapping

from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.view import View


def cards(_view: View, _selection: Selection) -> Mapping[str, str]:
    """Write the lines for each card, by its heading."""
    return {
        "A padded batch without its causal mask": lines(
            [
                "from viz.subjects.masks.batch import make_batch",
                "from viz.subjects.masks.effects import compare",
                "from viz.subjects.masks.lab import Switches, run_lab",
            ],
            "batch = make_batch(checkpoint, [text, text.split(' ', 1)[-1]])",
            "own = Switches.of(checkpoint.info.config)",
            "before = run_lab(checkpoint, batch, own)",
            "after = run_lab(checkpoint, batch, Switches(**own.named() | {'causal': False}))",
            "print(compare(before, after))",
        ),
    }
