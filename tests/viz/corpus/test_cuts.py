"""What cutting heads costs over a corpus, and a checkpoint's scores, compared with single runs."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from tests.checkpoints import SHIPPED
from tests.viz.corpus.test_questions import moments
from viz.corpus.__main__ import main
from viz.corpus.atlas import Atlas
from viz.corpus.costs import costs
from viz.corpus.intervals import mean, wilson
from viz.corpus.scores import score
from viz.corpus.store import Store
from viz.corpus.tables import HeadName
from viz.run.axes import attention_name
from viz.run.making import make_run

NAME = "everyday-paper-0"
COUNT = 24


@pytest.fixture(scope="module")
def atlas(tmp_path_factory):
    out = tmp_path_factory.mktemp("atlas")
    options = ["--held-out", "--sentences", str(COUNT), "--shard", "16", "--cuts"]
    assert main([NAME, "--out", str(out), *options]) == 0
    return Atlas(Store.at(out / NAME))


def loss_and_right(run) -> tuple[float, bool]:
    """Return the paper's loss without smoothing, in float64, and whether every token is right."""
    logits = run.trace.logits[0].double().numpy()
    known = run.info.tokenizers.target.all_tokens
    wanted = np.array([known.index(token) for token in run.target_tokens[1:]])
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    rows = np.arange(len(wanted))
    return -logs[rows, wanted].mean(), bool((logits.argmax(axis=1) == wanted).all())


@pytest.mark.slow
def test_a_head_costs_what_runs_without_it_say(atlas):
    checkpoint = load_checkpoint(SHIPPED / NAME)
    told = pq.read_table(f"{atlas.folder}/sentences").to_pylist()
    pairs = [(row["source"], row["target"]) for row in told]
    found = {cost.head: cost for cost in costs(atlas)}
    assert len(found) == 24
    runs = [make_run(checkpoint, s, target=t) for s, t in pairs]
    whole, tokens = (
        [loss_and_right(run) for run in runs],
        np.array([float(len(r.steps)) for r in runs]),
    )
    assert len(set(tokens.tolist())) > 3
    for head in (HeadName("encoder self-attention", 0, 2), HeadName("cross-attention", 1, 0)):
        path = attention_name(head.kind, head.layer).removesuffix("weights") + "heads"
        off = (Intervention("zero", path, head=head.head),)
        cut = [
            loss_and_right(make_run(checkpoint, s, target=t, interventions=off)) for s, t in pairs
        ]
        lost = np.array([after[0] - before[0] for before, after in zip(whole, cut, strict=True)])
        cost = found[head]
        of_all_tokens = (lost * tokens).sum() / tokens.sum()
        assert cost.loss.value == pytest.approx(of_all_tokens, abs=2e-6)
        assert cost.loss.high == pytest.approx(mean(moments(lost, tokens)).high, abs=2e-6)
        stay = sum(b[1] and a[1] for b, a in zip(whole, cut, strict=True))
        assert cost.right == wilson(stay, sum(right for _, right in whole))
        assert cost.broken == sum(b[1] and not a[1] for b, a in zip(whole, cut, strict=True))
        assert cost.mended == sum(a[1] and not b[1] for b, a in zip(whole, cut, strict=True))
    dearest = [cost.loss.value for cost in costs(atlas)]
    assert dearest == sorted(dearest, reverse=True)


def test_an_atlas_without_cuts_has_none_and_is_another(tmp_path, capsys):
    out = ["--out", str(tmp_path)]
    assert main([NAME, *out, "--sentences", "4"]) == 0
    assert costs(Atlas(Store.at(tmp_path / NAME))) == ()
    with pytest.raises(SystemExit):
        main([NAME, *out, "--sentences", "4", "--cuts"])
    assert "cuts" in capsys.readouterr().err


def test_ranges_of_few_sentences_stay_where_values_are(tmp_path):
    assert main([NAME, "--out", str(tmp_path), "--sentences", "3"]) == 0
    found = score(Atlas(Store.at(tmp_path / NAME)))
    assert found is not None
    assert found.loss.low >= 0
    assert found.aligned is not None
    assert 0 <= found.aligned.low <= found.aligned.value <= found.aligned.high <= 1


@pytest.mark.slow
def test_the_scores_of_all_held_out_sentences_are_those_of_the_checkpoint(tmp_path, capsys):
    known = json.loads((SHIPPED / "digits-paper.json").read_text())["scores"]
    count = known["sentences"]
    options = ["--held-out", "--sentences", str(count), "--out", str(tmp_path)]
    assert main(["digits-paper", *options]) == 0
    found = score(Atlas(Store.at(tmp_path / "digits-paper")))
    assert found is not None
    assert found.right.count == count
    assert found.right.value == pytest.approx(known["exact_match"], abs=1e-9)
    assert f"{known['exact_match']:.2%} right" in capsys.readouterr().err
