"""Questions to an atlas, each compared with another way to the same answer."""

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy import stats

from model.checkpoints.checkpoint import load_checkpoint
from sample_data.pairs import Pair
from tests.checkpoints import SHIPPED
from viz.corpus.atlas import Atlas
from viz.corpus.examples import BANDS, doing, examples
from viz.corpus.inputs import Drawn, Portion
from viz.corpus.intervals import Moments, mean, wilson
from viz.corpus.measure import Measurer
from viz.corpus.reading import classes, distances
from viz.corpus.roles import find_roles
from viz.corpus.shards import Manifest, outcome_of, sum_up, write_shard
from viz.corpus.store import Store
from viz.corpus.tables import FORMAT, HeadName, Origin
from viz.heads.head_roles import HeadRoles
from viz.heads.head_roles import find_roles as find_roles_of_the_app
from viz.heads.jobs import JOBS

COUNT = 200
JOB_NAMES = tuple(job.name for job in JOBS)
ENCODER = HeadName("encoder self-attention", 1, 1)
DECODER = HeadName("decoder self-attention", 0, 2)
CROSS = HeadName("cross-attention", 1, 3)
HEADS = (ENCODER, DECODER, CROSS)


SIZE = 120


def build(folder, name: str, pairs: list[Pair], *, size: int = SIZE, jobs=JOB_NAMES) -> Atlas:
    origin = Origin(
        format=FORMAT,
        checkpoint=name,
        sha256="",
        task="everyday",
        drawn="",
        shard=size,
        decimals=None,
        jobs=jobs,
        versions={},
    )
    measure, store = Measurer(load_checkpoint(SHIPPED / name)), Store.at(folder)
    made = []
    for number, start in enumerate(range(0, len(pairs), size)):
        found = pairs[start : start + size]
        portion = Portion(number, start, None, 0, len(found))
        write_shard(store, portion, measure(found, start), origin)
        made.append(outcome_of(portion, len(found)))
    sum_up(store, Manifest(origin, 0, {}), made)
    return Atlas(store)


def facts(atlas: Atlas, table: str) -> pd.DataFrame:
    """Return a table of measurements as pandas reads it."""
    paths = sorted((Path(str(atlas.folder)) / table).glob("*.parquet"))
    return pd.concat([pq.read_table(path).to_pandas() for path in paths], ignore_index=True)


@pytest.fixture(scope="module")
def pairs():
    return list(Drawn("everyday", COUNT, COUNT).read(0, COUNT))


@pytest.fixture(scope="module")
def atlas(tmp_path_factory, pairs):
    return build(tmp_path_factory.mktemp("paper"), "everyday-paper-0", pairs)


@pytest.fixture(scope="module")
def tables(atlas):
    """Return the atlas's tables as data frames; pandas looks up the tokens."""
    names = ("sentences", "tokens", "jobs", "cells", "heads")
    tables = {name: facts(atlas, name) for name in names}
    text = {
        key: dict(zip(of["position"], zip(of["token"], of["class"], strict=True), strict=True))
        for key, of in tables["tokens"].groupby(["sentence", "side"])
    }
    sides = {
        ENCODER.kind: ("source", "source", 0),
        DECODER.kind: ("target", "target", 1),
        CROSS.kind: ("target", "source", 1),
    }
    rows = []
    for cell in tables["cells"].to_dict("records"):
        reads, read, later = sides[cell["kind"]]
        query = text[cell["sentence"], reads][cell["query"] + later]
        key = text[cell["sentence"], read][cell["key"]]
        rows.append(
            cell | dict(zip(("reads", "reads_as", "read", "read_as"), query + key, strict=True))
        )
    tables["named"] = pd.DataFrame(rows)
    return tables


def of_head(table: pd.DataFrame, head: HeadName) -> pd.DataFrame:
    is_it = (table["kind"] == head.kind) & (table["layer"] == head.layer)
    return table[is_it & (table["head"] == head.head)]


