"""Computations that end because nobody waits for their result any more."""

import threading
from collections.abc import Callable

import pytest
import torch

from model.decoding.greedy import greedy
from model.decoding.steps import DecodingStep
from model.interruption import interrupted_by, may_be_interrupted
from tests.tiny import tiny_model

SOURCE = torch.tensor([[5, 6, 7]])
TARGET = torch.tensor([[1, 4, 5]])


class LeftError(Exception):
    """Raised when nobody waits any more."""


def after(count: int) -> tuple[Callable[[], None], list[int]]:
    """Return a check that allows `count` steps and then raises, and the list of its calls."""
    asked: list[int] = []

    def ask() -> None:
        asked.append(len(asked))
        if len(asked) > count:
            raise LeftError

    return ask, asked


def test_a_pass_asks_before_each_of_its_layers_and_ends_there():
    model = tiny_model()
    layers = model.config.n_encoder_layers + model.config.n_decoder_layers
    ask, asked = after(layers)
    with interrupted_by(ask):
        model(SOURCE, TARGET)
    assert len(asked) == layers
    ask, asked = after(1)
    with pytest.raises(LeftError), interrupted_by(ask):
        model(SOURCE, TARGET)
    assert len(asked) == 2


def test_a_text_that_is_being_written_ends_before_its_next_token():
    model = tiny_model()
    ask, _ = after(model.config.n_encoder_layers + 3 * model.config.n_decoder_layers)
    written: list[DecodingStep] = []
    with pytest.raises(LeftError), interrupted_by(ask):
        written.extend(greedy(model, SOURCE, max_length=50, bos_id=1, eos_id=-1))
    assert len(written) == 3


def test_only_the_thread_that_asked_to_be_asked_is():
    def ask() -> None:
        raise LeftError

    ended: list[bool] = []

    def beside() -> None:
        may_be_interrupted()
        ended.append(True)

    with interrupted_by(ask):
        thread = threading.Thread(target=beside)
        thread.start()
        thread.join()
    may_be_interrupted()
    assert ended == [True]
