"""The page of attention once more: long runs, some kinds of which are sent reduced; in French."""

import re

import numpy as np

from qa.audit.browser import wait
from qa.audit.numbers import NUMBER
from qa.audit.page_reader import STEP, decode
from qa.audit.pages.attention import check_card
from qa.audit.pages.run import check_run
from qa.audit.reference.files import Array
from qa.audit.reference.measures import head_measures
from qa.audit.truth import State
from qa.audit.visit import Visit

_SOURCE, _TARGET = ["the", "cat", "sleeps", "."], ["le", "chat", "dort", "."]
LONG = (
    State("everyday-paper-0", " ".join(_SOURCE * 28), target=" ".join(_TARGET * 60)),
    State("everyday-paper-0", " ".join(_SOURCE * 70), target=" ".join(_TARGET * 4)),
)
"""The encoder's matrices are small enough to stay whole in one, the decoder's in the other."""
_MASS_APART = 2e-3
"""Of the share that lines are drawn for: the steps of a row's codes add up."""
_POINTED = ((0, 0), (3, 8), (9, 4), (7, 7), (9, 1))
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


def long(visit: Visit) -> None:
    """Look at a head of each kind: its card, cells that are pointed at, the lines of its rows."""
    for state in LONG:
        visit = visit.of(state)
        for number, kind in enumerate(visit.truth.run.kinds):
            weights, there = visit.truth.weights(kind)[1, 2], visit.at(kind)
            rows, columns = weights.shape
            cell = {"kind": kind, "layer": 1, "head": 2, "query": rows // 2, "key": columns // 3}
            visit.open("attention", state.query(**cell))
            if not number:
                check_run(visit)
            _check_head(there, weights, kind)
            check_card(visit, visit.text(".loupe-cell_words"), cell)
            _check_tips(there, weights)
            _check_lines(there, weights)


def _check_head(visit: Visit, weights: Array, kind: str) -> None:
    """Where a kind is sent reduced, the head in view has to come apart, at full size."""
    run = visit.run()
    if run is None or run["kinds"][kind]["whole"]:
        visit.holds("what is sent whole", kind, max(weights.shape) <= 164)
        return
    codes = np.asarray(run["heads"].get(f"{kind} 1 2", []))
    if codes.size != weights.size:
        visit.missing("the whole head")
        return
    sent = decode(codes.reshape(weights.shape))
    visit.numbers("weights of the head in view", sent, weights, STEP)


def _check_tips(visit: Visit, weights: Array) -> None:
    """Point at cells of the last map of the head, which shows those around the selected one."""
    shape = visit.page.evaluate(
        """() => {
          const frame = auditAll('.loupe-head .loupe-heatmap').filter((f) => f.shape?.cell).at(-1);
          frame.scrollIntoView({ block: 'center', behavior: 'instant' });
          const { x, y } = frame.querySelector('canvas').getBoundingClientRect();
          return { high: frame.shape.cell, ...frame.shape,
            left: x + frame.shape.x, top: y + frame.shape.y };
        }"""
    )
    for row, column in _POINTED:
        visit.page.mouse.move(
            shape["left"] + (min(column, shape["columns"] - 1) + 0.5) * shape["cell"],
            shape["top"] + (min(row, shape["rows"] - 1) + 0.5) * shape["high"],
        )
        wait(visit.page, "() => auditAll('.loupe-tip').length > 0 && window.loupe.hover")
        at = visit.page.evaluate("() => ({...window.loupe.hover})")
        text, weight = visit.text(".loupe-tip"), weights[at["query"], at["key"]]
        there = visit.at(f"{visit.place} ({at['query']}, {at['key']})")
        if match := re.search(rf"((?:below |above )?{NUMBER})\s*$", text):
            there.stated("tooltip", match[1], weight, 1e-5)
        else:
            there.holds("tooltip", text, "masked" in text and weight == 0, f"{weight}")


def _check_lines(visit: Visit, weights: Array) -> None:
    """Hold which lines are drawn: the largest of a row that together reach the share."""
    drawn, labels, mass = visit.page.evaluate(
        """() => {
          const of = (s, ...names) =>
            auditAll(s).map((n) => names.map((name) => Number(n.dataset[name])));
          const labels = of('.loupe-lines text[data-column]', 'column');
          return [of('.loupe-lines path', 'row', 'column'), labels, 0.9];
        }"""
    )
    if not drawn:
        visit.missing("lines")
    for row in sorted({row for row, _ in drawn}):
        own = weights[row]
        for (column,) in labels:
            is_drawn, others = [row, column] in drawn, np.delete(own, column)
            alike = own[column] + (2 * STEP if is_drawn else -2 * STEP)
            larger = float(others[others > alike].sum() / own.sum())
            right = larger < mass + _MASS_APART if is_drawn else larger > mass - _MASS_APART
            claim = f"row {row}, {'a' if is_drawn else 'no'} line to column {column}"
            because = f"weight {own[column]:.4f}, larger ones {larger:.4f}"
            visit.holds("lines for a share", claim, right or own[column] < STEP, because)


def french(visit: Visit) -> None:
    """Hold the answer of a cell of each kind, and what is said of heads that are pointed at."""
    if not visit.truth.translates:
        return
    for kind in visit.truth.run.kinds:
        weights = visit.truth.weights(kind)
        query = weights.shape[2] // 2
        visit.open(
            "attention", visit.state.query(kind=kind, layer=1, head=1, query=query, lang="fr")
        )
        wait(visit.page, "() => auditAll('.loupe-heads .loupe-thumb').length > 0")
        _check_french(visit.at(kind), kind, weights[1, 1, query], query)
        for layer, head in ((0, 1), (1, 2)):
            number = layer * weights.shape[1] + head
            visit.page.locator(".loupe-heads .loupe-thumb").nth(number).hover()
            computed = head_measures(
                weights[layer, head], visit.truth.mask(kind), is_cross=kind == "cross-attention"
            )
            _check_measures(visit.at(f"{kind} L{layer} H{head}"), computed)


def _check_french(visit: Visit, kind: str, row: np.ndarray, query: int) -> None:
    rows, columns = visit.truth.axis(kind)
    said = re.sub(r"(\d),(\d)", r"\1.\2", visit.text(".reading-answer"))
    what, best = "réponse : ce qui est lu", columns[row.argmax()]
    match = visit.says(
        said,
        r"^(?:Pour écrire )?(.+?)(?:, le modèle)? (?:lit surtout (.+?)|se lit surtout lui-même) ?: "
        r"(?:plus de )?<%>",
        ("réponse : qui lit", rows[query]),
        (what, best),
        ("réponse : part", row.max()),
        missing="réponse",
    )
    if match and not match[2]:
        visit.same(what, rows[query], best)


def _check_measures(visit: Visit, computed: dict[str, float]) -> None:
    lines = [line.rpartition(" ") for tip in visit.lines(".loupe-tip") for line in tip]
    known = [(name, value) for name, _, value in lines if name in _MEASURES]
    if not known:
        visit.missing("mesures")
    for name, value in known:
        number = value.replace(",", ".")
        visit.stated(f"mesure : {name}", number, computed[_MEASURES[name]], 1e-4)