@pytest.mark.slow
def test_roles_are_those_of_the_app_over_the_same_sentences(atlas, pairs, monkeypatch):
    monkeypatch.setattr("viz.heads.head_roles.load_held_out", lambda _task: pairs)
    roles = find_roles(atlas)
    expected = find_roles_of_the_app(load_checkpoint(SHIPPED / "everyday-paper-0"), COUNT)
    assert (roles.over, roles.sentences) == ("corpus", COUNT)
    app, found = rounded(expected), rounded(roles)
    assert found == app
    assert len(found) > 16


def rounded(roles: HeadRoles) -> list[tuple[object, ...]]:
    """List all jobs of all heads; chances have nine digits because the order of sums differs."""
    return [
        (kind, layer, head, replace(role, chance=round(role.chance, 9)))
        for kind, layers in roles.heads.items()
        for layer, heads in enumerate(layers)
        for head, jobs in enumerate(heads)
        for role in jobs
    ]


@pytest.mark.slow
def test_an_atlas_of_earlier_jobs_is_read_without_those_that_it_lacks(tmp_path, pairs):
    """Jobs are identified by name: an unknown name is ignored, and the others are read."""
    names = tuple("it_noun" if name == "it_referent" else name for name in JOB_NAMES)
    found = {
        role.job.name
        for layers in find_roles(
            build(tmp_path, "everyday-paper-0", pairs, jobs=names)
        ).heads.values()
        for layer in layers
        for head in layer
        for role in head
    }
    assert "it_referent" not in found
    assert "modifier_noun" in found


@pytest.mark.slow
def test_sums_of_shards_are_those_of_all(atlas, tmp_path, pairs):
    """Counts are equal to the last bit, however the sentences are cut into shards."""
    whole = build(tmp_path, "everyday-paper-0", pairs, size=COUNT)
    key = ["name", "kind", "layer", "head", "what", "other", "at"]
    one, other = (
        each.sums.to_pandas().sort_values(key, ignore_index=True) for each in (atlas, whole)
    )
    pd.testing.assert_frame_equal(one[[*key, "n"]], other[[*key, "n"]])
    np.testing.assert_allclose(one["total"], other["total"], rtol=1e-6, atol=1e-6)
    order = ["name", "kind", "layer", "head", "what", "order", "sentence", "query"]
    picked, others = (
        each.picks.to_pandas().sort_values(order, ignore_index=True)[
            [*order[:5], "sentence", "query", "key"]
        ]
        for each in (atlas, whole)
    )
    pd.testing.assert_frame_equal(picked, others)


@pytest.mark.parametrize(("hits", "count"), [(0, 10), (3, 10), (10, 10), (908, 1000), (1, 1)])
def test_wilson_is_scipys(hits, count):
    found = wilson(hits, count)
    expected = stats.binomtest(hits, count).proportion_ci(method="wilson")
    assert found.value == hits / count
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_intervals_at_their_ends():
    assert math.isnan(wilson(0, 0).value)
    with pytest.raises(ValueError, match="hits must be from 0 to the count, got 3 of 2"):
        wilson(3, 2)
    values = np.array([1.0, 2.0, 4.0])
    expected = stats.norm.interval(0.95, 7 / 3, stats.sem(values))
    found = mean(Moments.alike(3, 7.0, 21.0))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-6)
    assert found.count == 3
    weighed = mean(moments(np.array([1.0, 4.0, 2.0]), np.array([3.0, 1.0, 2.0])))
    apart = 3 / 2 * ((3 * -0.8333333) ** 2 + (1 * 2.1666667) ** 2 + (2 * 0.1666667) ** 2)
    assert weighed.value == pytest.approx(11 / 6)
    assert weighed.high - weighed.value == pytest.approx(1.959964 * math.sqrt(apart) / 6, abs=1e-6)
    assert math.isnan(mean(Moments.alike(0, 0.0, 0.0)).value)
    assert math.isinf(mean(Moments.alike(1, 2.0, 4.0)).high)


def moments(x: np.ndarray, w: np.ndarray) -> Moments:
    w2 = w**2
    return Moments(len(x), w.sum(), (w * x).sum(), (w2 * x**2).sum(), (w2 * x).sum(), w2.sum())


