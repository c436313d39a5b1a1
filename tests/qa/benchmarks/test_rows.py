import itertools

import pytest
import torch

from qa.benchmarks import all as whole
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


def test_a_part_that_fails_stops_no_other(monkeypatch, tmp_path, capsys):
    def apart(part: str, _arguments: object) -> list[Row]:
        if part == "trace":
            raise RuntimeError("no such machine")
        return [Row("a step", 2.0, "ms", 4.0, "torch", aim=1.0)]

    monkeypatch.setattr(whole, "_apart", apart)

    status = whole.main(["--only", "trace", "ui", "--out", str(tmp_path / "table.md")])

    written = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert status == 1
    assert "failed: RuntimeError: no such machine" in written
    assert "| a step | 2 ms | 4 ms | 0.50 | ≤ 1 | yes | torch |" in written
    assert f"torch {torch.__version__}" in written
    assert written.rstrip().splitlines()[-1] in capsys.readouterr().out


@pytest.mark.parametrize("part", whole.PARTS)
def test_each_part_can_be_asked_for_its_rows(part: str):
    module = pytest.importorskip(f"qa.benchmarks.{part}")
    for arguments in whole.PARTS[part]:
        module.rows(**arguments)  # a generator, which measures nothing until it is asked
