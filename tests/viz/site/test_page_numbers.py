"""The site's numbers about masks, positions and embeddings, compared with PyTorch and NumPy."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.text.tokenizer import EOS_ID
from model.traces import named_tensors
from tests.checkpoints import SHIPPED, VARIANTS
from tests.closeness import UNIT, rooms, worst
from tests.node import told_by
from tests.shipped import PAPER, shipped
from viz.models import running
from viz.run.axes import attention_name
from viz.run.inputs import Inputs
from viz.site.embeddings import site_embeddings
from viz.subjects.embeddings.points import vocabulary
from viz.subjects.embeddings.sections.nearest import asked_word
from viz.subjects.masks.batch import LabBatch
from viz.subjects.masks.effects import compare
from viz.subjects.masks.lab import LabRun, Switches, TellingCell, run_lab, telling_cell
from viz.subjects.positions.reruns import WHERE, rerun
from viz.subjects.positions.table import formula_table, frequencies, waves

SCRIPT = Path(__file__).with_name("page_numbers.mjs")
TEXT = "the small black cat sees the red house ."
OTHERS = (
    Switches(causal=False),
    Switches(encoder_padding=False),
    Switches(target_padding=False, cross_padding=False),
)


def batch_of(checkpoint: Checkpoint, told: dict[str, Any]) -> LabBatch:
    """Make the batch of the single padded sentence that the browser ran."""
    source, target = torch.tensor([told["source"]]), torch.tensor([told["target"]])
    lengths = [int((ids != 0).sum()) for ids in (source, target)]
    written = torch.cat([target[:, 1:], target.new_zeros(1, 1)], dim=1)
    written[0, lengths[1] - 1] = EOS_ID
    tokenizers = checkpoint.info.tokenizers
    return LabBatch(tokenizers, source, target, written, (lengths[0],), (lengths[1],))


@pytest.mark.parametrize("name", [PAPER, VARIANTS["headlist"]])
@pytest.mark.parametrize("switches", OTHERS)
def test_masks_do_what_they_do_in_torch(name: str, switches: Switches):
    checkpoint = load_checkpoint(SHIPPED / name)
    own = Switches.of(checkpoint.info.config)
    asked = {"what": "masks", "checkpoint": str(SHIPPED / name), "text": TEXT, "padding": 3}
    told = told_by(SCRIPT, asked | {"switches": asdict(switches), "own": asdict(own)})
    batch = batch_of(checkpoint, told)
    before, now = (run_lab(checkpoint, batch, each) for each in (own, switches))
    tensors = dict(named_tensors(now.trace))
    allowed = dict(rooms(tensors))
    for at, kind in enumerate(now.kinds):
        mask = now.masks[kind].combined[0]
        assert told["masks"][at] == mask.int().flatten().tolist()
        weights = attention_name(kind, 1)
        found = np.reshape(told["weights"][at], tensors[weights].shape)
        assert worst(found, tensors[weights].numpy(), 2 * allowed[weights]) < 1
    cell, found = telling_cell(before, now), told["telling"]
    assert (cell is None) == (found is None)
    if cell is not None:
        own_cell = TellingCell(sentence=0, **{key: found[key] for key in PLACE})
        first, second = (moved_at(one, before, now) for one in (cell, own_cell))
        allowed_there = 2 * allowed[attention_name(cell.kind, cell.layer)].max()
        assert second == pytest.approx(first, abs=2 * allowed_there), "of equal ones, either"
        leaks = now.leaking_cells(own_cell.kind, own_cell.layer, own_cell.head, 0)
        assert told["leaks"] == [[*one] for one in leaks]
        check_row(told["steps"], now, own_cell)
    (change,) = compare(before, now)
    assert len(told["changed"]["changed"]) == len(change.changed)


PLACE = ("kind", "layer", "head", "row", "key")


def moved_at(cell: TellingCell, before: LabRun, now: LabRun) -> float:
    """Return how far a weight has moved."""
    was, is_ = (run.weights(cell.kind, cell.layer, cell.head, 0) for run in (before, now))
    return abs(float(is_[cell.row, cell.key] - was[cell.row, cell.key]))


def check_row(steps: list[dict[str, Any]], run: LabRun, cell: TellingCell) -> None:
    """Compare a row with PyTorch's scores: the masked keys, and the softmax of the others."""
    name = attention_name(cell.kind, cell.layer)
    scores = dict(named_tensors(run.trace))[name.replace("weights", "scores")][0, cell.head]
    mask = run.masks[cell.kind].combined[0, cell.row].numpy()
    row = scores[cell.row].double().numpy()
    np.testing.assert_allclose([step["score"] for step in steps], row, atol=1e-3)
    masked = np.where(mask, row, -1e9)
    hidden = [step["masked"] == -1e9 for step in steps]
    assert hidden == (~mask).tolist()
    assert [step["why"] is None for step in steps] == mask.tolist()
    powers = np.exp(masked - masked.max())
    np.testing.assert_allclose([s["weight"] for s in steps], powers / powers.sum(), atol=1e-3)
    later = [step["why"] == "future" for step in steps]
    if cell.kind == "decoder self-attention":
        real = run.batch.target_lengths[0]
        assert later == [not may and key < real for key, may in enumerate(mask)]


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["paper", "addnorm", "headlist", "learned"])
def test_positions_are_those_of_the_formula(variant: str):
    name = PAPER if variant == "paper" else VARIANTS[variant]
    run, model = shipped(name, TEXT)
    dimensions = [0, 1, 7, 8, 63]
    asked = {"what": "positions", "checkpoint": str(SHIPPED / name), "text": TEXT}
    told = told_by(SCRIPT, asked | {"dimensions": dimensions})
    encodings = run.trace.embedding_of("source").positions.double().numpy()
    count = len(encodings)
    products = np.reshape(told["products"], (count, count))
    expected = encodings @ encodings.T
    lengths = np.linalg.norm(encodings, axis=1)
    assert (abs(products - expected) <= 4 * UNIT * np.outer(lengths, lengths)).all()
    kind, size = run.info.config.positions, run.info.config.d_model
    if kind == "learned":
        assert told["waves"] == told["curves"] == [None] * len(dimensions)
    else:
        base = formula_table(kind, 2, size).base
        rates = frequencies(kind, size, base)
        assert rates is not None
        np.testing.assert_allclose(told["waves"], 2 * np.pi / rates[dimensions], rtol=1e-12)
        for i, curve in zip(dimensions, told["curves"], strict=True):
            places, values = np.transpose(curve)
            own = waves(kind, places, size, base)[:, i]
            np.testing.assert_allclose(values, own, atol=1e-12)
    for where, text in zip(WHERE, told["written"], strict=True):
        again = rerun(run, model, "zeroed", where, seed=0)
        assert text == (again.text if again.finished else f"{again.text} …")


