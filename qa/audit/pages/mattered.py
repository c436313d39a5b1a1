"""The page of what mattered: what each part costs when it is cut, and every measure of a token."""

import re
from collections.abc import Callable

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import check_stated, read_number, says
from qa.audit.page_reader import Seen
from qa.audit.pages.frame import check_frame
from qa.audit.reference.attribution import Attribution
from qa.audit.reference.files import Array
from qa.audit.reference.transformer import Reference
from qa.audit.tables import open_all
from qa.audit.truth import State, Truth

URL = "mattered"
_SITES = {
    ("encoder", "self-attention"): "self_attn",
    ("decoder", "self-attention"): "self_attn",
    ("decoder", "cross-attention"): "cross_attn",
    ("encoder", "feed-forward network"): "feed_forward",
    ("decoder", "feed-forward network"): "feed_forward",
}


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Cut every part that is listed, and hold the loss and the text against the page."""
    if not truth.translates:
        return
    seen.open(URL, state.query())
    check_frame(seen, truth, ledger)
    lines = seen.page.evaluate(
        """() => auditAll('button.mattered-line').map((b) =>
          [...b.children].map(auditText).filter(Boolean))"""
    )
    if not lines:
        ledger.missing("what each cut costs")
        return
    before = truth.loss_of(truth.step_logits(truth.reference))
    costs: dict[str, tuple[float, str]] = {}
    for line in lines:
        match = re.fullmatch(r"(.+? in (encoder|decoder) layer (\d+))", line[0])
        if match is None or len(line) < 3:
            ledger.same("a line of the cuts", line, "part, cost, text")
            continue
        part, stack, layer = match.groups()
        reference, (cost, said) = _without(truth, part, stack, int(layer)), line[-2:]
        lost = truth.loss_of(truth.step_logits(reference)) - before
        ids = reference.greedy(truth.source_ids, truth.prompt, len(truth.target_ids) + 7)
        text = truth.words.written(ids[1:])
        costs[part] = lost, text
        check_stated(ledger, "nats of loss that a cut costs", cost, lost, place=part, slack=2e-5)
        same = text == truth.text
        ledger.same("whether a cut changes the text", said == "the same", same, part)
        if not same and not said.endswith("…"):
            written = set(text.split()) <= set(said.split())
            ledger.holds("text after a cut", said, written, text, part)
    _check_answer(seen, truth, ledger, costs)
    folds = {"more_mattered_measures": "true", "more_mattered_lead": "true"}
    seen.open(URL, state.query(**folds))
    _check_measures(seen, truth, ledger)


_MEASURES: dict[str, Callable[[Attribution], Array]] = {
    "Last layer, mean of its heads": Attribution.attention,
    "Length of what arrives": Attribution.vectors,
    "What it adds to the logit": Attribution.direct,
    "Gradient × input": Attribution.gradient,
}
"""By their names on the page. That of swapping is left to a test: which words are put in place is
drawn by lot."""


def _check_measures(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    """Hold the measures of the token in view, and what each head adds to its lead."""
    row = seen.selection["step"]
    one = Attribution(truth.reference, truth.run, truth.source_ids, truth.target_ids, row)
    cells = next((c for caption, c in open_all(seen).items() if caption == "All measures"), None)
    if cells is None:
        ledger.missing("measures of a token")
        return
    rows = {line[0]: line[1:] for line in cells[1:]}
    for name, compute in _MEASURES.items():
        _check_row(ledger, name, rows.get(name), compute(one))
    said, name = rows.get("Integrated gradients"), "Integrated gradients"
    steps = seen.find(r"with (\d+) steps")
    if said is None or steps is None:
        ledger.missing(name)
    else:
        places = [int(i) for i in np.argsort([-abs(read_number(n).middle) for n in said])[:2]]
        computed = one.integrated(int(steps[1]), places)
        _check_row(ledger, name, [said[i] for i in places], computed)
    _check_lead(seen, truth, ledger, one)


def _check_row(ledger: Ledger, name: str, said: list[str] | None, computed: Array) -> None:
    if said is None or len(said) != len(computed):
        ledger.missing(name)
        return
    for i, (text, value) in enumerate(zip(said, computed, strict=True)):
        slack = 3e-5 * (1 + abs(float(value)))  # a small difference of large numbers, in float32
        check_stated(ledger, f"measure: {name}", text, value, place=f"key {i}", slack=slack)


def _check_lead(seen: Seen, truth: Truth, ledger: Ledger, one: Attribution) -> None:
    logits = truth.run.tensors["logits"][one.row]
    token = truth.target_ids[one.row + 1]
    other = int(np.argsort(-logits)[int(logits.argmax() == token)])
    lines = seen.page.evaluate(
        """() => auditAll('.lead-table tbody tr').map((line) =>
          [line.querySelector('[title]')?.title ?? '', ...[...line.cells].map(auditText)])"""
    )
    if not lines:
        ledger.missing("what adds to a lead")
        return
    for title, _, value, *_ in lines:
        if match := re.fullmatch(re.escape(one.name) + r"\.heads\[(\d+)\]", title):
            adds = one.head_adds(int(match[1]), token, other)
            check_stated(ledger, "what a head adds", value, adds, place=title, slack=2e-5)
    lead = float(logits[token] - logits[other])
    check_stated(ledger, "sum of what adds to a lead", lines[-1][2], lead, slack=5e-5)


def _without(truth: Truth, part: str, stack: str, layer: int) -> Reference:
    kind = next(k for s, k in _SITES if s == stack and k in part)
    path = f"{stack}.layers.{layer}.{_SITES[stack, kind]}"
    changes: dict[str, Callable[[Array], Array]] = dict(truth.reference.changes)
    if head := re.match(r"head (\d+) of", part):
        number = int(head[1])
        changes[f"{path}.heads"] = lambda values: (
            values * (np.arange(len(values)) != number)[:, None, None]
        )
    else:
        changes[f"{path}.output"] = np.zeros_like
    return Reference(truth.files, changes)


def _check_answer(
    seen: Seen, truth: Truth, ledger: Ledger, costs: dict[str, tuple[float, str]]
) -> None:
    said = seen.text(".loupe-answer")
    heads = {part: text for part, (_, text) in costs.items() if part.startswith("head")}
    changing = [part for part, text in heads.items() if text != truth.text]
    what = "heads that change a word"
    single = r"Of the (\d+) single heads, (\d+) changes? a word when (?:it is|they are) cut"
    says(ledger, said, single, (what, len(heads)), (what, len(changing)))
    match = re.match(
        r"Without head (\d+) of the ([\w-]+) in (encoder|decoder) layer (\d+), "
        r"(.+?) becomes (.+?)(?: and .+)?\. Of the",
        said,
    )
    if match is None:
        ledger.note(f"another answer: {said[:80]}")
        return
    number, kind, stack, layer, before, after = match.groups()
    part = f"head {number} of the {kind} in {stack} layer {layer}"
    text = heads.get(part, "")
    words = [(word, truth.text) for word in before.split()]
    right = all(word in of for word, of in [*words, *((word, text) for word in after.split())])
    ledger.holds("the answer's words", said[:120], right, text, part)
    ledger.holds("the answer's head changes a word", part, part in changing)
