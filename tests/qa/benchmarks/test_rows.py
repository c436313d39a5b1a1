import importlib
import itertools

import pytest

from qa.benchmarks import trace
from qa.benchmarks.rows import Row
from tests.tiny import tiny_model


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (
            Row("a pass", 26.04, "ms", 25.0, "torch", aim=1.03),
            "| a pass | 26 ms | 25 ms | 1.04 | ≤ 1.03 | no | torch |",
        ),
        (
            Row("workers", 1900.0, "sentences/s", 1000.0, "one", aim=1.8, at_least=True),
            "| workers | 1,900 sentences/s | 1,000 sentences/s | 1.90 | ≥ 1.8 | yes | one |",
        ),
        (Row("held", 46.2, "MB", aim=45), "| held | 46.2 MB |  |  | ≤ 45 MB | no |  |"),
        (Row("a page", 1.5, "s"), "| a page | 1.5 s |  |  |  |  |  |"),
        # Ratios use the digits shown; a ratio measured turn by turn replaces that of the figures.
        (Row("a pass", 1.004, "s", 1, aim=1), "| a pass | 1 s | 1 s | 1.00 | ≤ 1 | yes |  |"),
        (Row("a pass", 3, "ms", 1, paired=1.5), "| a pass | 3 ms | 1 ms | 1.50 |  |  |  |"),
    ],
)
def test_a_row_says_the_ratio_the_aim_and_whether_it_is_met(row: Row, line: str):
    assert str(row) == line


def test_contenders_take_turns_after_one_to_warm_up(monkeypatch):
    monkeypatch.setattr(trace.time, "perf_counter", lambda: 0.0)
    ran: list[str] = []
    clock = itertools.count()
    both = {"a": lambda: ran.append("a"), "b": lambda: ran.append("b")}
    times = trace.take_turns(both, seconds=0, clock=lambda: float(next(clock)))
    assert len(ran) == 12
    assert all({*ran[turn : turn + 2]} == {"a", "b"} for turn in range(0, 12, 2))
    assert times == {"a": [1.0] * 5, "b": [1.0] * 5}


def test_a_trace_whose_layers_are_computed_again_holds_what_goes_into_each():
    model = tiny_model()
    length, d_model, layers = 7, 16, 2 + 3
    known = [*model.parameters(), *model.buffers()]
    held, _ = trace.recomputed(model, length, known)
    # Each layer's input, each stack's output, and each text's token vectors and their sum.
    assert held.ours == pytest.approx(4 * length * d_model * (layers + 2 + 2) / 1e6)


@pytest.mark.parametrize("part", ["trace", "load", "gpu", "peers"])
def test_each_part_can_be_asked_what_it_measures(part, capsys, monkeypatch):
    module = importlib.import_module(f"qa.benchmarks.{part}")
    monkeypatch.setattr("sys.argv", [part, "--help"])
    with pytest.raises(SystemExit, match="0"):
        module.main()
    assert "--" in capsys.readouterr().out
