import pytest
import torch


@pytest.fixture(autouse=True)
def _seeded_without_gradients():
    torch.manual_seed(0)
    with torch.no_grad():
        yield
