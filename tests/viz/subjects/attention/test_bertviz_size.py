import pytest

from viz.run.record import KINDS, attention_trace
from viz.subjects.attention import bertviz_size
from viz.subjects.attention.bertviz_size import too_large, views_for

VIEWS = [(kind, view) for kind in KINDS for view in views_for(kind)]


def test_cross_attention_has_no_neuron_view():
    assert {kind: views_for(kind) for kind in KINDS} == {
        "encoder self-attention": ("head", "model", "neuron"),
        "decoder self-attention": ("head", "model", "neuron"),
        "cross-attention": ("head", "model"),
    }


def test_what_is_too_large_says_why_and_what_would_work(run, monkeypatch):
    assert [too_large(run, kind, view) for kind, view in VIEWS] == [None] * len(VIEWS)
    queries, keys = attention_trace(run, "cross-attention", 0).weights.shape[-2:]
    assert (queries, keys) == (16, 14)
    monkeypatch.setattr(bertviz_size, "MOST_DRAWN", 1000)  # model: 2 * 4 * 16 * 14; head: half
    message = too_large(run, "cross-attention", "model")
    assert message == (
        "The model view of 2 layers, 4 heads, 16 queries and 14 keys would draw 1,792 lines and "
        "boxes out of 1,792 numbers; the most is 1,000 out of 600,000. A text about 71 % as long "
        "would fit. For this text there is the head view."
    )
    assert 2 * 4 * 12 * 10 <= 1000 < 2 * 4 * 12 * 11  # 71 % of 16 and 14, and a little more


@pytest.mark.parametrize(
    ("view", "drawn", "sent"),
    # 2 layers of 4 heads, 14 tokens, d_k 12
    [
        ("head", 4 * 14 * 14, 8 * 14 * 14),
        ("model", 8 * 14 * 14, 8 * 14 * 14),
        ("neuron", 7 * 14 * 14 + 3 * 14 * 12, 8 * (14 * 14 + 2 * 14 * 12)),
    ],
)
def test_both_limits_hold_to_the_last_number(run, monkeypatch, view, drawn, sent):
    kind = "encoder self-attention"
    monkeypatch.setattr(bertviz_size, "MOST_DRAWN", drawn)
    monkeypatch.setattr(bertviz_size, "MOST_SENT", sent)
    assert too_large(run, kind, view) is None
    monkeypatch.setattr(bertviz_size, "MOST_DRAWN", drawn - 1)
    assert f"would draw {drawn:,} lines" in too_large(run, kind, view)
    monkeypatch.setattr(bertviz_size, "MOST_DRAWN", drawn)
    monkeypatch.setattr(bertviz_size, "MOST_SENT", sent - 1)
    assert f"out of {sent:,} numbers" in too_large(run, kind, view)
