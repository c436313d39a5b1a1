import pytest

from viz.subjects.attention import bertviz_size
from viz.subjects.attention.bertviz_size import too_large


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
