"""Measurements of many sentences at once, compared with what the app shows of each one."""

import numpy as np
import pandas as pd
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from sample_data.pairs import Pair
from sample_data.tasks import is_held_out
from tests.checkpoints import SHIPPED, VARIANTS
from viz.corpus.inputs import Drawn
from viz.corpus.measure import Measurer
from viz.corpus.tables import SCHEMAS
from viz.heads.head_summary import METRICS, metrics_by_head
from viz.heads.head_table import summarise_heads
from viz.run.alignment import gold_links
from viz.run.axes import attention_trace, axis_tokens
from viz.run.making import make_run

COUNT = 30
HEAD = ["kind", "layer", "head"]


@pytest.fixture(scope="module", params=["everyday-paper-0", VARIANTS["headlist"]])
def checkpoint(request):
    """Load a checkpoint; the second one has no mask, so padding would change what it computes."""
    return load_checkpoint(SHIPPED / request.param)


@pytest.fixture(scope="module")
def pairs(checkpoint):
    return list(Drawn(checkpoint.info.task, COUNT, COUNT).read(0, COUNT))


@pytest.fixture(scope="module")
def tables(checkpoint, pairs):
    return Measurer(checkpoint)(pairs, first=100)


@pytest.fixture(scope="module")
def runs(checkpoint, pairs):
    return [make_run(checkpoint, pair.source, target=pair.target) for pair in pairs]


def test_the_names_are_those_of_the_app():
    assert tuple(SCHEMAS["heads"].names[-len(METRICS) :]) == METRICS


@pytest.mark.slow
def test_every_number_of_every_head_is_that_of_the_app(tables, runs):
    found = tables["heads"].to_pandas().astype({"kind": str}).set_index(["sentence", *HEAD])
    assert len(found) == COUNT * 24
    for number, run in enumerate(runs, 100):
        expected = summarise_heads(run, metrics_by_head(run, gold_links(run)))
        for row in expected.to_dict("records"):
            got = found.loc[(number, row["kind"], row["layer"], row["head"])]
            wanted = np.array([row[name] for name in METRICS])
            np.testing.assert_allclose(got.to_numpy(float), wanted, atol=2e-6, rtol=0)


@pytest.mark.slow
def test_every_row_has_the_key_that_it_reads_most(tables, runs):
    cells = tables["cells"].to_pandas().astype({"kind": str})
    assert not cells.duplicated(["sentence", *HEAD, "query"]).any()
    seen = 0
    for number, run in enumerate(runs[:10], 100):
        links = gold_links(run) or frozenset()
        aligned = {row for row, _ in links}
        for (kind, layer, head), group in cells[cells.sentence == number].groupby(HEAD):
            weights = attention_trace(run, kind, layer).weights[0, head].double().numpy()
            at = group.sort_values("query")
            assert at["query"].tolist() == list(range(len(weights)))
            rows = np.arange(len(weights))
            assert np.allclose(weights[rows, at["key"]], weights.max(axis=1), atol=1e-6)
            assert np.allclose(at["weight"], weights.max(axis=1), atol=1e-6)
            positive = np.where(weights > 0, weights, 1)
            assert np.allclose(at["entropy"], -(weights * np.log2(positive)).sum(1), atol=1e-5)
            seen += len(at)
            for query, key, gold in zip(at["query"], at["key"], at["gold"], strict=True):
                if kind == "cross-attention" and query in aligned:
                    assert gold is ((query, key) in links)
                else:
                    assert gold is None or pd.isna(gold)
    assert seen > 1000


def test_tokens_and_what_is_said_of_sentences(tables, runs, pairs):
    tokens = tables["tokens"].to_pandas()
    said = tables["sentences"].to_pandas()
    assert said["sentence"].tolist() == list(range(100, 100 + COUNT))
    assert said["source"].tolist() == [pair.source for pair in pairs]
    assert said["held_out"].all()
    for number, run in enumerate(runs, 100):
        of = tokens[tokens.sentence == number].sort_values("position")
        source = of[of.side == "source"]["token"].tolist()
        target = of[of.side == "target"]["token"].tolist()
        rows, columns = axis_tokens(run, "cross-attention")
        assert (target[1:], source) == (list(rows), list(columns))
        row = said[said.sentence == number].iloc[0]
        assert (row["n_source"], row["n_target"]) == (len(columns), len(rows))
        logs = run.trace.logits[0].double().log_softmax(-1)
        chosen = torch.tensor(run.target_ids[1:])
        loss = -logs[torch.arange(len(rows)), chosen].mean().item()
        assert row["loss"] == pytest.approx(loss, abs=1e-5)
        assert row["right"] == (logs.argmax(-1) == chosen).all().item()
    the = tokens[(tokens.token == "the") & (tokens.side == "source")]
    assert set(the["class"]) == {"determiner"}
    assert set(tokens[tokens.token == "</s>"]["class"]) == {"special"}


def test_rounding_changes_the_numbers_and_no_key(checkpoint, pairs, tables):
    rounded = Measurer(checkpoint, decimals=3)(pairs, first=100)
    exact, short = (t["cells"].to_pandas() for t in (tables, rounded))
    assert exact["key"].equals(short["key"])
    assert np.allclose(exact["weight"].round(3), short["weight"], atol=1e-6)
    assert not np.allclose(exact["weight"], short["weight"], atol=1e-6)


def test_sentences_that_no_training_can_hold_are_told_from_others(checkpoint):
    seen, unseen = ("the cat sleeps .", "the dog sleeps .")
    measured = Measurer(checkpoint)(
        [Pair(seen, "le chat dort .", frozenset()), Pair(unseen, "le chien dort .", frozenset())]
    )
    told = measured["sentences"].to_pandas()["held_out"].tolist()
    assert told == [is_held_out(seen), is_held_out(unseen)]
    assert set(measured["cells"].to_pandas()["gold"].isna()) == {True}


def test_what_cannot_be_run_is_refused(checkpoint):
    long = Pair("cat " * 600, "chat", frozenset())
    with pytest.raises(ValueError, match="1 to 512 tokens on each side; none of these 1 has"):
        Measurer(checkpoint)([long], first=7)
