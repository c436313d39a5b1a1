from viz.subjects.positions.report import written


def test_what_a_model_wrote_is_escaped():
    shown = written([("as it is", "<script> il", ["il"]), ("changed", "", ())])
    assert "<mark>il</mark>" in shown
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert "(no words)" in shown