def numpy_axes(vectors: np.ndarray) -> np.ndarray:
    """Return the directions of the largest variance; each one's largest component is positive."""
    _, _, axes = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    largest = abs(axes).argmax(axis=1)
    return axes * np.sign(axes[range(len(axes)), largest])[:, None]


def test_a_plane_is_that_of_numpy():
    drawn = np.random.default_rng(3).normal(size=(40, 64)) * np.linspace(3, 0.2, 64)
    for vectors in (drawn, drawn[:3], np.repeat(drawn[:1], 3, axis=0)):
        found = np.array(told_by(SCRIPT, {"what": "plane", "vectors": vectors.tolist()}))
        centred = vectors - vectors.mean(axis=0)
        expected = (centred @ numpy_axes(vectors).T)[:, :2]
        np.testing.assert_allclose(found, expected, atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", [PAPER, "everyday-learned", "digits-paper"])
def test_words_are_compared_as_numpy_compares_them(name: str):
    run, model = shipped(name)
    view = running.open_view(Inputs(name, run.source_text, "", "cpu"))
    sent = site_embeddings(view)
    for side, words in sent["words"].items():
        known = vocabulary(run, model, side)
        rows = model.embedding_of(side).weight.detach()[known.ids].double().numpy()
        vectors = rows - rows.mean(axis=0)
        if len(rows) >= 100:
            common = numpy_axes(rows)[:2]
            vectors = vectors - vectors @ common.T @ common
        scaled = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        few = list(known.tokens[5:9])
        text = run.texts[side]
        asked = {"what": "embeddings", "checkpoint": str(SHIPPED / name), "side": side}
        told = told_by(SCRIPT, asked | {"sent": words, "texts": [text], "words": few})
        assert told["tokens"] == list(known.tokens)
        cosines = scaled @ scaled.T
        for word, near in zip(few, told["near"], strict=True):
            one = known.tokens.index(word)
            ranked = np.sort(np.delete(cosines[one], one))[::-1][: len(near)]
            np.testing.assert_allclose([each["cosine"] for each in near], ranked, atol=1e-10)
            at = [each["at"] for each in near]
            np.testing.assert_allclose(cosines[one, at], ranked, atol=1e-10)
        units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        mean = ((units @ units.T).sum() - len(rows)) / (len(rows) * (len(rows) - 1))
        assert told["inCommon"] == pytest.approx(mean, abs=1e-10)
        plane = scaled[: len(few)]
        expected = ((plane - plane.mean(axis=0)) @ numpy_axes(plane).T)[:, :2]
        np.testing.assert_allclose(told["points"], expected, atol=1e-10)
        assert set(sent["looks"]) >= set(told["groups"])


def test_the_words_of_a_sentence_come_in_the_order_of_the_app():
    run, _ = shipped(PAPER)
    view = running.open_view(Inputs(PAPER, run.source_text, "", "cpu"))
    asked = {"what": "embeddings", "checkpoint": str(SHIPPED / PAPER), "side": "source"}
    sent = site_embeddings(view)["words"]["source"]
    told = told_by(SCRIPT, asked | {"sent": sent, "texts": [run.texts["source"]], "words": ["it"]})
    assert told["ofText"] == [list(asked_word(view).of_text)]


def test_no_two_labels_overlap():
    place = [[0, 0], [10, 3], [200, 0], [0, 40]]
    words = ["street", "road", "car", "house"]
    assert told_by(SCRIPT, {"what": "labels", "place": place, "words": words}) == [0, 2, 3]
