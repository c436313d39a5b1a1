import numpy as np
import pytest

from viz.subjects.embeddings.projection import PCA, TSNE, project
from viz.subjects.embeddings.words import (
    cannot_project,
)


def test_says_why_so_few_points_cannot_be_projected_as_the_projection_does():
    for points, numbers, settings in ((3, 8, PCA(2)), (4, 8, TSNE(3)), (9, 2, PCA(3))):
        with pytest.raises(ValueError, match=r"at least \d points|3 components"):
            project(np.zeros((points, numbers)), settings)
        assert f"{settings.dimensions} dimensions" in cannot_project(points, numbers, settings)
    assert cannot_project(4, 2, PCA(2)) == ""
