"""The page of masks: the batch, what is hidden, and what changes when the causal mask is off."""

import re
from dataclasses import replace

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated
from qa.audit.pages.frame import check_frame
from qa.audit.reference.files import Array
from qa.audit.reference.layers import log_softmax
from qa.audit.reference.transformer import Reference
from qa.audit.seen import Seen
from qa.audit.tables import check_matrix, open_all
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
    _check_losses(seen, truth, truth.reference, ledger, exact=True)
    if not truth.reference.config["causal_mask"]:
        return
    seen.page.get_by_text("Decoder: hide later tokens").click()
    seen.page.wait_for_timeout(500)
    seen.rest()
    files = replace(
        truth.files,
        about=truth.files.about | {"config": truth.files.config | {"causal_mask": False}},
    )
    open_mask = Reference(files, dict(truth.reference.changes))
    ledger.at(ledger.page, f"{truth.state}, without the causal mask")
    _check_panels(seen, truth, open_mask, ledger)
    _check_losses(seen, truth, open_mask, ledger, exact=False)
    _check_leaks(seen, truth, open_mask, ledger)


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
    tables = open_all(seen)
    text = seen.text()
    match = re.search(
        r"Sentence 1 before and after ?(encoder|decoder)\.layers\.(\d+)\.(\w+)\.weights\[(\d+)\]",
        text,
    )
    if match is None:
        ledger.note("no head step by step")
        return
    stack, layer, part, head = match[1], match[2], match[3], int(match[4])
    path = f"{stack}.layers.{layer}.{part}"
    own = truth.run.tensors
    now = reference.forward(truth.source_ids, truth.target_ids[:-1]).tensors
    for caption, values in (
        ("Scores before the mask", now[f"{path}.scores"][head]),
        ("Weights under the variant's own masks", own[f"{path}.weights"][head]),
        ("Change in the weights", now[f"{path}.weights"][head] - own[f"{path}.weights"][head]),
    ):
        cells = next((c for name, c in tables.items() if name.startswith(caption)), None)
        if cells is None:
            ledger.note(f"no table {caption}")
            continue
        if (len(cells) - 1, len(cells[0]) - 1) != values.shape:
            ledger.note(f"{caption} is padded")
            continue
        mask = own[f"{path}.mask"].astype(bool) if "own masks" in caption else None
        check_matrix(
            ledger,
            caption,
            cells,
            values,
            mask=mask if mask is not None and not mask.all() else None,
            place=path,
            slack=3e-5,
        )


def _numbers(reference: Reference, truth: Truth) -> tuple[Array, float]:
    logits = reference.logits(truth.source_ids, truth.target_ids[:-1])
    logs = log_softmax(logits)
    return logits, float(-logs[np.arange(len(logs)), truth.target_ids[1:]].mean())


def _check_losses(
    seen: Seen, truth: Truth, reference: Reference, ledger: Ledger, *, exact: bool
) -> None:
    table = next(
        (t for t in seen.tables() if t and "largest change in a logit" in " ".join(t[0])), None
    )
    if table is None or not table[1:]:
        ledger.missing("the output, compared")
        return
    before, loss_before = _numbers(truth.reference, truth)
    after, loss_after = _numbers(reference, truth)
    line = table[1]
    check_stated(
        ledger,
        "largest change in a logit",
        line[1],
        float(np.abs(after - before).max()),
        slack=2e-4,
    )
    moved = int((after.argmax(-1) != before.argmax(-1)).sum())
    ledger.same("most probable tokens changed", line[2], f"{moved} of {len(before)}")
    if match := re.match(rf"({NUMBER}) → ({NUMBER})", line[3]):
        check_stated(ledger, "loss before", match[1], loss_before, slack=2e-5)
        check_stated(ledger, "loss now", match[2], loss_after, slack=2e-5)
    del exact


def _check_leaks(seen: Seen, truth: Truth, reference: Reference, ledger: Ledger) -> None:
    """Weight on later tokens, of the worst row of any head."""
    table = next((t for t in seen.tables() if t and "to later tokens" in " ".join(t[0])), None)
    if table is None:
        ledger.missing("what leaks")
        return
    weights = reference.forward(truth.source_ids, truth.target_ids[:-1]).weights(
        "decoder self-attention"
    )
    later = np.triu(np.ones(weights.shape[-2:]), 1)
    worst = float((weights * later).sum(-1).max())
    line = next((r for r in table if r[0].startswith("decoder")), None)
    if line:
        ledger.note(f"weight to later tokens: {line[1]}, this sentence's own worst {worst:.4g}")
