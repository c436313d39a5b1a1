"""The atlas that is shipped: of the weights that are shipped, its sentences to be opened."""

from urllib.parse import parse_qs, urlparse

import pytest

from model.checkpoint import load_checkpoint, weights_hash
from sample_data.tasks import TASKS, is_held_out
from tests.checkpoints import SHIPPED
from viz.corpus.atlas import Atlas
from viz.corpus.examples import examples
from viz.corpus.places import atlas_folders
from viz.corpus.roles import find_roles
from viz.run.head_summary import METRICS, head_metrics
from viz.run.record import attention_trace, axis_tokens, make_run
from viz.run.session import checkpoint_names
from viz.subjects.corpus.links import to_sentence

MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    [folder] = atlas_folders().values()
    return Atlas(folder)


def test_it_is_of_the_first_checkpoint_as_it_is_shipped(atlas):
    assert atlas.origin.checkpoint == atlas.folder.name == checkpoint_names()[0]
    assert atlas.origin.sha256 == weights_hash(SHIPPED / atlas.origin.checkpoint)
    assert atlas.origin.task == "everyday"


def test_it_is_small_and_of_sentences_that_no_training_saw(atlas):
    assert sum(path.stat().st_size for path in atlas.folder.rglob("*.parquet")) <= MOST_BYTES
    assert atlas.sentences == atlas.held_out == 2000
    sources = atlas.ask("select source from sentences")["source"]
    assert all(is_held_out(source) for source in sources)
    assert sources.is_unique
    assert not set(TASKS["everyday"].unknown_words().nouns) & set(" ".join(sources).split())


def test_every_head_is_in_every_sentence_of_it(atlas):
    assert len(atlas.heads) == 24
    assert len(find_roles(atlas)) >= 20
    counts = atlas.ask("select count(*) as n from heads group by sentence")["n"]
    assert set(counts) == {24}


def test_what_it_says_is_what_a_link_opens(atlas):
    """The sentence of an example, run as its link asks, has the weight and the tokens told."""
    checkpoint = load_checkpoint(SHIPPED / atlas.origin.checkpoint)
    for head in atlas.heads[::5]:
        for band in examples(atlas, head, each=1).bands:
            [example] = band.examples
            link = urlparse(to_sentence(atlas.origin.checkpoint, head, example, "fr"))
            query = {name: value for name, [value] in parse_qs(link.query).items()}
            assert link.path == "attention"
            assert (query["checkpoint"], query["lang"]) == (atlas.origin.checkpoint, "fr")
            run = make_run(checkpoint, query["source"], target=query["target"])
            attention = attention_trace(run, query["kind"], int(query["layer"]))
            weights = attention.weights[0, int(query["head"])].numpy()
            row = weights[int(query["query"])]
            assert row[int(query["key"])] == row.max()
            assert row.max() == pytest.approx(example.value, abs=6e-4)
            rows, columns = axis_tokens(run, head.kind)
            assert rows[int(query["query"])] == example.query_token
            assert columns[int(query["key"])] == example.key_token


def test_its_metrics_are_those_of_its_sentences(atlas):
    checkpoint = load_checkpoint(SHIPPED / atlas.origin.checkpoint)
    for sentence in (0, 999, 1999):
        [(source, target)] = atlas.ask(
            "select source, target from sentences where sentence = ?", sentence
        ).itertuples(index=False)
        run = make_run(checkpoint, source, target=target)
        for kind in {head.kind for head in atlas.heads}:
            attention = attention_trace(run, kind, 1)
            weights = attention.weights[0].numpy()
            mask = attention.mask[0].expand(weights.shape[1:]).numpy()
            expected = head_metrics(weights, mask, is_cross=kind == "cross-attention")
            found = atlas.ask(
                "select * from heads where sentence = ? and kind = ? and layer = 1 order by head",
                sentence,
                kind,
            )
            for name in set(METRICS) - {"gold"}:
                assert found[name].to_numpy(float) == pytest.approx(
                    expected[name], abs=6e-4, nan_ok=True
                )
