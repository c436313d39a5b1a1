from dataclasses import replace

import pytest
import torch

from model.edits import Edits
from model.transformer import Transformer
from viz.run.effect import mean_loss
from viz.run.making import make_run
from viz.subjects.positions.reruns import first_choices, order_gap, position_order, rerun


@pytest.fixture(scope="module")
def model(checkpoint) -> Transformer:
    return checkpoint.model


def embeddings(changed):
    trace = changed.forced.trace
    return {"source": trace.source_embedding, "target": trace.target_embedding}


def test_orders_of_positions():
    assert position_order("reversed", 4, 0).tolist() == [3, 2, 1, 0]
    assert position_order("zeroed", 4, 0).tolist() == [0, 1, 2, 3]
    shuffled = position_order("shuffled", 6, 3).tolist()
    assert sorted(shuffled) == [0, 1, 2, 3, 4, 5] != shuffled
    assert shuffled == position_order("shuffled", 6, 3).tolist()
    assert len({tuple(position_order("shuffled", 6, seed).tolist()) for seed in range(9)}) > 3
    assert all(position_order("shuffled", 2, seed).tolist() == [1, 0] for seed in range(5))
    assert position_order("shuffled", 1, 0).tolist() == [0]


@pytest.mark.parametrize("where", ["both", "source", "target"])
def test_zeroed_positions_are_zero_in_the_trace(run, model, where):
    changed = rerun(run, model, "zeroed", where, 0)
    for side, traced in embeddings(changed).items():
        zeroed = where in ("both", side)
        assert traced.positions.any() != zeroed
        torch.testing.assert_close(traced.output, traced.tokens + traced.positions)


@pytest.mark.parametrize("change", ["shuffled", "reversed"])
def test_moved_positions_are_those_of_the_order(run, model, change):
    changed = rerun(run, model, change, "both", 5)
    before = {"source": run.trace.source_embedding, "target": run.trace.target_embedding}
    for side, traced in embeddings(changed).items():
        order = changed.orders[side]
        torch.testing.assert_close(traced.positions, before[side].positions[order])
        torch.testing.assert_close(traced.tokens, before[side].tokens)
        assert order.tolist() != sorted(order.tolist())


def test_the_loss_is_of_the_runs_target_under_the_changed_logits(run, model):
    changed = rerun(run, model, "zeroed", "both", 0)
    tokens = torch.tensor([step.token for step in run.steps])
    for steps, trace in ((run.steps, run.trace), (changed.forced.steps, changed.forced.trace)):
        logits = trace.logits[0].double()
        expected = torch.nn.functional.cross_entropy(logits, tokens).item()
        assert mean_loss(steps) == pytest.approx(expected, abs=1e-5)
        assert first_choices(steps) == int((logits.argmax(dim=-1) == tokens).sum())
    assert mean_loss(changed.forced.steps) > mean_loss(run.steps)


@pytest.mark.parametrize("change", ["zeroed", "reversed"])
def test_what_it_writes_is_what_the_edited_model_writes_token_by_token(run, model, change):
    changed = rerun(run, model, change, "both", 0)
    table = model.target_embedding.positions(0, 64)
    order = [*changed.orders["target"].tolist(), *range(len(run.steps), 64)]
    moved = torch.zeros_like(table) if change == "zeroed" else table[order]
    source_table = model.source_embedding.positions(0, len(run.source.ids))
    source_moved = (
        torch.zeros_like(source_table)
        if change == "zeroed"
        else source_table[changed.orders["source"]]
    )
    edits = Edits(
        {
            "source_embedding.positions": lambda _: source_moved,
            "target_embedding.positions": lambda positions: moved[: len(positions)],
        }
    )
    ids = [1]
    limit = 2 * len(run.steps) + 8
    with torch.inference_mode():
        while len(ids) <= limit and ids[-1] != 2:
            trace = model(torch.tensor([run.source.ids]), torch.tensor([ids]), edits=edits)
            ids.append(int(trace.logits[0, -1].argmax()))
    assert changed.text == run.info.tokenizers.target.decode(ids)
    assert changed.finished == (ids[-1] == 2)
    assert changed.text_before == run.text


def test_a_given_target_is_still_compared_with_what_the_model_writes(run, checkpoint):
    given = make_run(checkpoint, run.source_text, target="le chat dort .")
    changed = rerun(given, checkpoint.model, "zeroed", "source", 0)
    assert changed.text_before == run.text != given.text
    assert [s.token for s in changed.forced.steps] == [s.token for s in given.steps]


def test_learned_positions_can_be_moved_up_to_the_last_that_was_learned(run):
    config = replace(run.info.config, positions="learned", max_length=17)
    torch.manual_seed(0)
    learned = Transformer(config).eval()
    info = replace(run.info, config=config)
    changed = rerun(replace(run, info=info), learned, "reversed", "both", 0)
    table = learned.target_embedding.learned.weight
    n = len(run.steps)
    torch.testing.assert_close(embeddings(changed)["target"].positions, table[:n].flip(0))


def test_the_gap_tells_whether_the_encoder_knows_the_order(run, model):
    assert order_gap(run, model, 0, zeroed=True) < 1e-5
    assert order_gap(run, model, 0, zeroed=False) > 1e-2


def test_the_gap_is_the_largest_difference_of_the_rows_put_back(run, model):
    order = position_order("shuffled", len(run.source.ids), 4)
    ids = torch.tensor([run.source.ids])
    with torch.inference_mode():
        straight = model.encode(ids)[1].output[0]
        shuffled = model.encode(ids[:, order])[1].output[0]
    put_back = torch.empty_like(shuffled)
    put_back[order] = shuffled
    expected = (put_back - straight).abs().max().item()
    assert order_gap(run, model, 4, zeroed=False) == pytest.approx(expected)
