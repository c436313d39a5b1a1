"""The site's pages on the inputs and bounds of attention: masks, positions, embeddings."""

import re
from dataclasses import replace

import numpy as np

from qa.audit.numbers import read_number
from qa.audit.page_reader import starting
from qa.audit.pages.embeddings import check_bars, check_nearest_said, check_plane, compared
from qa.audit.pages.reruns import check_map
from qa.audit.pages.site import sentences
from qa.audit.reference.layers import position_vectors
from qa.audit.reference.transformer import Reference
from qa.audit.visit import Visit

_PADDING = 2
_SLACK = 3e-5
"""The float32 tolerance of weights."""


def site_masks(visit: Visit) -> None:
    """Check a head of each kind under its masks, a row of it, and the causal mask switched."""
    for there in sentences(visit, "masks"):
        fold = there.page.locator(".st-key-masks_row")
        fold.evaluate("fold => { fold.open = true; }")
        reference = there.truth.reference
        config = reference.config | {"causal_mask": not reference.config["causal_mask"]}
        files = replace(reference.files, about=reference.files.about | {"config": config})
        runs = [_padded(there, of) for of in (reference, Reference(files, reference.changes))]
        for kind in there.truth.run.kinds:
            there.select(kind=kind, layer=1, head=1, query=1)
            there.rest()
            _check_panels(there.at(kind), kind, *runs)
            _check_row(there.at(kind), kind, runs[0])


def _padded(visit: Visit, reference: Reference):
    """Run a sentence with padding after both of its texts."""
    padding = [reference.config["pad_id"]] * _PADDING
    truth = visit.truth
    return reference.forward([*truth.source_ids, *padding], [*truth.target_ids[:-1], *padding])


def _check_panels(visit: Visit, kind: str, run, other) -> None:
    rows = len(visit.truth.weights(kind)[0, 0])
    before, after = (of.weights(kind)[1, 1, :rows] for of in (run, other))
    mask = _mask(visit, kind)[:rows]
    tables = visit.captioned()
    allowed = starting(tables, "Mask") or [[]]
    seen = [cell == "may be read" for line in allowed[1:] for cell in line[1:]]
    visit.same("cells of a mask", seen, mask.ravel().tolist())
    shown = starting(tables, "Weights of this head") or [[]]
    visit.matrix("weights under masks", shown, before, mask=mask, slack=_SLACK)
    change = "Change without this mask"
    if not visit.truth.reference.config["causal_mask"]:
        change = "Change with the mask"
    difference = starting(tables, change) or [[]]
    visit.matrix("change by the causal mask", difference, after - before, slack=_SLACK)


def _mask(visit: Visit, kind: str) -> np.ndarray:
    """Compute who may read whom: no padding, and in the decoder nothing later."""
    truth, config = visit.truth, visit.truth.reference.config
    encodes, decodes = kind == "encoder self-attention", kind == "decoder self-attention"
    source, target = (len(ids) for ids in (truth.source_ids, truth.target_ids[:-1]))
    rows, keys = (source if encodes else target), (target if decodes else source)
    mask = np.ones((rows + _PADDING, keys + _PADDING), bool)
    if config["encoder_padding_mask" if encodes else "decoder_padding_mask"]:
        mask[:, keys:] = False
    if decodes and config["causal_mask"]:
        mask &= np.tri(len(mask), dtype=bool)
    return mask


def _check_row(visit: Visit, kind: str, run) -> None:
    """Check the scores of a row, which a softmax turns into its weights."""
    row, mask = run.weights(kind)[1, 1, 1], _mask(visit, kind)[1]
    (table,) = visit.tables(".st-key-masks_row table")[:1] or ([],)
    if not visit.same("row of a mask: keys", len(table) - 1, len(row)):
        return
    scores = np.array([read_number(line[1]).middle for line in table[1:]])
    powers = np.exp(np.where(mask, scores, -np.inf) - scores[mask].max())
    visit.numbers("row of a mask: softmax of its scores", powers / powers.sum(), row, 2e-3)
    for line, weight, may in zip(table[1:], row, mask, strict=True):
        visit.stated("row of a mask: weight", line[3], weight, _SLACK, line[0])
        visit.same("row of a mask: hidden", bool(line[4]), not may, line[0])


def site_positions(visit: Visit) -> None:
    """Check the encoding, one number and its wave, the products, and the text without positions."""
    for there in sentences(visit, "positions"):
        there.page.locator(".st-key-positions_alike").evaluate("fold => { fold.open = true; }")
        there.rest()
        config, ids = there.truth.reference.config, there.truth.source_ids
        added = there.truth.run.tensors["source_embedding.positions"]
        if config["positions"] != "learned":
            own = position_vectors(config["positions"], len(ids), config["d_model"])
            there.numbers("positions of the reference", added, own, 1e-12)
        tables, text = there.captioned(), there.text()
        products = starting(tables, "Dot products") or [[]]
        check_map(there, len(ids))
        there.matrix("products of positions", products, added @ added.T, slack=1e-4)
        place = r"Dimension (\d+) of position (\d+) \(“.*?”\): <#> is added"
        if match := there.says(text, place, missing="one number of the encoding"):
            value = added[int(match[2]), int(match[1])]
            there.stated("one number of the encoding", match[3], value, 1e-6)
        _check_text(there, text)


def _check_text(visit: Visit, text: str) -> None:
    none = {f"{side}_embedding.positions": np.zeros_like for side in ("source", "target")}
    truth = visit.truth
    without = Reference(truth.reference.files, {**truth.reference.changes, **none})
    match = re.search(r"with its positions (.+?) without positions (.+?) In which text", text)
    if match is None:
        visit.missing("the texts with and without positions")
        return
    count = 2 * (len(truth.target_ids) - 1) + 8
    ids = without.greedy(truth.source_ids, truth.prompt, count)
    written = truth.words.written(ids[1:]) or "(no words)"
    visit.same("text as it is", match[1].strip(), truth.text or "(no words)")
    seen, whole = (said.replace(" ", "").rstrip("…") for said in (match[2], written))
    visit.same("text without positions", seen, whole)


def site_embeddings(visit: Visit) -> None:
    """Check the inputs of the first layer, the nearest words and their plane."""
    for there in sentences(visit, "embeddings"):
        fold = there.page.locator(".st-key-embeddings_sum")
        fold.evaluate("fold => { fold.open = true; }")
        there.rest()
        tables, tensors = there.captioned(), there.truth.run.tensors
        for caption, part in (
            ("Embeddings", "tokens"),
            ("Their", "positions"),
            ("The sum", "output"),
        ):
            values = tensors[f"source_embedding.{part}"]
            there.matrix(
                f"what enters: {part}", starting(tables, caption) or [[]], values, slack=3e-6
            )
        names, units = compared(there, "source")
        check_nearest_said(there, names, units)
        check_bars(there, names, units)
        check_plane(there, names, units)
