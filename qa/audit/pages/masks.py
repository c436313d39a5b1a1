"""The page of masks: the batch, what is hidden, and what changes when the causal mask is off."""

import re
from dataclasses import replace

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import check_stated, says
from qa.audit.page_reader import Seen
from qa.audit.pages.frame import check_frame
from qa.audit.reference.transformer import KINDS, Reference
from qa.audit.tables import captioned, check_matrix, headed, open_all
from qa.audit.truth import State, Truth

URL = "masks"
_FOLDS = {f"more_masks_{name}": "true" for name in ("batch", "each", "steps", "numbers")}


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the page as it opens, then with the causal mask switched off."""
    if not truth.translates:
        return
    seen.open(URL, state.query(**_FOLDS))
    check_frame(seen, truth, ledger)
    _check_batch(seen, truth, ledger)
    _check_hidden(seen, truth, ledger)
    _check_panels(seen, truth, truth.reference, ledger)
    _check_losses(seen, truth, truth.reference, ledger)
    if not truth.reference.config["causal_mask"]:
        return
    seen.page.get_by_text("Decoder: hide later tokens").click()
    seen.page.wait_for_timeout(500)
    seen.rest()
    config = truth.files.config | {"causal_mask": False}
    files = replace(truth.files, about=truth.files.about | {"config": config})
    open_mask = Reference(files, dict(truth.reference.changes))
    ledger.at(ledger.page, f"{truth.state}, without the causal mask")
    _check_panels(seen, truth, open_mask, ledger)
    _check_losses(seen, truth, open_mask, ledger)


def _check_batch(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    table = next(iter(seen.tables("table.loupe-batch")), None)
    if table is None:
        ledger.missing("the batch")
        return
    for line, side, tokens in (
        (table[0], "source", truth.source_tokens),
        (table[1], "target", truth.target_tokens[1:]),
    ):
        written = [cell for cell in line if cell and cell != "<pad>"][-len(tokens) :]
        ledger.same(f"the batch: {side}", written, tokens)


def _check_hidden(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    text = seen.text()
    source, target = len(truth.source_ids), len(truth.target_ids) - 1
    later = target * (target - 1) // 2 if truth.reference.config["causal_mask"] else 0
    for what, hidden, cells in (
        ("Encoder self-attention: padding mask", 0, source * source),
        ("Decoder self-attention: padding mask", 0, target * target),
        ("Decoder self-attention: causal mask", later, target * target),
        ("Decoder self-attention: both masks together", later, target * target),
        ("Cross-attention: padding mask", 0, source * target),
    ):
        match = re.search(rf"{what} ?(\d+) of (\d+) hidden", text)
        if match is None:
            ledger.note(f"no count for {what}")
            continue
        # Padded to the longest sentence of the batch, there is more to hide.
        seen_ = [int(n) for n in match.groups()]
        if seen_[1] == cells:
            ledger.same("hidden cells", seen_, [hidden, cells], what)


def _check_panels(seen: Seen, truth: Truth, reference: Reference, ledger: Ledger) -> None:
    tables, named = open_all(seen), seen.head_named("Sentence 1 before and after")
    if named is None:
        ledger.note("no head step by step")
        return
    kind, layer, head = named
    path = f"{KINDS[kind][0]}.layers.{layer}.{KINDS[kind][1]}"
    own = truth.run.tensors
    now = reference.forward(truth.source_ids, truth.target_ids[:-1]).tensors
    weights, mask = own[f"{path}.weights"][head], own[f"{path}.mask"].astype(bool)
    for caption, values, hidden in (
        ("Scores before the mask", now[f"{path}.scores"][head], None),
        ("Weights under the variant's own masks", weights, None if mask.all() else mask),
        ("Change in the weights", now[f"{path}.weights"][head] - weights, None),
    ):
        cells = captioned(tables, caption)
        if cells is None or (len(cells) - 1, len(cells[0]) - 1) != values.shape:
            ledger.note(f"{caption}: no table, or one that is padded")
            continue
        check_matrix(ledger, caption, cells, values, mask=hidden, place=path, slack=3e-5)


def _check_losses(seen: Seen, truth: Truth, reference: Reference, ledger: Ledger) -> None:
    table = headed(seen, "largest change in a logit")
    if table is None or not table[1:]:
        ledger.missing("the output, compared")
        return
    texts = truth.source_ids, truth.target_ids[:-1]
    before, after = (one.logits(*texts) for one in (truth.reference, reference))
    change, changed, losses = table[1][1:4]
    apart = np.abs(after - before).max()
    check_stated(ledger, "largest change in a logit", change, apart, slack=2e-4)
    moved = int((after.argmax(-1) != before.argmax(-1)).sum())
    ledger.same("most probable tokens changed", changed, f"{moved} of {len(before)}")
    claims = ("loss before", truth.loss_of(before)), ("loss now", truth.loss_of(after))
    says(ledger, losses, "^<#> → <#>", *claims, slack=2e-5)
