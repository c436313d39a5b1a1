import pytest

from viz.subjects.decoding.strategy import (
    MAX_BRANCHES,
    MAX_FORKS,
    Fork,
    Shaping,
    branches_text,
    read_branches,
    read_shaping,
    shaping_text,
)


def test_branches_come_back_from_a_link():
    branches = ((Fork(5, 123),), (Fork(3, 44), Fork(7, 9)), (Fork(0, 2),))
    assert branches_text(branches) == "5:123,3:44.7:9,0:2"
    assert read_branches("5:123,3:44.7:9,0:2") == (branches, ())
    assert read_branches("") == ((), ())


@pytest.mark.parametrize(
    "wrong",
    ["x", "5", "5:-3", "5:3:1", "7:9.3:4", "5:1.5:2", "5:1.", "１:2,", "1:2" * 200],
)
def test_what_is_no_branch_is_left_out_with_a_note(wrong: str):
    branches, notes = read_branches(f"1:4,{wrong}")
    assert branches == ((Fork(1, 4),),)
    assert len(notes) == 1
    assert "left out" in notes[0]
    assert len(notes[0]) < 120


def test_a_branch_stands_once_and_there_are_not_too_many():
    assert read_branches("1:4,1:4")[0] == ((Fork(1, 4),),)
    many = ",".join(f"{step}:4" for step in range(MAX_BRANCHES + 3))
    branches, notes = read_branches(many)
    assert branches == tuple((Fork(step, 4),) for step in range(MAX_BRANCHES))
    assert notes == (f"The link asks for {MAX_BRANCHES + 3} branches; at most 8 are shown.",)
    forks = ".".join(f"{step}:4" for step in range(MAX_FORKS + 1))
    assert read_branches(forks)[0] == ()


def test_a_shaping_comes_back_from_a_link():
    assert shaping_text(Shaping(0.7, 5, 0.9)) == "0.7:5:0.9"
    assert read_shaping("0.7:5:0.9") == Shaping(0.7, 5, 0.9)
    assert read_shaping("1:0:1") == Shaping()
    assert read_shaping("0.001:0:1") == Shaping(temperature=0.05)  # the nearest to choose
    assert read_shaping("900:0:1") == Shaping(temperature=5.0)


@pytest.mark.parametrize(
    "wrong",
    ["", "1", "1:0", "a:0:1", "0:0:1", "-1:0:1", "nan:0:1", "inf:0:1", "1:-1:1", "1:0:0", "1:0:1.5",
     "1:0:nan", "1:0:1:2"],
)  # fmt: skip
def test_what_makes_no_distribution_is_none(wrong: str):
    assert read_shaping(wrong) is None
