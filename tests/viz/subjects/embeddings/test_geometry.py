import numpy as np

from viz.subjects.embeddings.geometry import cosines, kept_neighbours, neighbours

VECTORS = np.random.default_rng(0).normal(size=(25, 6))


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


def test_counts_the_neighbours_that_a_picture_keeps():
    angles = np.radians([0, 10, 20, 30, 120, 130, 140])
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    assert kept_neighbours(vectors, vectors, 0, 3) == 3
    moved = vectors.copy()
    moved[1] = [-5, -5]  # a true neighbour goes away, so one of the others takes its place
    assert kept_neighbours(vectors, moved, 0, 3) == 2


def test_cosines_are_those_of_a_loop():
    expected = [[cosine(a, b) for b in VECTORS] for a in VECTORS]
    np.testing.assert_allclose(cosines(VECTORS), expected, atol=1e-12)
