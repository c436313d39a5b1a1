"""The lines of Python that compute the Embeddings page, after the lines of the run."""

from collections.abc import Mapping

from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.view import View


def cards(view: View, _selection: Selection) -> Mapping[str, str]:
    """Write the lines for each card, by its heading."""
    side = view.run.anatomy.sides[0]
    return {
        "The nearest of a word": lines(
            [
                "from viz.subjects.embeddings.geometry import neighbours",
                "from viz.subjects.embeddings.points import vocabulary",
            ],
            f'words = vocabulary(run, checkpoint.model, "{side}")',
            "for near in neighbours(words.vectors, 0, 10):",
            "    print(words.tokens[near.token], near.cosine)",
        ),
        "The tokens, layer by layer": lines(
            [
                "from viz.subjects.embeddings.geometry import pca",
                "from viz.subjects.embeddings.points import states",
            ],
            f'shown = states(run, "{side}")',
            "print(shown.steps, pca(shown.flat)[0])",
        ),
    }
