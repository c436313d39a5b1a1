import math

from viz.subjects.positions.report import ratios_table, rerun_table, written


def test_what_a_model_wrote_is_escaped():
    shown = rerun_table([("as it is", 0.25, 3, 4), ("changed", math.nan, 0, 4)])
    assert '<td class="loupe-number">0.2500</td><td class="loupe-number">3 of 4</td>' in shown
    shown = written([("as it is", "<script> il", ["il"]), ("changed", "", ())])
    assert "<mark>il</mark>" in shown
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert "(no words)" in shown


def test_the_scale_that_the_model_uses_is_marked():
    shown = ratios_table([("on", 8.0, 4.0, 2.0, True), ("off", 1.0, 0.0, math.inf, False)])
    assert '<th scope="row" class="positions-chosen">on (this model)</th>' in shown
    plain = shown.replace(' class="loupe-number"', "")
    assert "<td>8.000</td><td>4.000</td><td>2.000</td>" in plain
    assert "no encoding" in shown
