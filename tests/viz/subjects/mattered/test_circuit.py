"""The ways that a difference takes: known in three models that all translate the pair rightly."""

import functools

import pytest
from markupsafe import Markup

from model.attribution.cuts import Part, sublayers
from model.attribution.patching import contest, patch
from tests.shipped import shipped
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


def test_one_model_resolves_the_pronoun_in_the_encoder():
    first, carried, pattern, fetched = said("english-french-paper-0")
    assert first == "It starts at tired/wide."
    assert carried.startswith("Encoder layer 0 carries it to it: head 3 alone brings back 0.99.")
    assert "It looks at the same words and finds something else there" in carried
    assert pattern.startswith("Encoder layer 1 works on it at it: all heads together")
    assert "It looks at other words" in pattern
    assert fetched.startswith("Decoder layer 1 fetches it from the source in the row that writes")
    assert "together bring back 1.00" in fetched


def test_a_step_is_said_to_bring_what_was_not_there():
    brings = [(s.part.sublayer, s.brings) for s in circuit_of("english-french-paper-0").steps]
    assert brings == [
        ("encoder.layers.0.self_attn", True),
        ("encoder.layers.1.self_attn", False),
        ("decoder.layers.1.cross_attn", True),
    ]


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        ((HeadShare(2, 0.9, 0.2),), "head 2 alone brings back 0.90. It looks at the same words"),
        ((HeadShare(2, 0.9, 0.5),), "Partly it looks at other words"),
        ((HeadShare(1, 0.3, 0.0),), "all heads together bring back 1.00, the strongest, head 1"),
        ((), "all heads together bring back 1.00, each alone next to nothing"),
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
    found = pair("english-french-paper-0")
    parcel = pack_patching(found)
    shares = parcel["shares"].column("share").to_pylist()
    states, encoder, decoder, cross = parcel["meta"]["groups"]
    grid = states["grids"][0]
    assert grid["columns"][11] == "tired/wide"
    assert grid["rows"] == [
        "embedding",
        *(f"L{i} {n}" for i in (0, 1) for n in ("self-attn", "feed-fwd")),
    ]
    width = len(grid["columns"])
    assert shares[grid["offset"] + 11] == pytest.approx(1.0, abs=0.02)
    assert shares[grid["offset"] + 1 * width + 8] == pytest.approx(1.0, abs=0.02)
    finds, looks = encoder["grids"]
    width = len(finds["columns"])
    assert finds["rows"][4] == "L0 H3"
    assert shares[finds["offset"] + 4 * width + 8] == pytest.approx(0.99, abs=0.02)
    assert shares[looks["offset"] + 4 * width + 8] == pytest.approx(0.0, abs=0.02)
    assert decoder["grids"] == []
    assert cross["grids"][0]["columns"][-2:] == ["il/elle", "all"]
