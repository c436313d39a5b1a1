"""The page Corpus, tested without a browser."""

import re
from urllib.parse import parse_qs, urlparse

import pyarrow.parquet as pq
import pytest

from tests.pages import figures, open_page, panels, texts
from viz.corpus.__main__ import main
from viz.corpus.atlas import Atlas
from viz.corpus.places import atlas_folders
from viz.corpus.reading import distances
from viz.corpus.tables import HeadName
from viz.models.running import open_view
from viz.run.inputs import Inputs

NAME = "everyday-paper-0"
TEXT = "I love you!"
CROSS = {"kind": "cross-attention", "layer": "1", "head": "0"}
LINK = re.compile(r'<a class="corpus-example" href="([^"]+)">')


def opened(name: str = NAME, text: str = TEXT, **query: str):
    return open_page("corpus", name, text, **query)


def test_the_answer_is_short_and_says_how_often_by_chance():
    shown = re.sub(r"<[^>]*>", "", texts(opened(**CROSS)))
    assert "reads the word it translates in 92% of " in shown
    other = re.sub(r"<[^>]*>", "", texts(opened(**CROSS | {"head": "1"})))
    assert re.search(r"in 87% of [\d,]+ cases", other)


def test_the_pictures_are_of_the_head_in_view():
    atlas = Atlas(atlas_folders()[NAME])
    for head in (
        HeadName("encoder self-attention", 0, 2),
        HeadName("decoder self-attention", 0, 3),
    ):
        where = {"kind": head.kind, "layer": str(head.layer), "head": str(head.head)}
        page = opened(**where, more_corpus_classes="true")
        [figure] = figures(page)
        counts = distances(atlas, head)
        [bars] = figure["data"]
        at = dict(zip(bars["x"], bars["y"], strict=True))
        assert at[-1] == pytest.approx(counts[-1] / sum(counts.values()))
        assert sum(at.values()) == pytest.approx(1)
        assert max(at) == (6 if head.kind.startswith("encoder") else 0)
        [panel] = panels(page)
        assert "noun" in panel["rowTokens"]


def test_examples_lead_to_their_sentence_head_and_cell():
    page = opened(**CROSS, more_corpus_sentences="true")
    links = [urlparse(link.replace("&amp;", "&")) for link in LINK.findall(texts(page))]
    assert len(links) == 3 + 15
    for link in links:
        query = parse_qs(link.query)
        assert link.path == "attention"
        assert [query[name] for name in ("checkpoint", "kind", "layer", "head")] == [
            [NAME],
            ["cross-attention"],
            ["1"],
            ["0"],
        ]
        assert query.keys() >= {"source", "target", "query", "key", "step"}


def test_sentences_are_found_for_what_the_head_does():
    where = {"kind": "encoder self-attention", "layer": "1", "head": "3"}
    shown = re.sub(r"<[^>]*>", "", texts(opened(**where)))
    assert "“it” reads the noun it stands for in all 59 cases (by chance: 7%);" in shown
    assert re.search(r"determiners and adjectives read their noun in 93% of 550 \(\d+%\)", shown)
    assert len(re.findall(r"it reads \w+ \d+%", shown)) == 3


def test_what_is_folded_away():
    folds = ("all_heads", "make")
    page = opened(**CROSS, **{f"more_corpus_{name}": "true" for name in folds})
    shown = texts(page)
    assert re.search(r"of the 9\d\d correct sentences become wrong", shown)
    assert shown.count('href="corpus?') == 24 + 24
    assert "kind=encoder+self-attention&amp;layer=0&amp;head=3" in shown
    assert "python -m viz.corpus everyday-paper-0 --sentences 1000" in page.code[0].value


def test_a_model_without_an_atlas_says_how_to_make_one():
    page = opened("digits-paper", "copy 1 2 3")
    shown = texts(page)
    assert "have not been measured yet" in shown
    assert f'href="corpus?checkpoint={NAME}"' in shown
    [code] = page.code
    assert code.value.splitlines() == [
        ".venv/bin/python -m viz.corpus digits-paper --sentences 1000 --out atlas",
        "python3 start.py --atlas atlas",
    ]


def test_one_of_other_weights_is_not_shown(tmp_path, monkeypatch):
    main(["everyday-prenorm", "--sentences", "20", "--out", str(tmp_path)])
    (tmp_path / "everyday-prenorm").rename(tmp_path / NAME)
    monkeypatch.setenv("LOUPE_ATLAS", str(tmp_path))
    assert "made from other weights" in texts(opened())


@pytest.mark.slow
def test_a_broken_one_is_said_and_nothing_more(tmp_path, monkeypatch):
    main([NAME, "--sentences", "20", "--out", str(tmp_path)])
    monkeypatch.setenv("LOUPE_ATLAS", str(tmp_path))
    assert "over 20 sentences" in texts(opened())
    manifest, sums = (tmp_path / NAME / name for name in ("manifest.parquet", "all-sums-1.parquet"))
    pq.write_table(pq.read_table(sums).select([0]), sums)
    manifest.touch()
    assert "its columns must be those of all-sums-1" in texts(opened())
    manifest.write_bytes(b"PAR1<script>alert(1)</script>")
    shown = texts(opened())
    assert "cannot be read" in shown
    assert "<script>" not in shown


def test_a_model_of_one_text_has_the_page(tmp_path, monkeypatch):
    where = {"layer": "0", "head": "1"}
    without = opened("agreement", "the cat <mask> .", **where, more_corpus_make="true")
    assert "-m viz.corpus agreement --sentences 1000" in without.code[0].value
    assert main(["agreement", "--sentences", "60", "--out", str(tmp_path)]) == 0
    monkeypatch.setenv("LOUPE_ATLAS", str(tmp_path))
    page = opened("agreement", "the cat <mask> .", **where, more_corpus_sentences="true")
    shown = texts(page)
    assert "over 60 sentences" in shown
    links = [parse_qs(urlparse(link.replace("&amp;", "&")).query) for link in LINK.findall(shown)]
    assert len(links) >= 15
    assert not any("target" in link for link in links)
    run = open_view(Inputs("agreement", links[0]["source"][0], "", "cpu")).run
    assert run.source.tokens[int(links[0]["key"][0])] in links[0]["source"][0]
