import numpy as np
import pytest

from viz.subjects.embeddings.projection import PCA, TSNE, UMAP, Projection, project
from viz.subjects.embeddings.words import (
    axis_titles,
    cannot_project,
    kept_words,
    mean_words,
    progress_words,
    trust_words,
    variance_words,
)
from viz.work.job import Job

FLAT = Projection(np.zeros((5, 2)), np.array([0.5, 0.25, 0.25]), 0.8125, 2)
LAID_OUT = Projection(np.zeros((5, 3)), None, 0.9, 2)


def test_axes_say_what_they_show():
    assert axis_titles(PCA(2), FLAT) == ("component 1 (50 %)", "component 2 (25 %)")
    assert axis_titles(TSNE(3), LAID_OUT) == ("t-SNE 1", "t-SNE 2", "t-SNE 3")


def test_says_what_is_shown_and_what_is_distorted():
    assert variance_words(PCA(2), FLAT) == "The 2 axes show 75 % of the variance."
    assert variance_words(UMAP(3), LAID_OUT) == ""
    words = trust_words(PCA(2), FLAT, 64)
    assert words.startswith("Trustworthiness 0.813: how far the 2 points nearest to each point")
    assert "also near it in all 64 dimensions (Euclidean distance)" in words
    assert trust_words(UMAP(3), LAID_OUT, 64).endswith(
        "UMAP preserves neighbourhoods: how far apart groups lie says little."
    )
    assert "“cat” by cosine, 7 are among its 10" in kept_words("cat", 7, 10)
    assert mean_words(-0.5) == "mean of different tokens −0.50"


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
