"""The walk: the pages and states to check against the reference."""

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from playwright.sync_api import Page

from qa.audit.foreign import SOURCE, Foreign, ForeignTruth
from qa.audit.ledger import Ledger
from qa.audit.page_reader import APP, SITE
from qa.audit.pages.attention import attention
from qa.audit.pages.compare import compare
from qa.audit.pages.decoding import decoding
from qa.audit.pages.embeddings import embeddings
from qa.audit.pages.long import french, long
from qa.audit.pages.reruns import masks, mattered, positions
from qa.audit.pages.shares import induction, start
from qa.audit.pages.site import (
    site_attention,
    site_decoding,
    site_french,
    site_map,
    site_start,
    site_touch,
)
from qa.audit.pages.site_inputs import site_embeddings, site_masks, site_positions
from qa.audit.pages.tensors import exports, map_
from qa.audit.pages.third_party import third_attention, third_decoding, third_map
from qa.audit.pages.touch import touch
from qa.audit.pages.training import training
from qa.audit.published import PublishedTruth, published
from qa.audit.truth import CHECKPOINTS, State, Truth, known_pairs, truth_of
from qa.audit.visit import Visit

_APP = (
    attention, decoding, map_, masks, positions, embeddings, mattered, compare,
    touch, induction, training, start, long, french, exports,
)  # fmt: skip
_SITE = (
    site_start, site_attention, site_map, site_touch, site_masks, site_decoding, site_positions,
    site_embeddings, site_french,
)  # fmt: skip
_THIRD = (third_attention, third_map, third_decoding)
PAGES: dict[str, Callable[[Visit], None]] = {
    check.__name__.removesuffix("_").replace("_", "-"): check for check in (*_APP, *_SITE, *_THIRD)
}
"""The walks by their names on the command line."""
OWN_SITE_PAGES = tuple(PAGES)[len(_APP) : -len(_THIRD)]
"""Those of the site of plain files."""
THIRD_PAGES = tuple(PAGES)[-len(_THIRD) :]
"""Those of a site of third-party models."""
SITE_PAGES = (*OWN_SITE_PAGES, *THIRD_PAGES)
_ONCE = {"training", "start", "long"}
"""Pages that show the same for each sentence."""
_CHANGES_SHOW = {"attention", "decoding", "exports", "map", "touch"}
_FOREIGN = ("attention", "decoding", "map", "embeddings", "exports")
DEFAULT = "The animal didn't cross the street because it was too tired."
_TYPED = {"everyday": "The young woman doesn't give her old book to the small child."}
"""For each task, the sentences to type on the site beside its own sentence."""
_TEXTS = {
    "everyday": (DEFAULT,),
    "induction": ("apple bell lamp apple bell lamp",),
    "brackets": ("([{",),
    "agreement": ("the happy men behind the tired mother <mask> .",),
}
_CHANGED = {
    "everyday-paper-0": (
        "zero!encoder.layers.1.self_attn.heads;h3",
        "point!decoder.layers.*.cross_attn.weights;r5;c1;a0.123456",
        "patch!decoder.layers.1.self_attn.weights;h1;r2_3;q5_1"
        "~cut!decoder.layers.*.cross_attn.weights;r4;c4_6",
    ),
}
"""Changes of a run by its link: a head off, a pull, a row that is copied to an earlier place."""


@dataclass(frozen=True)
class Stop:
    """A page in a state, and what must be seen there."""

    page: str
    state: State
    find: Callable[[State], Truth] = truth_of


def checkpoints() -> list[str]:
    """All shipped checkpoints, by name."""
    return sorted(path.stem for path in CHECKPOINTS.glob("*.json"))


def states(name: str, *, quick: bool = False) -> list[State]:
    """Return states of a checkpoint: its own sentence, held-out ones, changes."""
    truth = truth_of(State(name))
    found = [State(name, text) for text in _TEXTS.get(truth.files.about["task"], ())]
    pairs = known_pairs(truth)
    if not found or not quick:
        found += [State(name, source) for source, _ in pairs[:1]]
    if quick:
        return found[:1]
    if truth.translates and pairs:
        found.append(State(name, pairs[1][0], target=pairs[1][1]))
    changed = _CHANGED.get(name, ())
    return found + [State(name, found[0].source, changes=changes) for changes in changed]


def stops(
    pages: Sequence[str], names: Sequence[str], foreign: Sequence[Foreign], *, quick: bool = False
) -> Iterator[Stop]:
    """Return every page in every state that it has something to show of."""
    done: set[str] = set()
    for name in names:
        for number, state in enumerate(states(name, quick=quick)):
            for page in pages:
                once = page in _ONCE and (page in done or number)
                if not once and (number < 2 or page in _CHANGES_SHOW):
                    done.add(page)
                    yield Stop(page, state)
    for one in foreign:
        for page in (page for page in pages if page in _FOREIGN):
            yield Stop(page, State(one.name, SOURCE), partial(ForeignTruth, one.files))


def site_stops(pages: Sequence[str], names: Sequence[str]) -> Iterator[Stop]:
    """Return every page of the site for each of its models, with the sentence to type."""
    for name in names:
        (state,) = states(name, quick=True)
        truth = truth_of(state)
        source = _TYPED.get(truth.files.about["task"], state.source)
        for page in pages if truth.translates else ():
            yield Stop(page, replace(state, source=source))


def third_stops(pages: Sequence[str], foreign: Sequence[Foreign]) -> Iterator[Stop]:
    """Return every page of a model on the site of third-party models."""
    for one in foreign:
        find = partial(PublishedTruth, published(one.files))
        state = State(one.name, SOURCE)
        for page in pages:
            if page != "third-decoding" or not find(state).reads_only:
                yield Stop(page, state, find)


def walk(page: Page, address: str, found: Sequence[Stop], ledger: Ledger) -> None:
    """Go to each stop; a page that cannot be read is a fault, not the end."""
    for number, stop in enumerate(found, 1):
        began, before = time.monotonic(), len(ledger.faults)
        frame = SITE if stop.page in SITE_PAGES else APP
        truth, found_by = stop.find(stop.state), {"frame": frame, "find": stop.find}
        visit = Visit(page, address, stop.page, stop.state, truth, ledger, **found_by)
        try:
            PAGES[stop.page](visit)
        except Exception as error:
            visit.same("can be read", f"{type(error).__name__}: {error}"[:300], "a page")
            print("".join(traceback.format_exception(error)[-3:]))
        faults, seconds = ledger.faults[before:], time.monotonic() - began
        for fault in faults[:4]:
            print(f"  {fault}")
        print(f"{number}/{len(found)} {stop.page} [{stop.state}] {seconds:.0f} s", end="")
        print(f", {len(faults)} faults" if faults else "", flush=True)
