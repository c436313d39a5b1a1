"""What a site is told of the steps of its lessons."""

from viz.run.redaction import CoveredRows, Redaction
from viz.site.lessons import _cover

CROSS, OWN = "cross-attention", "encoder self-attention"


def test_all_covers_of_a_kind_are_kept():
    packed = _cover(
        Redaction(
            "query",
            (CoveredRows(CROSS, (1, 2)), CoveredRows(OWN, (0,)), CoveredRows(CROSS, (4,))),
            (3,),
        )
    )
    assert {kind: set(rows) for kind, rows in packed["rows"].items()} == {
        CROSS: {1, 2, 4},
        OWN: {0},
    }
    assert packed["by_readers"]
    assert packed["words"] == (3,)


def test_where_one_cover_hides_all_rows_all_are_hidden():
    some, all_rows = CoveredRows(CROSS, (1,)), CoveredRows(CROSS, ())
    for order in ((some, all_rows), (all_rows, some)):
        assert _cover(Redaction("key", order))["rows"] == {CROSS: ()}
