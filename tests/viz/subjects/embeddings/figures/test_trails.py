import numpy as np

from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.figures.trails import token_trails

STEPS = ("embedding", "+ positions", "layer 0")
TOKENS = ("the", "cat", "<x>", "the")
MARKS = Marks(TOKENS, ("small", "le", "la", "small"))
POINTS = np.random.default_rng(0).normal(size=(3, 4, 2)) * 10
NORMS = np.arange(12.0).reshape(3, 4)


def draw():
    return token_trails(POINTS, marks=MARKS, norms=NORMS, steps=STEPS, titles=("one", "two"))


def test_there_is_a_frame_for_each_step_and_the_slider_goes_to_it():
    figure = draw()
    assert [frame.name for frame in figure.frames] == list(STEPS)
    [slider] = figure.layout.sliders
    assert [step.label for step in slider.steps] == list(STEPS)
    assert [step.args[0] for step in slider.steps] == [(name,) for name in STEPS]
    assert {step.method for step in slider.steps} == {"animate"}


def test_a_frame_has_the_tokens_where_they_are_then():
    figure = draw()
    for i, frame in enumerate(figure.frames):
        so_far, now = frame.data
        assert [figure.data[k].name for k in frame.traces] == [so_far.name, now.name]
        np.testing.assert_array_equal(np.column_stack([now.x, now.y]), POINTS[i])
        assert f"norm {NORMS[i, 1]:.2f}" in now.hovertext[1]
        assert STEPS[i] in now.hovertext[1]
        path = np.column_stack([so_far.x, so_far.y])[: i + 1]
        np.testing.assert_array_equal(path, POINTS[: i + 1, 0])


def test_trails_have_a_gap_between_two_tokens():
    trails = draw().data[0]
    gaps = np.flatnonzero(np.isnan(trails.x))
    np.testing.assert_array_equal(gaps, [3, 7, 11, 15])
    np.testing.assert_array_equal(trails.x[4:7], POINTS[:, 1, 0])
    assert "<b>cat</b>" in trails.hovertext[5]
    assert "+ positions" in trails.hovertext[5]
    assert "norm 5.00" in trails.hovertext[5]


def test_play_goes_on_from_the_step_in_view_and_pause_goes_nowhere():
    play, pause = draw().layout.updatemenus[0].buttons
    assert (play.args[0], pause.args[0]) == (None, (None,))
    assert draw().data[2].hovertext[2].startswith("<b>&lt;x&gt;</b>")
