"""What is asked of an atlas, each held against another way to the same answer."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

from model.checkpoints.checkpoint import load_checkpoint
from sample_data.pairs import Pair
from tests.checkpoints import SHIPPED
from viz.corpus.atlas import Atlas
from viz.corpus.examples import BANDS, doing, examples
from viz.corpus.intervals import mean, wilson
from viz.corpus.measure import Measurer
from viz.corpus.reading import classes, distances
from viz.corpus.roles import find_roles
from viz.corpus.sentences import Drawn
from viz.corpus.shards import write_shard
from viz.corpus.tables import FORMAT, AtlasError, HeadName, Origin, read_origin
from viz.run.head_roles import HeadRoles
from viz.run.head_roles import find_roles as find_roles_of_the_app
from viz.run.jobs import JOBS

COUNT = 200
JOB_NAMES = tuple(job.name for job in JOBS)
ENCODER = HeadName("encoder self-attention", 1, 1)
DECODER = HeadName("decoder self-attention", 0, 2)
CROSS = HeadName("cross-attention", 1, 3)
HEADS = (ENCODER, DECODER, CROSS)


def build(folder, name: str, pairs: list[Pair]) -> Atlas:
    origin = Origin(
        format=FORMAT,
        checkpoint=name,
        sha256="",
        task="everyday",
        drawn="",
        shard=120,
        decimals=None,
        jobs=JOB_NAMES,
        versions={},
    )
    measure = Measurer(load_checkpoint(SHIPPED / name))
    for number, start in enumerate(range(0, len(pairs), 120)):
        write_shard(folder, number, measure(pairs[start : start + 120], start), origin)
    return Atlas(folder)


@pytest.fixture(scope="module")
def pairs():
    return list(Drawn("everyday", COUNT).pairs())


@pytest.fixture(scope="module")
def atlas(tmp_path_factory, pairs):
    return build(tmp_path_factory.mktemp("paper"), "everyday-paper-0", pairs)


@pytest.fixture(scope="module")
def tables(atlas):
    """The same as data frames, with the tokens named by pandas."""
    names = ("sentences", "tokens", "jobs", "cells", "heads")
    tables = {name: atlas.ask(f"select * from {name}") for name in names}
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
    monkeypatch.setattr("viz.run.head_roles.load_held_out", lambda _task: pairs)
    roles = find_roles(atlas)
    expected = find_roles_of_the_app(load_checkpoint(SHIPPED / "everyday-paper-0"), COUNT)
    assert (roles.over, roles.sentences) == ("corpus", COUNT)
    app, found = rounded(expected), rounded(roles)
    assert found == app
    assert len(found) > 16


def rounded(roles: HeadRoles) -> list[tuple[object, ...]]:
    """List all jobs of all heads, their chances to nine digits: sums differ by their order."""
    return [
        (kind, layer, head, replace(role, chance=round(role.chance, 9)))
        for kind, layers in roles.heads.items()
        for layer, heads in enumerate(layers)
        for head, jobs in enumerate(heads)
        for role in jobs
    ]


@pytest.mark.slow
def test_an_atlas_of_earlier_jobs_is_read_without_those_that_it_lacks(tmp_path, pairs):
    """A job is told by its name: under another one it is none of ours, and the rest stays."""
    folder = tmp_path / "earlier"
    build(folder, "everyday-paper-0", pairs)
    names = tuple("it_noun" if name == "it_referent" else name for name in JOB_NAMES)
    for path in folder.rglob("*.parquet"):
        table = pq.read_table(path)
        origin = replace(read_origin(table.schema), jobs=names)
        pq.write_table(table.replace_schema_metadata(origin.to_metadata()), path)
    found = {
        role.job.name
        for layers in find_roles(Atlas(folder)).heads.values()
        for layer in layers
        for head in layer
        for role in head
    }
    assert "it_referent" not in found
    assert "modifier_noun" in found


def test_tables_that_do_not_fit_together_are_refused(tmp_path, pairs):
    atlas = build(tmp_path, "everyday-paper-0", pairs[:20])
    [cells] = (tmp_path / "cells").iterdir()
    table = pq.read_table(cells)
    pq.write_table(table.slice(1), cells)
    with pytest.raises(AtlasError, match="do not fit together"):
        find_roles(atlas)
    beyond = pa.array(np.full(table.num_rows, 99, np.uint16))
    pq.write_table(table.set_column(5, table.schema.field("key"), beyond), cells)
    with pytest.raises(AtlasError, match="do not fit together"):
        find_roles(atlas)


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
    values = np.array([1.0, 2.0, 4.0, np.nan])
    expected = stats.norm.interval(0.95, 7 / 3, stats.sem(values[:3]))
    assert (mean(values).low, mean(values).high) == pytest.approx(expected, abs=1e-6)
    assert mean(values).count == 3
    weighed = mean(np.array([1.0, 4.0, np.nan, 2.0]), np.array([3.0, 1.0, 9.0, 2.0]))
    apart = 3 / 2 * ((3 * -0.8333333) ** 2 + (1 * 2.1666667) ** 2 + (2 * 0.1666667) ** 2)
    assert weighed.value == pytest.approx(11 / 6)
    assert weighed.high - weighed.value == pytest.approx(1.959964 * math.sqrt(apart) / 6, abs=1e-6)
    assert math.isnan(mean(np.array([np.nan])).value)


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
    assert info.tokenizers.source.kind == "word"  # so alignments count tokens
    links = {
        (sentence, target): [s for s, t in pair.alignment if t == target]
        for sentence, pair in enumerate(pairs)
        for _, target in pair.alignment
    }
    expected = Counter()
    cells = of_head(atlas.ask("select * from cells"), CROSS)
    for sentence, query, key in cells[["sentence", "query", "key"]].itertuples(index=False):
        if gold := links.get((sentence, query)):
            expected[min((key - g for g in gold), key=abs)] += 1
    found = distances(atlas, CROSS)
    last = COUNT  # each </s> is aligned with the other one, which the file does not say
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
        if band.alike >= 40:
            assert {round(example.weight, 3) for example in band.examples} == {band.weight}


def doer(atlas, kind, job):
    """The head of a kind that does a job most often."""
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
