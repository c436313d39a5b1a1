"""Every page of a model that is on a GPU, as far as a device that only pretends can tell."""

import pytest

from tests.pages import open_page
from tests.sham import SHAM
from viz.pages import SUBJECTS


@pytest.mark.slow
@pytest.mark.usefixtures("tiny_checkpoints")
@pytest.mark.parametrize("name", SUBJECTS)
def test_a_page_mixes_no_devices(name: str) -> None:
    open_page(name, device=SHAM)
