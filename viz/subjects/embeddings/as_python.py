"""What the page on embeddings shows, as lines of Python that follow those of the run."""

from collections.abc import Mapping

from viz.run.as_python import lines
from viz.run.selection import Selection
from viz.run.view import View


def cards(view: View, _selection: Selection) -> Mapping[str, str]:
    """Write what computes each card, by its heading."""
    imports = [
        "from viz.subjects.embeddings.points import states, vocabulary",
        "from viz.subjects.embeddings.projection import pca",
    ]
    side = view.run.anatomy.sides[0]
    return {
        "The tokens, layer by layer": lines(
            imports,
            f'shown = states(run, "{side}")',
            "print(shown.steps, pca(shown.flat, 2)[0])",
        ),
        "The vocabulary": lines(
            imports,
            f'words = vocabulary(run, checkpoint.model, "{side}")',
            "print(words.tokens[:10], pca(words.vectors, 2)[0][:10])",
        ),
    }
