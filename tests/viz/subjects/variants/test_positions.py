import math

import numpy as np
import pytest
import torch

from viz.subjects.variants.material import source_ids, target_ids
from viz.subjects.variants.positions import (
    Frequencies,
    Movement,
    compare_frequencies,
    compare_movement,
    move,
    position_distances,
)
from viz.subjects.variants.words.positions import report_frequencies, report_movement

SAY = {Frequencies: report_frequencies, Movement: report_movement}


def said(found):
    return SAY[type(found)](found).verdict


@pytest.fixture(scope="module")
def frequencies(material):
    return compare_frequencies(material)


def test_one_frequency_comes_back_as_the_chord_of_a_circle():
    """Points k radians apart on a circle: the chord is |sin(k/2)| of the diameter."""
    expected = [abs(math.sin(k / 2)) for k in range(101)]
    np.testing.assert_allclose(position_distances("single_frequency", 64), expected, atol=1e-6)


def test_the_papers_distance_is_a_sum_of_chords():
    frequencies = [10000 ** (-i / 64) for i in range(0, 64, 2)]
    expected = [
        math.sqrt(sum(math.sin(k * w / 2) ** 2 for w in frequencies) / 32) for k in range(101)
    ]
    np.testing.assert_allclose(position_distances("sinusoidal", 64), expected, atol=1e-5)


def test_44_apart_nearly_coincide_and_22_apart_are_opposite(frequencies):
    assert frequencies.nearest == 44
    assert frequencies.furthest == 22
    assert frequencies.distances["headlist"][44] == pytest.approx(abs(math.sin(22)), abs=1e-6)
    assert said(frequencies).startswith("Positions 44 apart nearly coincide: 0.9 %")
    assert "22 apart they are at over 99.9 %, opposite." in said(frequencies)
    assert "it cannot tell the two apart" in said(frequencies)


def test_the_papers_positions_get_the_other_verdict(material):
    found = compare_frequencies(material, "paper")
    assert said(found).startswith("No two positions up to 100 apart coincide: the nearest, 1")


def test_moved_positions_are_those_that_the_embedding_gives_further_on(material):
    for checkpoint in material.checkpoints.values():
        model = checkpoint.model
        source = source_ids(checkpoint, material.text)
        target = target_ids(checkpoint, material.pairs[0][1])
        with torch.inference_mode():
            trace = model(source, target, edits=move(model.config.positions, 44))
            for moved, embedding, ids in (
                (trace.source_embedding, model.source_embedding, source),
                (trace.target_embedding, model.target_embedding, target),
            ):
                torch.testing.assert_close(moved.output, embedding(ids, start=44).output)


def test_losses_along_joined_sentences(frequencies, material):
    assert [len(losses) for losses in frequencies.joined.values()] == [3, 3]
    checkpoint = material.checkpoints["paper"]
    totals = np.zeros((4, 22))
    for text in range(4):
        some = material.pairs[10 * text : 10 * text + 10]
        source = source_ids(checkpoint, " ".join(s for s, _ in some))
        target = target_ids(checkpoint, " ".join(t for _, t in some))
        with torch.inference_mode():
            rows = checkpoint.model(source, target[:, :-1]).logits[0].double().log_softmax(dim=-1)
        for row in range(22, 44):
            totals[text, row - 22] = -rows[row, target[0, row + 1]]
    assert frequencies.joined["paper"][1] == pytest.approx(totals.mean(), rel=1e-4)


def test_counts_of_still_dimensions_follow_from_the_formulas(material):
    doubled = [
        np.ptp([math.sin(p / 1000 ** (2 * j / 64)) for p in range(50)]) < 0.1 for j in range(64)
    ]
    waves = {0: math.sin, 1: math.cos}
    paper = [
        np.ptp([waves[j % 2](p / 10000 ** ((j - j % 2) / 64)) for p in range(50)]) < 0.1
        for j in range(64)
    ]
    movement = compare_movement(material)
    assert movement.still == {"double_sine": sum(doubled), "sinusoidal": sum(paper)}
    assert f"With double sine positions {sum(doubled)} of 64 dimensions" in said(movement)
    assert said(movement).endswith(f"more than the paper's {sum(paper)}.")


@pytest.mark.parametrize(
    ("own", "words"), [([2, 2], "fewer than the paper's 1"), ([0, 2], "as many as the paper's 1")]
)
def test_the_verdict_on_movement_follows_the_counts(own, words):
    spans = {"double_sine": np.array(own, dtype=float), "sinusoidal": np.array([0.05, 2.0])}
    assert words in said(Movement(spans))
