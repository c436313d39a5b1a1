"""The lines of Python that compute the Decoding page, after the lines of the run."""

from collections.abc import Mapping

from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.view import View


def cards(_view: View, selection: Selection) -> Mapping[str, str]:
    """Write the lines for each card, by its heading."""
    decode = "from viz.subjects.decoding.paths import decode_path"
    strategy = "from viz.subjects.decoding.strategy import Strategy"
    return {
        "The step in view": lines(
            [],
            f"step = run.steps[{selection.step}]",
            "for candidate in step.candidates(10):",
            "    token = run.info.tokenizers.target.token(candidate.token)",
            "    print(candidate.rank, token, candidate.probability)",
        ),
        "A beam": lines(
            [decode, strategy],
            'path = decode_path(run, checkpoint.model, Strategy(mode="Beam", width=4))',
            "print(run.info.tokenizers.target.decode(path.ids), path.total)",
        ),
        "A sample": lines(
            [decode, strategy],
            'path = decode_path(run, checkpoint.model, Strategy(mode="Sampling", seed=0))',
            "print(run.info.tokenizers.target.decode(path.ids), path.total)",
        ),
    }
