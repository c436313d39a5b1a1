import numpy as np

from viz.subjects.embeddings.geometry import cosines, kept_neighbours, neighbours, points_csv

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


def test_a_table_has_what_each_point_is_and_where():
    points = np.array([[1.0, -0.5], [1 / 3, 2e-9]])
    text = points_csv(points, {"token": ['a,"b', "c"], "id": [4, 5]})
    assert text == 'token,id,x,y\n"a,""b",4,1,-0.5\nc,5,0.333333,2e-09\n'
    assert points_csv(np.zeros((0, 3)), {"token": []}) == "token,x,y,z\n"
    assert points_csv(points[:1], {"token": ["=1+1"], "id": [-4]}) == (
        "token,id,x,y\n'=1+1,-4,1,-0.5\n"
    )


def test_cosines_are_those_of_a_loop():
    expected = [[cosine(a, b) for b in VECTORS] for a in VECTORS]
    np.testing.assert_allclose(cosines(VECTORS), expected, atol=1e-12)
