"""The lines of Python that compute what Start shows, after the lines of the run."""

from collections.abc import Mapping

from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.view import View
from viz.subjects.start.actions import row_of
from viz.subjects.start.facts import KIND


def cards(view: View, selection: Selection) -> Mapping[str, str]:
    """Write the lines for each card, by its heading."""
    layer, head, query = row_of(view) or _row_of(selection)
    return {
        "The question": lines(
            [
                "import torch",
                "from model.decoding.greedy import score",
                "from model.interventions.kinds import Intervention, edits_of",
                "from viz.run.axes import attention_trace",
                "from viz.run.record import probability",
            ],
            f"weights = attention_trace(run, {KIND!r}, {layer}).weights[0, {head}, {query}]",
            "for token, weight in zip(run.source.tokens, weights.tolist(), strict=True):",
            "    print(token, weight)",
            f'off = Intervention("zero", "encoder.layers.{layer}.self_attn.heads", {head})',
            "edits = run.edits.then(edits_of((off,), checkpoint.model))",
            "written = [step.token for step in run.steps]",
            "source = torch.tensor([run.source.ids], device=checkpoint.model.device)",
            "without = score(",
            "    checkpoint.model, source, written, bos_id=run.target_ids[0], edits=edits",
            ")",
            "for token, *both in zip(run.target_tokens[1:], run.steps, without, strict=True):",
            "    print(token, *map(probability, both))",
        ),
    }


def _row_of(selection: Selection) -> tuple[int, int, int]:
    """Return the selected row, or the first one if the selection is not in the encoder."""
    if selection.kind != KIND:
        return 0, 0, 0
    return selection.layer, selection.head, selection.query
