import sys
import threading
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from model.edits import NO_EDITS, Edits
from model.foreign.recording import attached, record, trace_module
from model.foreign.recording.recorder import tensors_in
from tests.model.foreign.huggingface.families import family
from tests.model.foreign.recording.test_own_modules import GPT, IDS, WIDTH

ROUNDS = 8


@pytest.fixture(autouse=True)
def _threads_take_turns_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(*jobs: Callable[[], Tensor]) -> list[list[Tensor]]:
    """Run the jobs at the same time in threads; return the results of each job by round."""
    given: list[list[Tensor]] = [[] for _ in jobs]
    start = threading.Barrier(len(jobs))

    def work(job: Callable[[], Tensor], results: list[Tensor]) -> None:
        start.wait()
        with torch.no_grad():
            results.extend(job() for _ in range(ROUNDS))

    threads = [threading.Thread(target=work, args=pair) for pair in zip(jobs, given, strict=True)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(len(results) == ROUNDS for results in given)
    return given


def test_two_record_one_edits_and_one_only_runs_and_none_meets_another():
    model = family("Llama")
    generator = torch.Generator().manual_seed(2)
    one, two = (torch.randint(3, 100, (1, 9), generator=generator) for _ in range(2))
    edits = Edits({"decoder.layers.0.self_attn.heads[1]": torch.zeros_like})
    with attached(model, input_ids=one) as ready:
        jobs = (
            lambda: ready.record(input_ids=one).decoder.layers[1].self_attn.weights,
            lambda: ready.record(input_ids=two).decoder.layers[1].self_attn.weights,
            lambda: ready.record(input_ids=one, edits=edits).decoder.layers[1].self_attn.weights,
            lambda: model(input_ids=one).logits,
        )
        with torch.no_grad():
            expected = [job() for job in jobs]

        given = together(*jobs)

    assert not torch.equal(expected[0], expected[2])
    for results, right in zip(given, expected, strict=True):
        assert sum(not torch.equal(result, right) for result in results) == 0


@pytest.mark.parametrize("by_hand", [False, True])
def test_recorders_of_an_own_module_do_not_meet(by_hand):
    torch.manual_seed(0)
    model = GPT().eval()
    if not by_hand:
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 64, batch_first=True)
        model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    one, two = IDS, IDS.flip(1)
    if not by_hand:
        one, two = torch.randn(2, 1, 6, WIDTH).unbind()
    name = "blocks.0.attention" if by_hand else "layers.0.self_attn"
    edits = Edits({f"{name}.heads[1]": torch.zeros_like})

    def last(*args: Tensor, edits: Edits = NO_EDITS) -> Tensor:
        return [*trace_module(model, *args, edits=edits).attentions.values()][-1].weights

    jobs = (lambda: last(one), lambda: last(two), lambda: last(one, edits=edits))
    expected = [job() for job in jobs]
    given = together(*jobs, lambda: next(tensors_in(model(one))))
    assert not torch.allclose(expected[0], expected[1], atol=1e-3)
    assert not torch.allclose(expected[0], expected[2], atol=1e-4)
    for results, right in zip(given, expected, strict=False):
        # Not bit for bit: another memory layout changes the order of sums.
        assert sum(not torch.allclose(result, right, atol=1e-6) for result in results) == 0


def test_each_thread_may_attach_for_itself():
    model = family("Qwen2")
    generator = torch.Generator().manual_seed(3)
    texts = [torch.randint(3, 100, (1, 7), generator=generator) for _ in range(3)]
    before = [len(module._forward_hooks) for module in model.modules()]
    expected = [record(model, input_ids=ids).logits for ids in texts]

    given = together(
        *(lambda ids=ids: record(model, input_ids=ids).logits for ids in texts),
    )

    for results, right in zip(given, expected, strict=True):
        assert sum(not torch.equal(result, right) for result in results) == 0
    assert model.config._attn_implementation == "sdpa"
    assert [len(module._forward_hooks) for module in model.modules()] == before
