import numpy as np
import pytest
from sklearn import manifold

from viz.subjects.embeddings.geometry import (
    cosines,
    mean_cosine,
    neighbours,
    pca,
    tsne,
    without_common,
)

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(40, 8)) * np.array([5, 3, 2, 1, 1, 0.5, 0.5, 0.1])


def cosine(a, b) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def test_neighbours_are_those_of_a_loop():
    by_cosine = sorted(
        ((cosine(VECTORS[4], vector), i) for i, vector in enumerate(VECTORS) if i != 4),
        reverse=True,
    )
    found = neighbours(VECTORS, 4, 10)
    assert [neighbour.token for neighbour in found] == [i for _, i in by_cosine[:10]]
    np.testing.assert_allclose([n.cosine for n in found], [c for c, _ in by_cosine[:10]])


def test_cosines_are_those_of_a_loop():
    expected = np.array([[cosine(a, b) for b in VECTORS] for a in VECTORS])
    np.testing.assert_allclose(cosines(VECTORS), expected, atol=1e-12)
    apart = expected[~np.eye(len(VECTORS), dtype=bool)]
    assert mean_cosine(VECTORS) == pytest.approx(apart.mean())


def test_a_vector_of_zeros_is_at_a_right_angle_to_all():
    vectors = np.array([[0.0, 0.0], [1.0, 2.0]])
    np.testing.assert_allclose(cosines(vectors), [[0, 0], [0, 1]], atol=1e-12)


def test_what_all_have_in_common_is_their_mean_and_the_two_widest_directions():
    vectors = RNG.normal(size=(200, 8)) * np.array([5, 3, 2, 1, 1, 0.5, 0.5, 0.1]) + 7
    left = without_common(vectors)
    centred = vectors - vectors.mean(axis=0)
    _, sizes, right = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(left @ right[:2].T, 0, atol=1e-9)
    np.testing.assert_allclose(left @ right[2:].T, centred @ right[2:].T, atol=1e-9)
    np.testing.assert_allclose((left**2).sum(), (sizes[2:] ** 2).sum())
    few = without_common(vectors[:50])
    np.testing.assert_allclose(few, vectors[:50] - vectors[:50].mean(axis=0))


def test_pca_is_the_svd_of_the_centred_vectors():
    points, explained = pca(VECTORS)
    centred = VECTORS - VECTORS.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    axes, values = axes[:, ::-1], values[::-1]
    np.testing.assert_allclose(np.abs(points), np.abs(centred @ axes[:, :2]), atol=1e-9)
    np.testing.assert_allclose(explained, values / values.sum(), atol=1e-12)
    for vectors in (VECTORS, -VECTORS):
        found = np.linalg.lstsq(vectors - vectors.mean(axis=0), pca(vectors)[0])[0].T
        assert all(axis[np.abs(axis).argmax()] > 0 for axis in found)


def test_pca_of_equal_vectors_explains_nothing():
    points, explained = pca(np.ones((5, 3)))
    assert not points.any()
    assert not explained.any()
    with pytest.raises(ValueError, match="at least 2 vectors of 2 numbers, got 1 of 3"):
        pca(np.ones((1, 3)))


def test_tsne_keeps_far_groups_apart_and_says_how_far_to_trust_it(capsys):
    groups = np.concatenate([VECTORS[:20], VECTORS[20:] + 100])
    found = tsne(groups)
    away = ((found.points[:, None] - found.points[None]) ** 2).sum(axis=2)
    near = np.argsort(away, axis=1)[:, :5] < 20
    assert (near == (np.arange(40) < 20)[:, None]).all()
    expected = manifold.trustworthiness(groups, found.points, n_neighbors=10)
    assert found.trust == pytest.approx(expected)
    np.testing.assert_array_equal(tsne(groups).points, found.points)
    assert capsys.readouterr() == ("", "")
