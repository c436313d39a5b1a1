"""The cuts of nouns, compared with least squares solved otherwise and with planted directions."""

import numpy as np
import pytest

from sample_data.everyday import english_nouns
from sample_data.word_classes import KnownNoun, NounForm
from tests.checkpoints import VARIANTS, load_shipped
from viz.subjects.embeddings.points import Vocabulary
from viz.subjects.embeddings.probe import RIDGE, Share, fit_cut, is_held_out, noun_plane


def least_squares(vectors, answers):
    """Solve the same problem as one system: a row for each penalty, none for the offset."""
    count, width = vectors.shape
    mean, size = vectors.mean(axis=0), (vectors - vectors.mean(axis=0)).std()
    rows = np.block(
        [
            [(vectors - mean) / size, np.ones((count, 1))],
            [np.sqrt(RIDGE) * np.eye(width), np.zeros((width, 1))],
        ]
    )
    signs = np.concatenate([np.where(answers, 1.0, -1.0), np.zeros(width)])
    found, *_ = np.linalg.lstsq(rows, signs, rcond=None)
    weights = found[:-1] / size
    return weights, found[-1] - mean @ weights


def noun(french, feminine, plural):
    return KnownNoun(NounForm(feminine, plural, plural), french)


def planted(seed=0, gender=1.0, number=1.0):
    """Return vectors of invented nouns, singular and plural; each fact lies along one direction."""
    draw = np.random.default_rng(seed)
    names = [f"n{i:03d}" for i in range(200)]
    genders = {name: i % 5 < 2 for i, name in enumerate(names)}
    known = {
        name + ending: noun(name, genders[name], bool(ending))
        for name in names
        for ending in ("", "s")
    }
    directions = np.linalg.qr(draw.normal(size=(32, 2)))[0].T
    facts = np.array([[k.form.is_feminine, k.form.is_plural] for k in known.values()])
    signs = np.where(facts, 1.0, -1.0) * [gender, number]
    noise = draw.normal(size=(len(known), 32)) * np.geomspace(0.1, 10, 32)
    noise -= noise @ directions.T @ directions
    rows = (noise + 0.05 * draw.normal(size=noise.shape) + signs @ directions).astype(np.float32)
    tokens = tuple(known)
    words = Vocabulary("source", np.arange(len(tokens)), tokens, rows, rows, 0.0)
    return words, known, directions


@pytest.mark.parametrize("count", [30, 500])
def test_a_cut_is_the_least_squares_of_another_way(count):
    """Both solve it in float64, so they differ by its unit times the condition of the equations."""
    draw = np.random.default_rng(count)
    vectors = draw.normal(size=(count, 24)) * np.geomspace(0.3, 3, 24) + draw.normal(size=24)
    answers = draw.random(count) < 0.3
    cut = fit_cut(vectors, answers)
    weights, offset = least_squares(vectors, answers)
    scaled = (vectors - vectors.mean(axis=0)) / vectors.std()
    condition = np.linalg.cond(scaled.T @ scaled + RIDGE * np.eye(24))
    tolerance = 2.0**-52 * condition * count
    assert np.abs(cut.weights - weights).max() <= tolerance * np.abs(weights).max()
    assert abs(cut.offset - offset) <= tolerance * (1 + np.abs(vectors).max() * 24)


def test_planted_directions_are_found_where_the_means_alone_find_nothing():
    words, known, directions = planted()
    plane = noun_plane(words, known)
    assert plane is not None
    assert (plane.gender.right, plane.number.right) == (1.0, 1.0)
    shown = plane.is_shown
    of_plane = np.array([noun.form.is_feminine for noun in plane.nouns])
    own = words.rows.astype(np.float64)
    cut = fit_cut(own[~shown], of_plane[~shown])
    assert abs(cut.weights @ directions[0]) / np.linalg.norm(cut.weights) > 0.99
    halves = [own[~shown][of_plane[~shown] == answer].mean(axis=0) for answer in (True, False)]
    by_means = (own[shown] - sum(halves) / 2) @ (halves[0] - halves[1]) > 0
    assert (by_means == of_plane[shown]).mean() < 0.95


def test_what_is_not_there_is_not_found():
    words, known, _ = planted(gender=0.0)
    plane = noun_plane(words, known)
    assert plane is not None
    assert not plane.gender.is_better
    assert plane.number.is_better
    assert plane.gender.baseline == pytest.approx(0.6, abs=0.02)
    assert not plane.gender.usual


def test_points_are_what_the_cuts_of_the_other_half_say():
    words, known, _ = planted()
    plane = noun_plane(words, known)
    assert plane is not None
    own, fitted = words.rows.astype(np.float64), ~plane.is_shown
    facts = np.array([[n.form.is_feminine, n.form.is_plural] for n in plane.nouns])
    for axis in (0, 1):
        weights, offset = least_squares(own[fitted], facts[fitted, axis])
        # the penalised equations have a condition number of about 1e6 here
        np.testing.assert_allclose(plane.points[:, axis], own @ weights + offset, atol=1e-7)


def test_both_numbers_of_a_noun_are_in_one_half_whatever_the_order():
    nouns = [noun(f"n{i}", False, plural) for i in range(9) for plural in (False, True)]
    found = is_held_out(nouns)
    assert (found[::2] == found[1::2]).all()
    assert found[::2].tolist() == [True, False] * 4 + [True]
    assert is_held_out(nouns[::-1]).tolist() == found[::-1].tolist()


def test_too_few_nouns_make_no_plane():
    words, known, _ = planted()
    few = dict([*known.items()][:60])
    assert noun_plane(words, few) is None
    assert noun_plane(words, {}) is None


def test_a_share_is_better_only_beyond_chance():
    assert Share(0.7, 0.6, 1000, False).is_better
    assert not Share(0.7, 0.6, 100, False).is_better


def test_neighbours_of_a_noun_are_counted_by_their_gender():
    words, known, _ = planted()
    plane = noun_plane(words, known)
    assert plane is not None
    unit = words.vectors / np.linalg.norm(words.vectors, axis=1, keepdims=True)
    feminine = np.array([n.form.is_feminine for n in plane.nouns])
    same = []
    for i, row in enumerate(unit @ unit.T):
        nearest = [j for j in np.argsort(-row) if j != i][:5]
        same.append((feminine[nearest] == feminine[i]).mean())
    assert plane.near.right == pytest.approx(np.mean(same))
    # 160 of 400 nouns are feminine
    assert plane.near.baseline == pytest.approx((160 * 159 + 240 * 239) / (400 * 399))


def shipped(name, side="source"):
    checkpoint = load_shipped(VARIANTS[name])
    tokens = checkpoint.info.tokenizers.source.all_tokens
    rows = checkpoint.model.embedding_of(side).weight.detach().float().numpy()
    return Vocabulary(side, np.arange(len(tokens)), tuple(tokens), rows, rows, 0.0)


def test_the_first_model_tells_the_gender_of_english_nouns_and_a_broken_one_does_not():
    plane = noun_plane(shipped("paper"), english_nouns())
    assert plane is not None
    assert plane.gender.right > 0.95
    assert plane.number.right > 0.98
    assert plane.gender.baseline < 0.65
    broken = noun_plane(shipped("headlist"), english_nouns())
    assert broken is not None
    assert not broken.gender.is_better
