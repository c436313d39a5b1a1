"""Recorded agreement of the measures: checked on a small model and for the shipped checkpoints."""

import math

import pytest
import torch

from model.attribution.measures import MEASURES
from model.checkpoints.checkpoint import load_checkpoint
from sample_data import measures
from sample_data.agreement import Agreements
from sample_data.measures import record
from sample_data.records import FOLDER, read_record, record_path
from sample_data.tasks import load_held_out
from tests.checkpoints import write_checkpoints

NAMES = sorted(path.stem for path in (FOLDER / Agreements.folder).glob("*.json"))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = write_checkpoints(tmp_path_factory.mktemp("measures"))
    checkpoint = load_checkpoint(folder / "digits-paper")
    pairs = load_held_out("digits")[:2]
    return checkpoint, pairs, record(checkpoint, pairs, "some weights")


def test_rows_with_a_gold_word_are_counted(recorded):
    checkpoint, pairs, found = recorded
    assert found.gold_rows == sum(len({target for _, target in p.alignment}) for p in pairs)
    assert found.sentences == 2
    assert found.weights == "some weights"
    assert set(found.measures) == {*MEASURES, "position"}
    # The reference takes the last layer's attention from the model itself.
    hits = []
    for pair in pairs:
        source = checkpoint.info.tokenizers.encode_source(pair.source).ids
        target = checkpoint.info.tokenizers.encode_target(pair.target).ids
        with torch.inference_mode():
            trace = checkpoint.model(torch.tensor([source]), torch.tensor([target[:-1]]))
        most = trace.decoder.layers[2].cross_attn.weights[0].mean(0).argmax(-1).tolist()
        golds = {t: {s for s, u in pair.alignment if u == t} for _, t in pair.alignment}
        hits += [most[row] in golds[row] for row in golds]
    assert found.measures["attention"].gold == round(sum(hits) / len(hits), 4)


def test_swaps_agree_with_themselves(recorded):
    _, _, found = recorded
    assert found.swap_rows > 0
    assert found.measures["swapped"].swap == 1.0
    assert math.isclose(found.measures["swapped"].rank or 0, 1.0)


def test_a_rank_correlation_by_hand():
    a, b = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([10.0, 5.0, 20.0, 30.0])
    # 1 - 6 * sum of squared differences of ranks / (n (n^2 - 1)), which are 1, -1, 0, 0.
    assert math.isclose(measures._rank_correlation(a, b), 1 - 6 * 2 / (4 * 15))


def test_the_rule_of_positions_follows_the_diagonal():
    assert measures._by_position(3, 5).argmax(-1).tolist() == [0, 2, 4]
    assert measures._by_position(1, 3).argmax(-1).tolist() == [0]


def test_nothing_to_measure_is_refused(recorded):
    with pytest.raises(ValueError, match="got none"):
        record(recorded[0], [], "")


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_is_recorded(name):
    found = read_record(record_path(Agreements, name), Agreements)
    assert found.sentences == 100
    assert {*MEASURES, "position"} == set(found.measures)
    for one in found.measures.values():
        assert all(share is None or 0 <= share <= 1 for share in (one.gold, one.swap))


def test_it_is_what_another_implementation_measured():
    """The other implementation used more sentences and other words for the swaps."""
    found = read_record(record_path(Agreements, "digits-paper"), Agreements).measures["direct"]
    assert (found.gold, found.swap) == pytest.approx((0.867, 0.868), abs=0.025)


def test_only_rows_in_which_a_swap_costs_something_are_compared_at_words_that_can_be_swapped():
    nan = math.nan
    costs = torch.tensor([[nan, 0.1, 2.0, 0.3], [nan, 0.1, 0.4, 0.3], [nan, 3.0, 0.0, 1.0]])
    values = torch.tensor([[9.0, 0.0, 1.0, 0.5], [9.0, 0.0, 1.0, 0.5], [9.0, 0.0, 1.0, 0.5]])
    counts = measures._Counts()
    measures._compare(counts, values, costs)
    # In the second row no swap costs enough; the word with the largest value has no swap.
    assert counts.swap == [True, False]
    assert counts.rank == pytest.approx([1.0, -1.0])
    measures._compare(counts, values[:, 1:3], costs[:, 1:3])
    assert len(counts.swap) == 2, "two words are too few"
