"""The lines of Python that compute the What mattered page, after the lines of the run."""

from collections.abc import Mapping

from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.view import View
from viz.subjects.mattered.cache import suggestion, text_suggestion
from viz.subjects.mattered.text_pairs import asked_row


def cards(view: View, _selection: Selection) -> Mapping[str, str]:
    """Write the lines for each card, by its heading."""
    found = {
        "Every cut": lines(
            ["from viz.subjects.mattered.damage import measure_losses"],
            'found = measure_losses(run, checkpoint.model, "zero")',
            "for one in sorted(found.of, key=lambda one: -one.damage):",
            "    print(one.part, one.damage, one.text)",
        ),
    }
    if not view.run.anatomy.translates:
        return {**found, **_of_texts(view)}
    if other := suggestion(view):
        found["Patching"] = lines(
            ["from model.attribution.patching import contest, patch"],
            f"other = run.info.tokenizers.encode_source({other!r})",
            "which = contest(checkpoint.model, run.source.ids, other.ids)",
            "print(patch(checkpoint.model, which))",
        )
    return found


def _of_texts(view: View) -> Mapping[str, str]:
    """Write the lines that patch a text into one that continues differently, if one is found."""
    other, row = text_suggestion(view), asked_row(view.run)
    if not other:
        return {}
    encode = "encode_source" if view.run.info.config.has_encoder else "encode_prompt"
    return {
        "Patching": lines(
            [
                "from model.attribution.patching import patch",
                "from model.attribution.text_patching import text_cells, text_contest",
            ],
            f"other = run.info.tokenizers.{encode}({other!r})",
            f"which = text_contest(checkpoint.model, run.source.ids, other.ids, {row})",
            "cells = text_cells(run.info.config, len(other.ids))",
            "print(patch(checkpoint.model, which, cells))",
        )
    }
