"""What the comparison shows, as lines of Python that follow those of the run."""

from collections.abc import Mapping

from viz.run.as_python import lines
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.compare.cache import suggested_sentence


def cards(view: View, _selection: Selection) -> Mapping[str, str]:
    """Write what computes each card, by its heading."""
    return {
        "Which heads changed most": lines(
            [
                "from viz.subjects.compare.heads import kind_changes, strongest_rows",
                "from viz.subjects.compare.pairing import pair_runs",
            ],
            f"other = make_run(checkpoint, {suggested_sentence(view)!r})",
            'pairing = pair_runs(run, other, "tokens", (None, None))',
            "changes = kind_changes(run, other, pairing, by_likeness=False)",
            "for row in strongest_rows(changes):",
            "    print(row.kind, row.layer, row.head, row.place, row.bits)",
        ),
    }
