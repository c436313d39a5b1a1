import numpy as np
import torch
from torch.testing import assert_close

from model.feed_forward import FeedForward
from tests.tiny import randn, shaken


def make_feed_forward(dropout: float = 0.0) -> FeedForward:
    torch.manual_seed(0)
    return shaken(FeedForward(16, 32, dropout=dropout))


def test_equation_2():
    network = make_feed_forward().double()
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


def test_each_position_goes_by_itself():
    network, x = make_feed_forward(), randn(2, 3, 16)
    assert_close(network(x).output[:, 1:2], network(x[:, 1:2]).output)


def test_dropout_acts_after_the_hidden_layer_that_is_shown():
    network, x = make_feed_forward(dropout=0.5), randn(2, 3, 16)
    expected = network(x)
    trained = network.train()(x)
    assert torch.equal(trained.hidden, expected.hidden)
    assert not torch.allclose(trained.output, expected.output)
