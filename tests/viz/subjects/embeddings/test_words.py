import numpy as np
import pytest

from viz.subjects.embeddings.projection import PCA, TSNE, UMAP, project
from viz.subjects.embeddings.words import (
    cannot_project,
    progress_words,
)
from viz.work.job import Job


def test_says_why_so_few_points_cannot_be_projected_as_the_projection_does():
    for points, numbers, settings in ((3, 8, PCA(2)), (4, 8, TSNE(3)), (9, 2, PCA(3))):
        with pytest.raises(ValueError, match=r"at least \d points|3 components"):
            project(np.zeros((points, numbers)), settings)
        assert f"{settings.dimensions} dimensions" in cannot_project(points, numbers, settings)
    assert cannot_project(4, 2, PCA(2)) == ""


def test_says_how_far_a_projection_is():
    job = Job("none", {}, owners={"one"})
    assert progress_words(job, TSNE()) == "t-SNE: waiting for its turn, 0 s"
    job.status = "running"
    assert progress_words(job, TSNE()) == "t-SNE: starting, 0 s"
    assert "about half a minute" in progress_words(job, UMAP())
    job.progress = (250, 1000)
    assert progress_words(job, TSNE()) == "t-SNE: iteration 250 of 1,000, 0 s"
    job.kill()
    assert progress_words(job, TSNE()) == "t-SNE: stopped"
