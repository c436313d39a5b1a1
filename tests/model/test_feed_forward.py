import numpy as np
import torch
from torch.testing import assert_close

from model.feed_forward import FeedForward
from tests.tiny import randn, shaken


def test_equation_2():
    torch.manual_seed(0)
    network = shaken(FeedForward(16, 32)).double()
    x = randn(2, 3, 16, dtype=torch.float64)
    trace = network(x)
    w_1, b_1 = (p.detach().numpy() for p in (network.expand.weight, network.expand.bias))
    w_2, b_2 = (p.detach().numpy() for p in (network.contract.weight, network.contract.bias))
    hidden = np.maximum(0, x.numpy() @ w_1.T + b_1)
    assert (hidden == 0).any()
    assert (hidden > 0).any()
    assert_close(trace.hidden.detach(), torch.from_numpy(hidden), rtol=0, atol=1e-12)
    output = torch.from_numpy(hidden @ w_2.T + b_2)
    assert_close(trace.output.detach(), output, rtol=0, atol=1e-12)
