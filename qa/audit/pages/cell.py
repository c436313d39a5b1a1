"""The cards of a cell: its story in words, and every number of it with its formula."""

import re
from typing import Any

import numpy as np

from qa.audit.numbers import most, read_number
from qa.audit.page_reader import STEP, Cells
from qa.audit.reference.files import Array
from qa.audit.reference.transformer import KINDS
from qa.audit.visit import Visit

CELL = ("kind", "layer", "head", "query", "key")
Chosen = dict[str, Any]
"""The selection, by these names."""
_CARD = ".loupe-cell:not(.loupe-cell_words)"
_HIGHEST = 48
"""The length of a strip for its largest number, in its units."""


def place_of(chosen: Chosen) -> str:
    return "{kind} L{layer} H{head}, row {query}, column {key}".format(**chosen)


def check_card(visit: Visit, text: str, chosen: Chosen) -> None:
    """Check the story of a cell: score, weight, rank, next, value, the sum of other heads."""
    if not text:
        return
    kind, layer, head, query, key = (chosen[name] for name in CELL)
    truth, visit = visit.truth, visit.at(place_of(chosen))
    rows, columns = truth.axis(kind)
    row = truth.weights(kind)[layer, head, query]
    visit.holds("cell of the card", text[:80], rows[query] in text and columns[key] in text)
    score = ("score on the card", truth.run.stacked(kind, "scores")[layer, head, query, key])
    visit.says(text, "Their score is <#>", score, slack=2e-5, missing=score[0])
    share = ("share on the card", row[key])
    match = visit.says(text, "that is <%>(?:; (next|most), (.+?) has <%>)?", share)
    if match and match[4]:
        rest, others = np.delete(row, key), [*columns[:key], *columns[key + 1 :]]
        visit.among("next on the card", match[3], most(others, rest))
        visit.stated("next on the card", match[4], rest.max())
        if abs(row[key] - rest.max()) > STEP:
            visit.same("rank on the card", match[2], "next" if row[key] > rest.max() else "most")
    visit.says(text, "takes <%> of what", share)
    _check_heads(visit, text, chosen)
    for apart in re.findall(r"agrees with float64, difference ([\d.]+e[−-]\d+|[\d.]+)", text):
        visit.holds("badges of the card", apart, read_number(apart).middle < 1e-4)


def _check_heads(visit: Visit, text: str, chosen: Chosen) -> None:
    """Check how many heads give the token less than this one."""
    lengths = np.linalg.norm(_written(visit, chosen), axis=-1)
    own, rest = lengths[chosen["head"]], np.delete(lengths, chosen["head"])
    match = re.search(
        r"gets (?:more from this head than from (\d+) of the other (\d+)|(most|least) from this)",
        text,
    )
    if match is None:
        return
    if match[2]:
        visit.same("other heads on the card", int(match[2]), len(rest))
    fewer = {"most": len(rest), "least": 0}.get(match[3], int(match[1] or 0))
    low, high = (int((rest < own + room).sum()) for room in (-2e-5, 2e-5))
    visit.holds("heads on the card", match[0], low <= fewer <= high, f"{low} to {high}")


def check_numbers(visit: Visit, chosen: Chosen, card: str = _CARD) -> None:
    """Check each number of the arithmetic of the selected cell: tables, strips and sums."""
    opened = "s => auditAll(s).forEach((fold) => (fold.open = true))"
    visit.page.evaluate(opened, f"{card} details")
    visit.page.wait_for_timeout(300)
    there = visit.at(place_of(chosen))
    for check in (_check_score, _check_softmax, _check_mix, _check_output):
        check(there, chosen, card)


def _check_columns(visit: Visit, what: str, tables: list[Cells], *columns: Array) -> None:
    """Check tables whose lines begin with a dimension against a vector for each column."""
    found = ([cell for cell in line if cell] for table in tables for line in table)
    lines = [line for line in found if line[0].isdigit()]
    if not visit.same(what, sorted(int(line[0]) for line in lines), [*range(len(columns[0]))]):
        return
    for line in lines:
        i = int(line[0])
        for text, values in zip(line[1:], columns, strict=True):
            visit.stated(what, text, values[i], 2e-5, f"dimension {i}")


def _check_strips(visit: Visit, what: str, card: str, number: int, *vectors: Array) -> None:
    """Check the bars of some strips, which share a scale, against their vectors."""
    groups = visit.page.evaluate(
        """s => auditAll(s).map((group) => [
          auditText(group.querySelector('p.cell-soft')),
          [...group.querySelectorAll('svg.cell-strip path')].map((bars) =>
            [...bars.getAttribute('d').matchAll(/50v(-?[\\d.]+)h/g)].map((bar) => -bar[1])),
        ])""",
        f"{card} .cell-strips",
    )
    if len(groups) <= number:
        visit.missing(what)
        return
    (said, bars), largest = groups[number], max(float(np.abs(v).max()) for v in vectors)
    scale = (f"{what}: scale", largest)
    visit.says(said, "from <#> to <#>", (scale[0], -largest), scale, slack=2e-5, missing=scale[0])
    computed = np.concatenate(vectors) / largest * _HIGHEST
    visit.numbers(what, np.concatenate(bars), computed, 0.052)


def _head(visit: Visit, chosen: Chosen, what: str) -> Array:
    """Return the captured tensors of the head in view."""
    return visit.truth.run.stacked(chosen["kind"], what)[chosen["layer"], chosen["head"]]


