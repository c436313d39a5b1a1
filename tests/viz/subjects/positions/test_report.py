import math

from viz.subjects.positions.report import ratios_table, rerun_table, summaries_table, written
from viz.subjects.positions.summary import summarise


def test_encodings_stand_beside_each_other_with_the_chosen_one_lit():
    kinds = ("sinusoidal", "double_sine", "single_frequency", "none")
    shown = summaries_table([summarise(kind, 64) for kind in kinds], "double_sine")
    lit = '<th scope="row" class="positions-chosen">addnorm: sine, sine</th>'
    assert f'{lit}<td class="loupe-number">5,063,256</td>' in shown
    assert shown.count("positions-chosen") == 1
    plain = shown.replace(' class="loupe-number"', "")
    assert "<td>47,117</td><td>25</td><td>none</td><td>✓ yes</td><td>✓ yes</td>" in plain
    assert "<td>6.283</td><td>0</td><td>44 apart: 1.8 % of a length</td>" in plain
    assert "<td>no wave</td><td>64</td><td>all positions alike</td>" in plain


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
