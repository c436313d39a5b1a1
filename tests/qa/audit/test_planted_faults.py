"""The faults that are planted to see whether the audit and the tests catch them."""

from pathlib import Path

import pytest

from qa.audit.browser import ROOT
from qa.audit.planted_faults import Fault, faults, spoiled
from qa.audit.walk import PAGES


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.name)
def test_a_fault_can_be_planted_and_something_is_there_to_see_it(fault: Fault):
    text = (ROOT / fault.file).read_text("utf-8")
    assert fault.spoiled(text) != text
    assert set(fault.pages) <= set(PAGES)
    assert fault.pages or fault.tests
    assert all((ROOT / name.split(" ")[0]).exists() for name in fault.tests)


def test_a_fault_is_taken_back_whatever_happens(tmp_path: Path):
    (tmp_path / "a.py").write_text("x = 1\n")
    fault = Fault("another number", "a.py", "1", "2")
    planting = spoiled(tmp_path, fault)
    planting.__enter__()
    assert (tmp_path / "a.py").read_text() == "x = 2\n"
    planting.__exit__(KeyError, KeyError(), None)
    assert (tmp_path / "a.py").read_text() == "x = 1\n"
    (tmp_path / "a.py").write_text("1 1")
    with pytest.raises(ValueError, match="2 times"):
        fault.spoiled("1 1")
