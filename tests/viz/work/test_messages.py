import numpy as np
import pytest

from viz.work.messages import from_line, read, to_line


@pytest.mark.parametrize(
    "array",
    [
        np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32),
        np.array([[True, False]]),
        np.array([1.5, np.nan, -np.inf]),
        np.zeros((0, 2), dtype=np.int16),
    ],
)
def test_arrays_come_back_as_they_went(array):
    line = to_line({"told": {"array": array, "words": "a\nb"}})
    assert line.count(b"\n") == 1
    told = from_line(line)["told"]
    assert told["array"].dtype == array.dtype
    np.testing.assert_array_equal(told["array"], array)
    assert told["words"] == "a\nb"


def test_messages_are_read_until_the_stream_ends(tmp_path):
    (tmp_path / "stream").write_bytes(to_line({"step": 1}) + to_line({"step": 2}))
    with (tmp_path / "stream").open("rb") as stream:
        assert [read(stream), read(stream), read(stream)] == [{"step": 1}, {"step": 2}, None]


@pytest.mark.parametrize("line", [b"[1]\n", b"no JSON\n", b'{"npy": "AAAA"}\n'])
def test_anything_else_is_refused(line):
    with pytest.raises(ValueError, match=r"\w"):
        from_line(line)


def test_nothing_but_values_and_arrays_is_sent():
    with pytest.raises(TypeError, match="plain values and arrays, got object"):
        to_line({"what": object()})


def test_an_array_of_objects_is_not_read():
    with pytest.raises(ValueError, match="allow_pickle"):
        to_line({"array": np.array([{}])})
