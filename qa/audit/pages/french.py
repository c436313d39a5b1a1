"""The page of attention in French: its answer, and each measure by the words that stand for it."""

import re

import numpy as np

from qa.audit.browser import wait
from qa.audit.ledger import Ledger
from qa.audit.numbers import check_stated, says
from qa.audit.page_reader import Seen
from qa.audit.reference.measures import head_measures
from qa.audit.truth import State, Truth

_MEASURES = {
    "Entropie": "entropy",
    "Uniformité": "entropy_share",
    "Distance": "distance",
    "Diagonalité": "diagonality",
    "Poids sur le précédent": "previous",
    "Poids sur le même": "same",
    "Poids sur le suivant": "next",
    "Poids sur le premier": "first",
    "Poids sur le dernier": "last",
}


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the answer of a cell of each kind, and what is said of heads that are pointed at."""
    if not truth.translates:
        return
    for kind in truth.run.kinds:
        weights = truth.weights(kind)
        query = weights.shape[2] // 2
        seen.open("attention", state.query(kind=kind, layer=1, head=1, query=query, lang="fr"))
        wait(seen.page, "() => auditAll('.loupe-heads .loupe-thumb').length > 0")
        _check_answer(seen, truth, ledger, kind, weights[1, 1, query], query)
        for layer, head in ((0, 1), (1, 2)):
            number = layer * weights.shape[1] + head
            seen.locate(".loupe-heads .loupe-thumb").nth(number).hover()
            lines = seen.page.evaluate(
                "() => auditAll('.loupe-tip').flatMap((t) => [...t.children].map(auditText))"
            )
            _check_measures(lines, truth, ledger, kind, layer, head)


def _check_answer(
    seen: Seen, truth: Truth, ledger: Ledger, kind: str, row: np.ndarray, query: int
) -> None:
    rows, columns = truth.axis(kind)
    said, best = re.sub(r"(\d),(\d)", r"\1.\2", seen.text(".reading-answer")), int(row.argmax())
    match = says(
        ledger,
        said,
        r"^(?:Pour écrire )?(.+?)(?:, le modèle)? (?:lit surtout (.+?)|se lit surtout lui-même) ?: "
        r"(?:plus de )?<%>",
        ("réponse : qui lit", rows[query]),
        ("réponse : ce qui est lu", columns[best]),
        ("réponse : part", row[best]),
        place=kind,
        missing="réponse",
    )
    if match and not match[2]:
        ledger.same("réponse : ce qui est lu", rows[query], columns[best], kind)


def _check_measures(
    lines: list[str], truth: Truth, ledger: Ledger, kind: str, layer: int, head: int
) -> None:
    weights, mask = truth.weights(kind)[layer, head], truth.mask(kind)
    found = head_measures(weights, mask, is_cross=kind == "cross-attention")
    place, compared = f"{kind} L{layer} H{head}", 0
    for line in lines:
        name, _, value = line.rpartition(" ")
        if name in _MEASURES:
            compared += 1
            number = value.replace(",", ".")
            computed = found[_MEASURES[name]]
            check_stated(ledger, f"mesure : {name}", number, computed, place=place, slack=1e-4)
    if not compared:
        ledger.missing("mesures")
