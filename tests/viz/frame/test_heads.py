"""Every page takes the jobs of a head from the model's atlas."""

import re

import pytest

from tests.pages import open_page, texts
from texts import say_of
from viz.corpus.atlas import Atlas
from viz.corpus.places import atlas_folders
from viz.corpus.roles import find_roles
from viz.frame import atlases, heads
from viz.heads.head_roles import SENTENCES, HeadRoles
from viz.models.running import open_view
from viz.run.axes import KINDS
from viz.run.inputs import Inputs

NAME = "everyday-paper-0"
TEXT = "the animal did not cross the street because it was too tired ."


@pytest.fixture(scope="module")
def of_atlas() -> HeadRoles:
    return find_roles(Atlas(atlas_folders()[NAME]))


@pytest.mark.slow
def test_all_heads_have_the_jobs_of_the_atlas_in_the_browser_the_table_and_on_corpus(of_atlas):
    view = open_view(Inputs(NAME, TEXT, "", "cpu"))
    sent, table = heads.measures(view)["roles"], heads.summary(view)
    listed = texts(open_page("corpus", NAME, TEXT, more_corpus_all_heads="true"))
    rows = re.findall(r"<tr.*?</tr>", listed.split("corpus-examples")[-1], re.DOTALL)
    assert (sent["over"], sent["sentences"]) == ("corpus", 1000)
    at, seen = 0, 0
    for kind in KINDS:
        for layer, of_layer in enumerate(of_atlas.heads[kind]):
            for head, found in enumerate(of_layer):
                names = [role.job.name for role in found]
                assert [role["job"] for role in sent["heads"][kind][layer][head]] == names
                assert [role["rate"] for role in sent["heads"][kind][layer][head]] == [
                    role.rate for role in found
                ]
                [of_table] = table[
                    (table["kind"] == kind) & (table["layer"] == layer) & (table["head"] == head)
                ]["roles"]
                assert list(of_table) == (names or ["none"])
                at = next(i for i in range(at, len(rows)) if f"L{layer} H{head}, {kind}" in rows[i])
                for place, name in enumerate(names or ["none"]):
                    assert say_of("job.words", name) in re.sub(r"<[^>]*>", "", rows[at + place])
                seen += 1
    assert seen == 24


@pytest.mark.slow
def test_without_an_atlas_the_jobs_are_those_over_held_out_sentences(monkeypatch):
    view = open_view(Inputs("everyday-prenorm", TEXT, "", "cpu"))
    found = heads.roles(view)
    assert (found.over, found.sentences) == ("held_out", SENTENCES)
    monkeypatch.setattr(atlases, "find", lambda _: atlases.Found(None, "nothing"))
    first = heads.roles(open_view(Inputs(NAME, TEXT, "", "cpu")))
    assert first.over == "held_out"
    assert first.heads["encoder self-attention"][1][3][0].job.name == "it_referent"


def test_a_model_of_one_text_has_the_jobs_of_that_text():
    found = heads.roles(open_view(Inputs("agreement", "the cat <mask> .", "", "cpu")))
    assert (found.over, found.sentences) == ("text", 1)
