import io

import pytest

from model.foreign.hub.bounded import BoundedFile, StoppedError, TooLongError


def test_no_more_is_written_than_the_hub_had_said():
    file = io.BytesIO()
    told: list[int] = []
    bounded = BoundedFile(file, 5, tell=told.append)
    bounded.write(b"abc")
    with pytest.raises(TooLongError):
        bounded.write(b"def")
    bounded.write(b"de")
    assert (bounded.content(), told) == (b"abcde", [3, 5])


def test_a_server_that_restarts_a_file_is_followed():
    bounded = BoundedFile(None, 5)
    bounded.write(b"abc")
    bounded.seek(0)
    bounded.truncate()
    bounded.write(b"vwxyz")
    assert bounded.content() == b"vwxyz"


def test_nothing_is_written_after_a_stop():
    bounded = BoundedFile(None, 5, is_stopped=lambda: True)
    with pytest.raises(StoppedError):
        bounded.write(b"a")
    assert bounded.tell() == 0
