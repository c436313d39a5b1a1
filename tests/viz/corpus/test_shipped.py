"""The shipped atlas: it describes the shipped weights, and its sentences can be opened."""

from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pandas as pd
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.checkpoints.checkpoint_files import weights_hash
from sample_data.gold import find_gold
from sample_data.pairs import read_tsv
from sample_data.tasks import TASKS, is_held_out
from tests.checkpoints import SHIPPED
from viz.corpus.atlas import Atlas
from viz.corpus.examples import examples
from viz.corpus.measure import Measurer
from viz.corpus.places import atlas_folders
from viz.corpus.roles import find_roles
from viz.models.own_checkpoints import checkpoint_names
from viz.run.axes import attention_trace, axis_tokens
from viz.run.making import make_run
from viz.subjects.corpus.links import to_sentence

MOST_BYTES = 150_000
VETTED = SHIPPED.parent / "corpus" / "everyday.tsv"
NAME = "everyday-paper-0"
MODIFIERS = 0.9345
"""How often a modifier reads its noun in encoder layer 1, head 3."""


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    [folder] = atlas_folders().values()
    return Atlas(folder)


def test_it_is_of_the_first_checkpoint_as_it_is_shipped(atlas):
    assert atlas.origin.checkpoint == atlas.folder.name == checkpoint_names()[0]
    assert atlas.origin.sha256 == weights_hash(SHIPPED / atlas.origin.checkpoint)
    assert atlas.origin.task == "everyday"


def test_it_is_small_and_of_sentences_that_no_training_saw(atlas):
    folder = Path(str(atlas.folder))
    assert sum(path.stat().st_size for path in folder.rglob("*.parquet")) <= MOST_BYTES
    assert atlas.sentences == atlas.held_out == 1000
    sources = [pair.source for pair in read_tsv(VETTED)]
    assert all(is_held_out(source) for source in sources)
    assert len(set(sources)) == 1000
    assert not set(TASKS["everyday"].knowledge.unknown_words()["nouns"]) & set(
        " ".join(sources).split()
    )
    assert set(atlas.picks["source"].to_pylist()) <= set(sources)


def test_the_french_of_its_sentences_is_the_grammars():
    pairs = read_tsv(VETTED)[::9]
    assert [find_gold("everyday", pair.source) for pair in pairs] == pairs


@pytest.fixture(scope="module")
def files() -> dict[str, pd.DataFrame]:
    """Measure here what the model does in these sentences."""
    tables = Measurer(load_checkpoint(SHIPPED / NAME), 3)(read_tsv(VETTED))
    return {name: table.to_pandas() for name, table in tables.items()}


def test_what_each_head_does_is_counted_by_hand_over_the_files(atlas, files):
    """Each job of each head is counted only from the tables of cells and jobs."""
    roles, names = find_roles(atlas), atlas.origin.jobs
    sizes = files["sentences"].set_index("sentence")["n_source"]
    of_heads = files["cells"].groupby(["kind", "layer", "head"], observed=True)
    seen = 0
    for (kind, layer, head), cells in of_heads:
        read = cells.set_index(["sentence", "query"])["key"]
        for role in roles.heads[kind][layer][head]:
            of_job = files["jobs"][files["jobs"]["job"] == names.index(role.job.name)]
            cell = pd.MultiIndex.from_frame(of_job[["sentence", "query"]])
            hit = read.reindex(cell).to_numpy() == of_job["key"].to_numpy()
            rows = of_job[["sentence", "query"]].drop_duplicates()
            assert role.rows == len(rows)
            assert role.rate == pytest.approx(hit.sum() / len(rows))
            if kind == "encoder self-attention":
                evenly = (1 / sizes[of_job["sentence"]]).sum() / len(rows)
                assert role.chance >= evenly - 1e-9
                assert role.job.by_place is False or role.chance == pytest.approx(evenly)
            seen += 1
    assert seen >= 30


def test_the_head_of_the_first_story_is_counted_by_hand_from_the_words(atlas, files):
    """Its two jobs are counted from words and parts of speech, without the table of jobs."""
    it, modifiers = find_roles(atlas).heads["encoder self-attention"][1][3]
    cells = files["cells"].query("kind == 'encoder self-attention' and layer == 1 and head == 3")
    read = cells.set_index(["sentence", "query"])["key"].to_dict()
    tokens = files["tokens"].query("side == 'source'").sort_values(["sentence", "position"])
    hits, referents = [], []
    for sentence, of in tokens.groupby("sentence"):
        words, classes = of["token"].tolist(), of["class"].tolist()
        for row, name in enumerate(classes):
            if name in ("determiner", "adjective"):
                key = row + 1
                while classes[key] in ("adjective", "adverb", "conjunction"):
                    key += 1
                if classes[key] == "noun":
                    hits.append(read[sentence, row] == key)
        if "because it " in " ".join(words):
            row = words.index("it")
            nouns = [key for key in range(row) if classes[key] == "noun"]
            referents.append((row, nouns, read[sentence, row]))
    assert (len(hits), sum(hits) / len(hits)) == (modifiers.rows, modifiers.rate)
    assert modifiers.rate == pytest.approx(MODIFIERS, abs=5e-5)
    assert it.job.name == "it_referent"
    assert it.rows <= sum(len(nouns) == 2 for _, nouns, _ in referents) + 10
    assert it.rate > 0.98


def test_what_it_says_is_what_a_link_opens(atlas):
    """An example's sentence, run as its link asks, has the reported weight and tokens."""
    checkpoint = load_checkpoint(SHIPPED / atlas.origin.checkpoint)
    for head in atlas.heads[::5]:
        for band in examples(atlas, head, each=1):
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
            assert row.max() == pytest.approx(example.weight, abs=6e-4)
            rows, columns = axis_tokens(run, head.kind)
            assert rows[int(query["query"])] == example.query_token
            assert columns[int(query["key"])] == example.key_token
