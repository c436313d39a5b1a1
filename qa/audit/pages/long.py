"""The Attention page with long runs, some kinds of which are sent reduced; in French."""

import re

import numpy as np

from qa.audit.browser import wait
from qa.audit.numbers import is_even
from qa.audit.page_reader import STEP, decode
from qa.audit.pages.cell import check_card
from qa.audit.pages.maps import check_lines, check_tips
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
"""In one, the encoder's matrices are small enough to stay whole, in the other the decoder's."""
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
    """Look at a head of each kind: its card, cells under the pointer, the lines of its rows."""
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
            check_tips(there, weights)
            check_lines(there, weights)


def _check_head(visit: Visit, weights: Array, kind: str) -> None:
    """Check that the head in view comes separately at full size, if its kind is sent reduced."""
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


def french(visit: Visit) -> None:
    """Check the answer of a cell of each kind, and the text about heads under the pointer."""
    if not visit.truth.translates:
        return
    for kind in visit.truth.run.kinds:
        weights = visit.truth.weights(kind)
        query = weights.shape[2] // 2
        visit.open(
            "attention", visit.state.query(kind=kind, layer=1, head=1, query=query, lang="fr")
        )
        wait(visit.page, "() => auditAll('.loupe-heads .loupe-thumb').length > 0")
        check_french(visit.at(kind), kind, weights[1, 1, query], query)
        for layer, head in ((0, 1), (1, 2)):
            number = layer * weights.shape[1] + head
            visit.page.locator(".loupe-heads .loupe-thumb").nth(number).hover()
            computed = head_measures(
                weights[layer, head], visit.truth.mask(kind), is_cross=kind == "cross-attention"
            )
            _check_measures(visit.at(f"{kind} L{layer} H{head}"), computed)


def check_french(visit: Visit, kind: str, row: np.ndarray, query: int) -> None:
    """Check the answer to one row, in French."""
    rows, columns = visit.truth.axis(kind)
    said = re.sub(r"(\d),(\d)", r"\1.\2", visit.text(".reading-answer"))
    what, best = "réponse : ce qui est lu", columns[row.argmax()]
    reader, share = ("réponse : qui lit", rows[query]), ("réponse : part", row.max())
    begins = r"^(?:Pour écrire )?(.+?)(?:, le modèle)? "
    evenly = rf"{begins}lit tous les mots à peu près également ?: <%> au plus, sur (.+?)\."
    mostly = rf"{begins}(?:lit surtout (.+?)|se lit surtout lui-même) ?: (?:plus de )?<%>"
    is_evenly = visit.says(said, evenly, reader, share, (what, best)) is not None
    if not is_evenly:
        match = visit.says(said, mostly, reader, (what, best), share, missing="réponse")
        if match and not match[2]:
            visit.same(what, rows[query], best)
    if (computed := is_even(row, int(visit.truth.mask(kind)[query].sum()))) is not None:
        visit.same("réponse : ligne uniforme", is_evenly, computed)


def _check_measures(visit: Visit, computed: dict[str, float]) -> None:
    lines = [line.rpartition(" ") for tip in visit.lines(".loupe-tip") for line in tip]
    known = [(name, value) for name, _, value in lines if name in _MEASURES]
    if not known:
        visit.missing("mesures")
    for name, value in known:
        number = value.replace(",", ".")
        visit.stated(f"mesure : {name}", number, computed[_MEASURES[name]], 1e-4)
