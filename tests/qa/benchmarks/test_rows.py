import importlib
import itertools

import pytest

from qa.benchmarks import turns
from qa.benchmarks.rows import Row, markdown
from qa.benchmarks.trace import recomputed
from qa.benchmarks.turns import ratio, take_turns
from tests.tiny import tiny_model


def test_a_row_says_the_ratio_the_aim_and_whether_it_is_met():
    table = markdown(
        [
            Row("a pass", 26.04, "ms", 25.0, "torch", aim=1.03),
            Row("workers", 1900.0, "sentences/s", 1000.0, "one", aim=1.8, at_least=True),
            Row("held", 46.2, "MB", aim=45),
            Row("a page", 1.5, "s"),
        ]
    )

    assert table.splitlines()[2:] == [
        "| a pass | 26 ms | 25 ms | 1.04 | ≤ 1.03 | no | torch |",
        "| workers | 1,900 sentences/s | 1,000 sentences/s | 1.90 | ≥ 1.8 | yes | one |",
        "| held | 46.2 MB |  |  | ≤ 45 MB | no |  |",
        "| a page | 1.5 s |  |  |  |  |  |",
    ]


def test_an_aim_is_held_to_the_digits_that_are_shown():
    assert Row("a pass", 1.004, "s", 1.0, aim=1.0).met
    assert not Row("a pass", 1.006, "s", 1.0, aim=1.0).met


def test_a_ratio_taken_turn_by_turn_goes_before_that_of_the_figures():
    assert Row("a pass", 3.0, "ms", 1.0, paired=1.5).ratio == 1.5
    assert ratio([2.0, 9.0, 1.0], [1.0, 3.0, 1.0]) == 2.0


def test_contenders_take_turns_after_one_to_warm_up(monkeypatch):
    monkeypatch.setattr(turns.time, "perf_counter", lambda: 0.0)
    ran: list[str] = []
    clock = itertools.count()

    times = take_turns(
        {"a": lambda: ran.append("a"), "b": lambda: ran.append("b")},
        seconds=0,
        least=20,
        clock=lambda: float(next(clock)),
    )

    assert ran[:2] == ["a", "b"]
    orders = {tuple(ran[turn : turn + 2]) for turn in range(2, 42, 2)}
    assert orders == {("a", "b"), ("b", "a")}
    assert times == {"a": [1.0] * 20, "b": [1.0] * 20}


def test_a_trace_whose_layers_are_computed_again_holds_what_goes_into_each():
    model = tiny_model()
    length, d_model, layers = 7, 16, 2 + 3
    known = [*model.parameters(), *model.buffers()]

    held, _ = recomputed(model, length, known)

    # Into each layer; out of each stack; of each text the tokens: its sum goes into a layer.
    assert held.ours == pytest.approx(4 * length * d_model * (layers + 2 + 2) / 1e6)


@pytest.mark.parametrize("part", ["trace", "ui", "load", "corpus", "memory", "depth"])
def test_each_part_can_be_asked_what_it_measures(part, capsys, monkeypatch):
    module = importlib.import_module(f"qa.benchmarks.{part}")
    monkeypatch.setattr("sys.argv", [part, "--help"])
    with pytest.raises(SystemExit, match="0"):
        module.main()
    assert "--" in capsys.readouterr().out
