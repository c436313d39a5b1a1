"""The lines of Python that compute what the Attention page shows, after the lines of the run."""

from collections.abc import Mapping

from texts import say
from viz.address.selection import Selection
from viz.run.as_python import lines
from viz.run.view import View


def cards(_view: View, selection: Selection) -> Mapping[str, str]:
    """Write the lines for each card, by its heading."""
    kind, layer, head = selection.kind, selection.layer, selection.head
    query, key = selection.query, selection.key
    return {
        say("attention.card_head"): lines(
            [
                "from viz.heads.head_checks import check_head",
                "from viz.run.axes import attention_trace, axis_tokens",
            ],
            f"weights = attention_trace(run, {kind!r}, {layer}).weights[0, {head}]",
            f"queries, keys = axis_tokens(run, {kind!r})",
            f"print(queries[{query}], 'reads', keys[{key}], weights[{query}, {key}].item())",
            f"print(check_head(run, {kind!r}, {layer}, {head}))",
        ),
        say("attention.card_cell"): lines(
            ["from viz.run.axes import attention_trace"],
            f"attention = attention_trace(run, {kind!r}, {layer})",
            f"q, k = attention.query[0, {head}, {query}], "
            f"attention.key[0, attention.key_head({head}), {key}]",
            f"score, weights = attention.scores[0, {head}, {query}, {key}], "
            f"attention.weights[0, {head}, {query}]",
            f"print((q @ k).item(), score.item(), weights[{key}].item())",
            f"print(weights @ attention.value[0, attention.key_head({head})])",
            f"print(attention.heads[0, {head}, {query}])",
        ),
        say("attention.all_heads"): lines(
            [
                "from viz.heads.head_summary import metrics_by_head",
                "from viz.heads.head_table import summarise_heads",
                "from viz.run.axes import all_heads",
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
