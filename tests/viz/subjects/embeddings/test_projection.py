import numpy as np
import pytest
from sklearn import manifold

from viz.subjects.embeddings.projection import (
    PCA,
    TSNE,
    distances,
    nearest,
    pca,
    project,
    trustworthiness,
)

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(40, 8)) * np.array([5, 3, 2, 1, 1, 0.5, 0.5, 0.1])


def test_pca_is_the_svd_of_the_centred_vectors():
    points, explained = pca(VECTORS, 3)
    centred = VECTORS - VECTORS.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    axes, values = axes[:, ::-1], values[::-1]
    np.testing.assert_allclose(np.abs(points), np.abs(centred @ axes[:, :3]), atol=1e-9)
    np.testing.assert_allclose(explained, values / values.sum(), atol=1e-12)
    assert explained.sum() == pytest.approx(1)


def test_pca_gives_each_component_a_positive_largest_weight():
    for vectors in (VECTORS, -VECTORS):
        centred = vectors - vectors.mean(axis=0)
        points, _ = pca(vectors, 3)
        axes = np.linalg.lstsq(centred, points)[0].T
        assert all(axis[np.abs(axis).argmax()] > 0 for axis in axes)


def test_pca_of_equal_vectors_explains_nothing():
    points, explained = pca(np.ones((5, 3)), 2)
    assert not points.any()
    assert not explained.any()


def test_a_seed_gives_the_same_points_again():
    first, again, other = (project(VECTORS, TSNE(2, 5, seed)).points for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert first.shape == (40, 2)
    assert np.abs(first - other).max() > 1e-3
    assert not np.allclose(first, project(VECTORS, TSNE(2, 10, 1)).points)


def test_keeps_far_groups_apart_and_says_how_far_to_trust_it(capsys):
    groups = np.concatenate([VECTORS[:20], VECTORS[20:] + 100])
    found = project(groups, TSNE(2, 5))
    shown = [nearest(found.points, i, 5, "euclidean") for i in range(40)]
    assert all(((near < 20) == (i < 20)).all() for i, near in enumerate(shown))
    expected = manifold.trustworthiness(groups, found.points, n_neighbors=10)
    assert (found.trust, found.trust_neighbours) == (pytest.approx(expected), 10)
    assert found.explained is None
    assert capsys.readouterr() == ("", "")


def test_too_few_points_are_refused_in_words():
    with pytest.raises(
        ValueError, match="a picture of 3 dimensions needs at least 5 points, got 4"
    ):
        project(VECTORS[:4], PCA(3))
    with pytest.raises(ValueError, match=r"[Pp]erplexity"):
        project(VECTORS[:5], TSNE())


@pytest.mark.parametrize("neighbours", [1, 19])
def test_trustworthiness_is_that_of_scikit_learn(neighbours):
    points = pca(VECTORS, 2)[0]
    expected = manifold.trustworthiness(VECTORS, points, n_neighbors=neighbours)
    assert trustworthiness(VECTORS, points, neighbours) == pytest.approx(expected)
    assert project(VECTORS[:9], PCA()).trust_neighbours == 4


def test_trustworthiness_by_hand():
    line = np.array([[0.0], [1.0], [2.1], [3.3], [4.6]])
    assert trustworthiness(line, line, 1) == 1
    # The picture swaps the ends. The nearest in it of 0 is 3, by the vectors the third: 2 too far;
    # of 1 it is 4, the fourth: 3 too far; of 2 and 3 the right one; of 4 it is 1, the third: 2 too
    # far. 7 in all, times 2 / (5 * 1 * (2 * 5 - 3 * 1 - 1)).
    swapped = np.array([[4.6], [1.0], [2.1], [3.3], [0.0]])
    assert trustworthiness(line, swapped, 1) == pytest.approx(1 - 7 * 2 / 30)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_nearest_are_those_of_a_loop(metric):
    def apart(a, b):
        if metric == "euclidean":
            return np.sqrt(((a - b) ** 2).sum())
        return 1 - a @ b / np.sqrt((a @ a) * (b @ b))

    away = [apart(VECTORS[7], vector) for vector in VECTORS]
    np.testing.assert_allclose(distances(VECTORS, metric, of=7)[0], away, atol=1e-6)
    np.testing.assert_allclose(distances(VECTORS, metric)[7], away, atol=1e-6)
    expected = [i for i in np.argsort(away) if i != 7][:5]
    assert nearest(VECTORS, 7, 5, metric).tolist() == expected


def test_a_vector_of_zeros_is_at_a_right_angle_to_all():
    vectors = np.array([[0.0, 0.0], [1.0, 2.0]])
    np.testing.assert_allclose(distances(vectors, "cosine"), [[1, 1], [1, 0]], atol=1e-12)
