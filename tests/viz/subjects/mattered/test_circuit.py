"""The paths of a difference through the model, as the patched cells show them."""

import functools

import pytest
from markupsafe import Markup

from model.attribution.patching import contest, patch
from model.attribution.sublayers import Part, sublayers
from tests.shipped import PAPER, shipped
from viz.subjects.mattered.circuit import Circuit, HeadShare, Step, find_circuit
from viz.subjects.mattered.packing import Pair, pack_patching
from viz.subjects.mattered.words.patching import lead, steps

TIRED = "the animal did not cross the street because it was too tired ."
WIDE = TIRED.replace("tired", "wide")


@functools.cache
def pair(name: str) -> Pair:
    run, model = shipped(name, TIRED)
    other = run.info.tokenizers.encode_source(WIDE)
    return Pair(run, other, patch(model, contest(model, run.source.ids, other.ids)))


def circuit_of(name: str) -> Circuit:
    config = pair(name).run.info.config
    return find_circuit(pair(name).found, [p for p in sublayers(config) if p.is_attention])


def said(name: str) -> list[str]:
    found = pair(name)
    told = steps(circuit_of(name), found.columns(True), found.columns(False))
    return [text.striptags() for text in told]


def test_the_steps_of_a_shipped_model_are_what_its_patched_cells_bring_back():
    found, circuit = pair(PAPER).found, circuit_of(PAPER)
    first, *told = said(PAPER)
    assert first == "The difference starts at tired/wide."
    assert circuit.steps[0].brings
    for step, text in zip(circuit.steps, told, strict=True):
        sublayer, at = step.part.sublayer, step.position
        assert step.whole == found.at("output", f"{sublayer}.output", None, at)
        for share in step.heads:
            assert share.z == found.at("z", f"{sublayer}.heads", share.head, at)
        zs = [share.z for share in step.heads]
        assert zs == sorted(zs, reverse=True)
        layer = sublayer.split(".")[2]
        assert text.startswith(f"{sublayer.split('.')[0].title()} layer {layer} ")


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        ((HeadShare(2, 0.9),), "head 2 alone restores 0.90"),
        ((HeadShare(1, 0.3),), "all heads together restore 1.00; the strongest, head 1"),
        ((), "all heads together restore 1.00, each alone almost nothing"),
    ],
)
def test_heads_are_told_alone_or_together(heads, words):
    step = Step(Part("encoder.layers.0.self_attn"), 0, 1.0, heads, brings=True)
    assert words in steps(Circuit((0,), (step,)), ["a"], [])[1].striptags()


def test_words_of_the_lead_are_escaped():
    told = lead("<b>", "y", (1.0, -1.0))
    assert Markup("&lt;b&gt;") in told
    assert "<b>" not in told


def test_every_patched_cell_is_sent_once_where_attentions_matter():
    found = pair(PAPER)
    parcel = pack_patching(found)
    shares = parcel["shares"].column("share").to_pylist()
    states, encoder, _, cross = parcel["meta"]["groups"]
    grid = states["grids"][0]
    assert grid["columns"][11] == "tired/wide"
    assert grid["rows"] == [
        "embedding",
        *(f"L{i} {n}" for i in (0, 1) for n in ("self-attn", "feed-fwd")),
    ]
    width = len(grid["columns"])
    at = found.found.at
    embedded = at("state", "source_embedding.output", None, 11)
    assert shares[grid["offset"] + 11] == pytest.approx(embedded)
    last = at("state", "encoder.layers.1.output", None, 8)
    assert shares[grid["offset"] + 4 * width + 8] == pytest.approx(last)
    for grid, what, name in zip(encoder["grids"], ("z", "row"), ("heads", "weights"), strict=True):
        row = grid["rows"].index("L0 H3")
        place = grid["offset"] + row * len(grid["columns"]) + 8
        cell = at(what, f"encoder.layers.0.self_attn.{name}", 3, 8)
        assert shares[place] == pytest.approx(cell)
    assert cross["grids"][0]["columns"][-2:] == ["il/elle", "all"]