@pytest.mark.slow
@pytest.mark.parametrize("head", HEADS)
def test_distances_and_classes_are_those_of_pandas(atlas, tables, head):
    named = of_head(tables["named"], head)
    if head is not CROSS:
        assert distances(atlas, head) == Counter(named["key"] - named["query"])
    found = classes(atlas, head)
    table = pd.crosstab(named["reads_as"], named["read_as"])
    assert (found.rows, found.columns) == (tuple(table.index), tuple(table.columns))
    assert (found.counts == table.to_numpy()).all()


def test_cross_attention_is_as_far_as_from_what_is_translated(atlas, pairs):
    info = load_checkpoint(SHIPPED / "everyday-paper-0").info
    assert info.tokenizers.source.kind == "word"  # so an alignment counts tokens
    links = {
        (sentence, target): [s for s, t in pair.alignment if t == target]
        for sentence, pair in enumerate(pairs)
        for _, target in pair.alignment
    }
    expected = Counter()
    cells = of_head(facts(atlas, "cells"), CROSS)
    for sentence, query, key in cells[["sentence", "query", "key"]].itertuples(index=False):
        if gold := links.get((sentence, query)):
            expected[min((key - g for g in gold), key=abs)] += 1
    found = distances(atlas, CROSS)
    last = COUNT  # each </s> is aligned with the other one, which the file does not record
    assert sum(found.values()) in (expected.total(), expected.total() + last)
    for distance in set(expected) - {0}:
        assert found[distance] >= expected[distance]


@pytest.mark.parametrize("head", HEADS)
def test_examples_stand_at_their_quantiles(atlas, tables, head):
    rows = of_head(tables["named"], head)
    values = rows["weight"].astype(float).round(3)
    found = examples(atlas, head, each=3)
    assert [band.quantile for band in found] == list(BANDS)
    told = [example.sentence for band in found for example in band.examples]
    assert len(told) == len(set(told)) == 15
    source = tables["sentences"].set_index("sentence")["source"]
    for band in found:
        share = (values <= band.weight).mean(), (values < band.weight).mean()
        assert share[1] <= band.quantile <= share[0]
        assert band.alike == (values == band.weight).sum()
        for example in band.examples:
            is_it = (rows["sentence"] == example.sentence) & (rows["query"] == example.query)
            [row] = rows[is_it].to_dict("records")
            assert (row["reads"], row["read"]) == (example.query_token, example.key_token)
            assert (row["key"], source[example.sentence]) == (example.key, example.source)
            assert row["weight"] == pytest.approx(example.weight)
            below = (values < example.weight - 5e-4).mean()
            assert below - 0.06 <= band.quantile <= (values <= example.weight + 5e-4).mean() + 0.06
        shown = {round(example.weight, 3) for example in band.examples}
        assert band.quantile not in (0, 1) or band.weight in shown
        if band.alike >= 0.1 * len(rows):
            assert shown == {band.weight}


def doer(atlas, kind, job):
    """Return the head of a kind that does a job most often."""
    rates = {
        HeadName(kind, layer, head): role.rate
        for layer, heads in enumerate(find_roles(atlas).heads[kind])
        for head, roles in enumerate(heads)
        for role in roles
        if role.job.name == job
    }
    return max(rates, key=rates.__getitem__)


@pytest.mark.parametrize(
    ("kind", "job"), [(ENCODER.kind, "modifier_noun"), (CROSS.kind, "reads_translated")]
)
def test_sentences_in_which_a_head_does_its_job(atlas, tables, kind, job):
    head = doer(atlas, kind, job)
    found = doing(atlas, head, job)
    assert len({one.sentence for one in found}) == len({one.key_token for one in found}) == 3
    of_job = tables["jobs"][tables["jobs"]["job"] == JOB_NAMES.index(job)]
    cells = set(of_job[["sentence", "query", "key"]].itertuples(index=False, name=None))
    rows = of_head(tables["named"], head).set_index(["sentence", "query"])
    for one in found:
        assert (one.sentence, one.query, one.key) in cells
        row = rows.loc[(one.sentence, one.query)]
        told = one.key, one.key_token, one.query_token
        assert (row["key"], row["read"], row["reads"]) == told
        assert row["weight"] == pytest.approx(one.weight)
    texts = tables["sentences"].set_index("sentence").loc[[one.sentence for one in found]]
    assert texts["n_source"].between(6, 13).all()
    assert texts["loss"].is_monotonic_increasing
