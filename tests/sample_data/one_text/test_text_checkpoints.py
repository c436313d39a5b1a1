"""Each shipped one-text checkpoint reaches its recorded scores on held-out texts."""

import functools
import re
from itertools import pairwise
from pathlib import Path

import pytest

from model.attribution.cuts import cut_everywhere, mean_outputs
from model.attribution.sublayers import Cut, heads
from model.checkpoints.checkpoint_files import list_checkpoints, read_info
from model.text.text_corpus import TextExample
from model.training.text_evaluation import TextEvaluation, evaluate_texts
from sample_data.one_text.record import HeadTable
from sample_data.one_text.tasks import TEXT_TASKS, load_held_out_texts
from sample_data.one_text.training import encode_texts
from sample_data.records import read_record, record_path
from tests.checkpoints import load_shipped

DATA = Path(__file__).parents[3] / "sample_data"
FOLDER = DATA / "checkpoints"
RIGHT = {
    "induction-two-heads": (0.99, 1.0),
    "induction-one-head": (0.99, 1.0),
    "induction-one-layer": (0.0, 0.15),
    "brackets": (0.99, 1.0),
    "agreement": (0.99, 1.0),
}
"""The least and largest share of a checkpoint's correct predictions in held-out texts."""
TEXTS = 120
"""The number of held-out texts that are scored here."""


@functools.cache
def held_out(name: str) -> list[TextExample]:
    info = load_shipped(name).info
    texts = load_held_out_texts(info.task)[:TEXTS]
    return encode_texts(texts, TEXT_TASKS[info.task], info.tokenizers.target.vocabulary)


@functools.cache
def scores(name: str) -> TextEvaluation:
    return evaluate_texts(load_shipped(name).model, held_out(name))


@pytest.mark.parametrize(
    "name", [path.name for path in list_checkpoints(FOLDER) if read_info(path).task in TEXT_TASKS]
)
def test_tells_words_of_texts_that_it_has_not_seen(name: str):
    least, most = RIGHT[name]
    assert least <= scores(name).right <= most
    info, recorded = load_shipped(name).info, load_shipped(name).info.scores
    for example in TEXT_TASKS[info.task].examples:
        assert info.tokenizers.encode_source(example).unknown == (), example
    assert recorded["texts"] == 500
    assert scores(name).right == pytest.approx(recorded["right"], abs=0.02)


def test_hard_words_are_told_too():
    far = {kind.name: kind.right for kind in scores("brackets").kinds}
    assert far["far"] > 0.97
    kinds = {kind.name: kind.right for kind in scores("agreement").kinds}
    assert min(kinds.values()) > 0.97


@pytest.mark.parametrize("name", ["induction-two-heads", "induction-one-head"])
def test_one_head_reads_the_word_before_and_one_what_followed_the_copies(name: str):
    heads = scores(name).heads
    assert max(head.previous for head in heads if head.layer == 0) > 0.4
    assert max(head.looks for head in heads if head.layer == 1) > 0.95
    assert max(head.looks for head in heads if head.layer == 0) < 0.1
    assert load_shipped(name).info.training["parameters"] == 40_320


def scores_without(name: str, cut: Cut) -> TextEvaluation:
    model, examples = load_shipped(name).model, held_out(name)
    edits = cut_everywhere(model.config, cut, "mean", mean_outputs(model, examples))
    return evaluate_texts(model, examples, edits=edits)


def test_each_of_the_two_heads_is_needed_where_there_is_one_a_layer():
    first, second = heads(load_shipped("induction-one-head").model.config)
    without_first = scores_without("induction-one-head", (first,))
    assert without_first.right < 0.2
    assert without_first.heads[1].looks < 0.2  # the head above no longer finds the place
    without_second = scores_without("induction-one-head", (second,))
    assert without_second.right < 0.2
    assert without_second.heads[1].looks == pytest.approx(
        scores("induction-one-head").heads[1].looks
    )


@pytest.mark.parametrize("name", RIGHT)
def test_the_recorded_table_has_every_head(name: str):
    table = read_record(record_path(HeadTable, name), HeadTable)
    assert table is not None
    assert table.whole.right == pytest.approx(load_shipped(name).info.scores["right"], abs=1e-3)
    config = load_shipped(name).info.config
    layers = config.n_decoder_layers + config.n_encoder_layers
    assert len(table.ranked()) == layers * config.n_heads
    costs = [cut.right for cut in table.ranked()]
    assert costs == sorted(costs)


def test_one_line_of_a_table_is_measured_again():
    table = read_record(record_path(HeadTable, "induction-two-heads"), HeadTable)
    assert table is not None
    first, *_ = table.ranked()
    cut = tuple(
        part
        for part in heads(load_shipped("induction-two-heads").model.config)
        if (int(part.sublayer.split(".")[2]), part.head) in first.cut
    )
    found = scores_without("induction-two-heads", cut)
    assert found.right == pytest.approx(first.right, abs=0.06)


def test_the_time_lapse_shows_the_change():
    series = [read_info(path) for path in list_checkpoints(FOLDER / "time-lapse" / "induction")]
    steps = [info.training["step"] for info in series]
    assert steps == sorted(set(steps))
    assert steps[0] == 0
    shares = {info.training["step"]: info.scores["right"] for info in series}
    changing = [step for step, share in shares.items() if 0.1 < share < 0.95]
    assert len(changing) >= 3
    between = [step for step in steps if changing[0] <= step <= changing[-1]]
    assert all(later - step == 20 for step, later in pairwise(between))
    assert shares[steps[-1]] > 0.99
    assert series[-1].config == load_shipped("induction-two-heads").info.config


def test_the_readme_has_their_scores():
    table = (DATA / "README.md").read_text().partition("## Trained checkpoints")[2]
    rows = {m[1]: m[2] for m in re.finditer(r"^\| `([\w-]+)` \|(.*)\|$", table, re.MULTILINE)}
    for name in RIGHT:
        assert f"| {load_shipped(name).info.scores['right']:.3f} |" in rows[name], name
