"""What the page on attention shows, as lines of Python that follow those of the run."""

from collections.abc import Mapping

from texts import say
from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.view import View


def cards(view: View, selection: Selection) -> Mapping[str, str]:
    """Write what computes each card, by its heading."""
    kind, layer, head = selection.kind, selection.layer, selection.head
    query, key = selection.query, selection.key
    model = None if view.run.anatomy.is_recorded else "checkpoint.model"
    cell = f"{kind!r}, {layer}, {head}, {query}, {key}"
    explain = "from viz.subjects.attention.cell.explain import explain_cell"
    return {
        say("attention.card_head"): lines(
            [
                "from viz.heads.head_checks import check_head",
                "from viz.run.record import attention_trace, axis_tokens",
            ],
            f"weights = attention_trace(run, {kind!r}, {layer}).weights[0, {head}]",
            f"queries, keys = axis_tokens(run, {kind!r})",
            f"print(queries[{query}], 'reads', keys[{key}], weights[{query}, {key}].item())",
            f"print(check_head(run, {kind!r}, {layer}, {head}))",
        ),
        say("attention.card_cell"): lines(
            [explain],
            f"cell = explain_cell(run, {model}, {cell})",
            "for line in cell.lines:",
            "    print(line.name, line.absolute)",
        ),
        say("attention.all_heads"): lines(
            [
                "from viz.heads.head_summary import metrics_by_head",
                "from viz.heads.head_table import summarise_heads",
                "from viz.run.record import all_heads",
            ],
            f"print(all_heads(run, {kind!r}).shape)",
            "print(summarise_heads(run, metrics_by_head(run, None)))",
        ),
        say("attention.scaling"): lines(
            ["from viz.subjects.attention.scaling import scaling"],
            f"found = scaling(run, {kind!r}, {layer}, {head}, {query})",
            "print(found.divisors, found.saturated, found.entropy, found.gradient)",
            "print(found.variance)",
        ),
    }
