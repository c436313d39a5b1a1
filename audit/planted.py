"""Twelve faults, planted one at a time in the app or in the browser: each has to be named."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from audit.browser import launched, opened, serve
from audit.ledger import Ledger
from audit.pages import exports
from audit.pages.attention import check_view
from audit.pages.frame import check_frame
from audit.pages.sent import check_run
from audit.seen import Seen
from audit.truth import State, Truth, truth_of

_FOLDER = Path(__file__).parent / "faults"
_FIRST = State("english-french-paper-0", "the black cat sees the dog .")
_SECOND = State("english-french-paper-0", "the old dog sees my cat .")
_CHOSEN = {"kind": "encoder self-attention", "layer": 0, "head": 1, "query": 2, "key": 1}
_CELLS = ((0, 3), (1, 0), (4, 2), (5, 5))
"""Others of that head: whether a digit was rounded or cut off shows in every second number."""


@dataclass(frozen=True)
class Planted:
    """One fault, and what of the audit has to name it."""

    name: str
    where: str
    """server: a function of the app is spoiled as it is imported. browser: a script runs first."""
    caught_by: tuple[str, ...]


FAULTS = (
    Planted("axes", "server", ("weights of every head",)),
    Planted("heads", "server", ("weights of every head",)),
    Planted("row sum", "server", ("sum of each row, from 1",)),
    Planted("scale", "server", ("score on the card", "weights of every head")),
    Planted("probabilities", "server", ("probability of each token",)),
    Planted("unit", "server", ("measure: entropy",)),
    Planted("export", "server", ("head as Parquet", "head as CSV")),
    Planted("stale run", "browser", ("tokens",)),
    Planted("drawn labels", "browser", ("labels of the large map",)),
    Planted("drawn cells", "browser", ("colours of the large map",)),
    Planted("sentence", "browser", ("what the row reads most",)),
    Planted(
        "rounding", "browser", ("score on the card", "weight on the card", "share on the card")
    ),
)


def run(folder: Path, say: Callable[[str], None], faults: Sequence[Planted] = FAULTS) -> int:
    """Plant each fault; give 0 where all are named, and nothing is where none is planted."""
    missed: list[str] = []
    on_server = [fault for fault in faults if fault.where == "server"]
    in_browser = [fault for fault in faults if fault.where == "browser"]
    with launched() as browser:
        with serve(folder, environment={"LOUPE_KEPT": str(folder / "kept")}) as address:
            clean = look(browser, address, None)
            say(f"nothing planted: {clean.values:,} values, {len(clean.faults)} faults")
            missed += ["a clean app"] if clean.faults else []
            for fault in clean.faults:
                say(f"  {fault}")
            for planted in in_browser:
                missed += _judge(planted, look(browser, address, planted), say)
        for planted in on_server:
            with serve(folder, environment=environment_of(planted, folder)) as address:
                missed += _judge(planted, look(browser, address, planted), say)
    say(f"{len(faults) - len([m for m in missed if m != 'a clean app'])} of {len(faults)} caught")
    return 1 if missed else 0


def environment_of(planted: Planted, folder: Path) -> dict[str, str]:
    """Give what a server is started with that has a fault of its own."""
    return {
        "LOUPE_KEPT": str(folder / "kept"),
        "PYTHONPATH": str(_FOLDER),
        "AUDIT_PLANTED": planted.name,
    }


def look(browser: Browser, address: str, planted: Planted | None) -> Ledger:
    """Walk the page of attention, to another sentence and to the files; note what is off."""
    ledger = Ledger()

    def prepare(page: Page) -> None:
        if planted is not None and planted.where == "browser":
            script = (_FOLDER / "browser.js").read_text("utf-8").strip().removesuffix(";")
            page.add_init_script(f"{script}({planted.name!r});")

    with opened(browser, prepare) as page:
        seen = Seen(page, address)
        first, second = truth_of(_FIRST), truth_of(_SECOND)
        ledger.at("attention", str(_FIRST))
        seen.open("attention", _FIRST.query(**_CHOSEN))
        _check(seen, first, ledger)
        if planted is None or planted.name == "rounding":
            for query, key in _CELLS:
                seen.select(query=query, key=key)
                check_view(seen, first, ledger)
        if planted is None or planted.name == "stale run":
            ledger.at("attention", f"{_SECOND}, typed after the first")
            field = page.get_by_label("English source", exact=True)
            field.fill(_SECOND.source)
            field.press("Enter")
            page.wait_for_timeout(600)
            seen.rest()
            _check(seen, second, ledger)
        if planted is None or planted.name == "export":
            ledger.at("exports", str(_FIRST))
            exports.check(seen, _FIRST, first, ledger)
    return ledger


def _check(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    before = len(ledger.faults)
    check_frame(seen, truth, ledger)
    check_run(seen, truth, ledger)
    named = {fault.what for fault in ledger.faults[before:]}
    if "tokens" not in named:  # pictures of another run have other sizes
        check_view(seen, truth, ledger)


def _judge(planted: Planted, ledger: Ledger, say: Callable[[str], None]) -> list[str]:
    """Say whether a fault is caught, and by which finding that names its place."""
    found = [fault for fault in ledger.faults if fault.what in planted.caught_by]
    if not found:
        others = ", ".join(sorted({fault.what for fault in ledger.faults})) or "nothing"
        say(f"MISSED {planted.name} ({planted.where}): named were {others}")
        return [planted.name]
    say(f"caught {planted.name} ({planted.where}): {found[0]}")
    return []
