"""The site of plain files: its pages that follow a run, as they open and with a typed sentence."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from qa.audit.pages.attention import look_around
from qa.audit.pages.cell import check_numbers
from qa.audit.pages.decoding import check_branches, check_step, steps_of
from qa.audit.pages.long import check_french
from qa.audit.pages.maps import check_tips
from qa.audit.pages.run import check_run, check_trace
from qa.audit.pages.start import check_stages
from qa.audit.pages.tensors import NAMED, check_values
from qa.audit.pages.touch import (
    CROSS,
    board_of,
    changes_made,
    check_board,
    check_drag,
    check_touched,
    held_in,
)
from qa.audit.visit import Visit

_FIELD = ".st-key-source input"
_HALF, _ONE = 9, 19
"""The positions on the slider of temperatures for 0.5 and for 1."""


def site_start(visit: Visit) -> None:
    """Check the question of each sentence, and the question about its second word."""
    for there in sentences(visit, ""):
        check_stages(there)
        there.page.locator(".loupe-start-words button").nth(1).click()
        there.page.mouse.move(0, 0)
        there.rest()
        asked = there.text(".loupe-start-words .loupe-start-asked")
        there.same("word that is asked about", asked, there.truth.source_tokens[1])
        check_stages(there)


def site_attention(visit: Visit) -> None:
    """Check a cell of each kind, its numbers, and cells under the pointer."""
    for there in sentences(visit, "attention"):
        look_around(there)
        there.page.locator(".site-numbers").evaluate("fold => { fold.open = true; }")
        for kind in there.truth.run.kinds:
            there.select(kind=kind)
            chosen = there.selection
            check_numbers(there, chosen)
            check_tips(there, there.truth.weights(kind)[chosen["layer"], chosen["head"]])


def site_french(visit: Visit) -> None:
    """Check the answer to a row of each kind, in French."""
    for there in sentences(visit, "attention", lang="fr"):
        for kind in there.truth.run.kinds:
            row = there.truth.weights(kind)[1, 1]
            there.select(kind=kind, layer=1, head=1)
            there.select(query=len(row) // 2)
            check_french(there.at(kind), kind, row[len(row) // 2], len(row) // 2)


def site_map(visit: Visit) -> None:
    """Check one tensor of each sort."""
    for there in sentences(visit, "map"):
        card = there.page.locator(".st-key-card_tensor")
        card.evaluate("fold => { fold.open = true; }")
        for name in (name for name in NAMED if name in there.truth.run.tensors):
            card.locator("select").select_option(name)
            there.rest()
            check_values(there.at(name), there.truth.run.tensors[name])


def site_touch(visit: Visit) -> None:
    """Pull a line of all heads, then one of one head of each kind; cut one."""
    for there in sentences(visit, "touch"):
        there.page.locator(".loupe-touch-tools details").evaluate("f => { f.open = true; }")
        _press(there, "pull")
        _press(there, "all")
        held = held_in(there)
        there.same("kind of attention that is held", held.kind, CROSS)
        check_board(there, board_of(there), held)
        check_drag(there, held)
        _undo(there)
        for kind in there.truth.run.kinds:
            _press(there, kind)
            _press(there, "head")
            held = held_in(there)
            check_board(there.at(kind), board_of(there), held)
            if len(held.row(there)) > 1:
                check_drag(there.at(f"{kind}, one head"), held)
                _undo(there)
        _press(there, "cut")
        _check_cut(there)


def _press(visit: Visit, value: str) -> None:
    visit.page.locator(f'.loupe-touch-tools [data-value="{value}"]').click()
    visit.page.wait_for_timeout(100)
    visit.rest()


def _undo(visit: Visit) -> None:
    """Undo the change, which restores the run."""
    visit.page.locator(".loupe-touch-quiet").click()
    visit.rest()
    check_run(visit.at("undone"))


def _check_cut(visit: Visit) -> None:
    """Hide the word that is read most from the head in view."""
    held = held_in(visit)
    visit.page.locator(".loupe-touch-keys button").nth(int(held.row(visit).argmax())).click()
    cut = visit.of(replace(visit.state, changes=changes_made(visit)))
    check_touched(cut.at("cut"), visit, held)


def site_decoding(visit: Visit) -> None:
    """Check three steps of the written text, a branch of it, and a sample."""
    for there in sentences(visit, "decoding"):
        check_written(there, _select)


def check_written(visit: Visit, go: Callable[[Visit, int], None]) -> None:
    """Check a written text, then a branch of it and a sample."""
    check_branches(visit, visit.truth)
    for step in steps_of(visit.truth):
        go(visit, step)
        check_step(visit.at(f"step {step}"), step)
    _check_branch(visit)
    _check_sample(visit)


def _check_branch(visit: Visit) -> None:
    """Take the second candidate of the middle step instead."""
    truth, step = visit.truth, steps_of(visit.truth)[1]
    go_to(visit, step)
    second = int(np.argsort(-truth.log_probabilities[step], kind="stable")[1])
    visit.page.locator("button.studio-candidate").nth(1).click()
    visit.rest()
    branch = replace(
        visit, truth=truth.after([*truth.target_ids[len(truth.prompt) : step + 1], second])
    )
    check_branches(branch, truth, branch.truth)
    for place in (step, len(branch.truth.target_ids) - 2):
        go_to(visit, place)
        check_step(branch.at(f"branch, step {place}"), place)


def _check_sample(visit: Visit) -> None:
    """Read the drawn sample, and check the text about it; its tokens are random."""
    visit.page.get_by_role("button", name="Sampling").click()
    visit.rest()
    drawn = [text for line in visit.lines(".studio-branch-tokens")[:1] for text in line]
    side = visit.truth.words.target
    ids = {side.token(i): i for i in range(len(visit.truth.log_probabilities[0]))}
    sample = replace(visit, truth=visit.truth.after([ids[token] for token in drawn], whole=True))
    check_branches(sample, sample.truth)
    first, last = len(visit.truth.prompt) - 1, len(sample.truth.target_ids) - 2
    for place in (first, last):
        go_to(visit, place)
        check_step(sample.at(f"sample, step {place}"), place)
    visit.page.locator(".studio-shaper input[type=range]").first.fill(str(_HALF))
    visit.rest()
    check_step(sample.at("sample, temperature 0.5"), last, 0.5)
    visit.page.locator(".studio-shaper input[type=range]").first.fill(str(_ONE))
    visit.page.get_by_role("button", name="Greedy").click()
    visit.rest()


def _select(visit: Visit, step: int) -> None:
    """Choose a step of the run in view, as another picture does: the player follows."""
    visit.select(step=step)


def go_to(visit: Visit, step: int) -> None:
    """Move the player with its slider."""
    visit.page.locator(".studio-scrubber").fill(str(step))
    visit.rest()


def sentences(visit: Visit, path: str, **more: str) -> Iterator[Visit]:
    """Open a page with the model's first sentence, then type the one of the state."""
    visit.open(path, {"checkpoint": visit.state.checkpoint, **more})
    field = visit.page.locator(_FIELD)
    typed = visit.state.source
    for source in (field.input_value(), typed):
        if field.input_value() != source:
            field.fill("")
            field.press_sequentially(source)
            field.press("Escape")
            visit.rest()
        there = visit.of(replace(visit.state, source=source))
        check_around(there)
        yield there


def check_around(visit: Visit) -> None:
    """Check the parts around each page, and the run in the browser."""
    visit.same("what is said of the sentence", visit.text(".site-note"), "")
    shown = filter(None, map(visit.text, (".loupe-live-sentence", ".loupe-start-target")))
    visit.same("what was written", next(shown, visit.truth.text), visit.truth.text)
    check_run(visit)
    check_trace(visit)