def _check_score(visit: Visit, chosen: Chosen, card: str) -> None:
    text = visit.text(card)
    query, key = chosen["query"], chosen["key"]
    q, k = _head(visit, chosen, "query")[query], _head(visit, chosen, "key")[key]
    what = "products of the cell"
    _check_columns(visit, what, visit.tables(f"{card} .cell-products"), q, k, q * k)
    _check_strips(visit, "bars of q and k", card, 0, q, k)
    score = _head(visit, chosen, "scores")[query, key]
    if not (listed := visit.texts(f"{card} .cell-result")):
        visit.missing("dot product")
        return
    visit.stated("dot product", listed[0], float(q @ k), 1e-4)
    divided = ("dot product", float(q @ k)), ("d_k", len(q)), ("scaled score", score)
    visit.says(text, "<#> / √<#> [=≈] <#>", *divided, slack=3e-5)
    masked = ("masked score", _head(visit, chosen, "masked_scores")[query, key])
    visit.says(text, "(?:stays|becomes) <#>", masked, slack=3e-5)
    rest = np.sort(np.abs(q * k))[:-8]
    more = f"{what}: more", len(rest)
    if len(rest) and (match := visit.says(text, r"(\d+) more, together <#>", more)):
        order = np.argsort(-np.abs(q * k), kind="stable")
        visit.stated(f"{what}: more", match[2], (q * k)[order[8:]].sum(), 3e-5)


def _check_softmax(visit: Visit, chosen: Chosen, card: str) -> None:
    text = visit.text(card)
    query, key = chosen["query"], chosen["key"]
    scores = _head(visit, chosen, "masked_scores")[query]
    weights, columns = _head(visit, chosen, "weights")[query], visit.truth.axis(chosen["kind"])[1]
    powers = np.exp(scores - scores.max())
    lines = visit.page.evaluate(
        """s => auditAll(s).map((line) =>
          [line.querySelector('[title]').title, ...[...line.cells].map(auditText)])""",
        f"{card} .cell-row tbody tr",
    )
    if not lines:
        visit.missing("keys of the softmax")
    for title, token, *said in lines:
        position = int(re.search(r"\d+", title)[0])
        visit.same("keys of the softmax", token, columns[position], title)
        for what, number, values in (
            ("masked score of a key", said[0], scores),
            ("exponential of a key", said[1], powers),
            ("weight of a key", said[2], weights),
        ):
            visit.stated(what, number, values[position], 3e-5, title)
    largest, total = ("largest score", scores.max()), ("sum of the softmax", powers.sum())
    visit.says(text, "max s' = <#>, Z = <#>", largest, total, slack=5e-5)
    own = ("exponential of the cell", powers[key]), total, ("weight of the cell", weights[key])
    visit.says(text, "w = <#> / <#> [=≈] <#>", *own, slack=3e-5)


def _check_mix(visit: Visit, chosen: Chosen, card: str) -> None:
    text = visit.text(card)
    values, weights = _head(visit, chosen, "value"), _head(visit, chosen, "weights")
    row, key = weights[chosen["query"]], chosen["key"]
    mix, own = _head(visit, chosen, "heads")[chosen["query"]], row[key] * values[key]
    _check_strips(visit, "bars of v", card, 1, values[key], own)
    _check_strips(visit, "bars of the mix", card, 2, own, mix - own, mix)
    what, numbers = "numbers of the mix", visit.tables(f"{card} .cell-numbers")[:1]
    _check_columns(visit, what, numbers, values[key], own, mix - own, mix)
    lengths = row * np.linalg.norm(values, axis=-1)
    share = ("share of the lengths", lengths[key] / lengths.sum())
    visit.says(text, "contributes <%> of the total length", share, slack=1e-5, missing=share[0])


def _written(visit: Visit, chosen: Chosen) -> Array:
    """Return the vector that each head of the layer adds to the row in view: (head, d_model)."""
    kind, layer, query = chosen["kind"], chosen["layer"], chosen["query"]
    stack, part = KINDS[kind]
    weight = visit.truth.files.tensors[f"{stack}.layers.{layer}.{part}.output.weight"]
    mixes = visit.truth.run.stacked(kind, "heads")[layer][:, query]
    return np.einsum("mhd,hd->hm", weight.reshape(len(weight), *mixes.shape), mixes)


def _check_output(visit: Visit, chosen: Chosen, card: str) -> None:
    kind, layer, head, query = (chosen[name] for name in CELL[:4])
    stack, part = KINDS[kind]
    path = f"{stack}.layers.{layer}.{part}.output"
    tensors, output = visit.truth.files.tensors, visit.truth.run.tensors[path][query]
    written = _written(visit, chosen)
    lengths = {f"head {i}": float(np.linalg.norm(own)) for i, own in enumerate(written)}
    if (bias := tensors.get(f"{path}.bias")) is not None:
        lengths["bias"] = float(np.linalg.norm(bias))
    lengths["together"] = float(np.linalg.norm(output))
    own = written[head]
    _check_strips(visit, "bars of the output", card, 3, own, output - own, output)
    numbers = visit.tables(f"{card} .cell-numbers")[1:]
    _check_columns(visit, "numbers of the output", numbers, own, output - own, output)
    lines = [line for table in visit.tables(f"{card} .cell-heads") for line in table if line[0]]
    visit.same("lengths of the output", [line[0] for line in lines], list(lengths))
    for (name, said, *_), length in zip(lines, lengths.values(), strict=False):
        visit.stated("lengths of the output", said, length, 2e-5, name)
