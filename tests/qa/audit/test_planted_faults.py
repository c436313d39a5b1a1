"""The faults that are planted to check that the audit and the tests catch them."""

from pathlib import Path

import pytest

from qa.audit.browser import ROOT
from qa.audit.planted_faults import Fault, faults
from qa.audit.walk import PAGES


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.name)
def test_a_fault_can_be_planted_and_something_is_there_to_see_it(fault: Fault):
    assert (ROOT / fault.file).read_text("utf-8").count(fault.before) == 1
    assert fault.before != fault.after
    assert set(fault.pages) <= set(PAGES)
    assert fault.pages or fault.tests
    assert all((ROOT / name.split(" ")[0]).exists() for name in fault.tests)


def test_a_fault_is_taken_back_whatever_happens(tmp_path: Path):
    file, fault = tmp_path / "a.py", Fault("another number", "a.py", "1", "2")
    file.write_text("x = 1\n")
    planting = fault.planted(tmp_path)
    planting.__enter__()
    assert file.read_text() == "x = 2\n"
    planting.__exit__(KeyError, KeyError(), None)
    assert file.read_text() == "x = 1\n"
    file.write_text("1 1")
    with pytest.raises(ValueError, match="2 times"), fault.planted(tmp_path):
        pass
