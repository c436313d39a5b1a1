import math

from viz.subjects.positions.report import rerun_table, written


def test_what_a_model_wrote_is_escaped():
    shown = rerun_table([("as it is", 0.25, 3, 4), ("changed", math.nan, 0, 4)])
    assert '<td class="loupe-number">0.2500</td><td class="loupe-number">3 of 4</td>' in shown
    shown = written([("as it is", "<script> il", ["il"]), ("changed", "", ())])
    assert "<mark>il</mark>" in shown
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert "(no words)" in shown
