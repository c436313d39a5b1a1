import pytest

from viz.subjects.decoding.strategy import (
    MAX_FORKS,
    Fork,
    Shaping,
    branch_text,
    read_branch,
    read_shaping,
    shaping_text,
)

TOO_MANY = ".".join(f"{step}:4" for step in range(MAX_FORKS + 1))


def test_a_branch_comes_back_from_a_link():
    branch = (Fork(3, 44), Fork(7, 9))
    assert branch_text(branch) == "3:44.7:9"
    assert read_branch("3:44.7:9") == branch
    assert read_branch("5:123,3:44.7:9") == branch, "of several the last"


@pytest.mark.parametrize(
    "wrong",
    ["", "x", "5", "5:-3", "5:3:1", "7:9.3:4", "5:1.5:2", "5:1.", "１:2,", "1:2" * 200, TOO_MANY],
)
def test_what_is_no_branch_is_none(wrong: str):
    assert read_branch(wrong) is None


def test_a_shaping_comes_back_from_a_link():
    assert shaping_text(Shaping(0.7, 5, 0.9)) == "0.7:5:0.9"
    assert read_shaping("0.7:5:0.9") == Shaping(0.7, 5, 0.9)
    assert read_shaping("1:0:1") == Shaping()
    assert read_shaping("0.001:0:1") == Shaping(temperature=0.05)  # the nearest value on offer
    assert read_shaping("900:0:1") == Shaping(temperature=5.0)


@pytest.mark.parametrize(
    "wrong",
    ["", "1", "1:0", "a:0:1", "0:0:1", "-1:0:1", "nan:0:1", "inf:0:1", "1:-1:1", "1:0:0", "1:0:1.5",
     "1:0:nan", "1:0:1:2"],
)  # fmt: skip
def test_what_makes_no_distribution_is_none(wrong: str):
    assert read_shaping(wrong) is None
