"""Examples in their texts: the marked letters, and the part of a long text that is shown."""

import re
from pathlib import Path

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.foreign.imports.load import read_folder
from tests.checkpoints import SHIPPED
from tests.model.foreign.imports.folders import write_gpt2
from viz.corpus.atlas import Pick
from viz.corpus.tables import HeadName
from viz.subjects.corpus.excerpts import excerpt

DECODER = HeadName("decoder self-attention", 0, 0)
ENCODER = HeadName("encoder self-attention", 0, 0)
CROSS = HeadName("cross-attention", 0, 0)


def shown(info: CheckpointInfo, head: HeadName, query: int, key: int, *texts: str) -> str:
    """Write an example with its query as [q:…] and its key as [k:…]."""
    source, target = (*texts, "")[:2]
    pick = Pick("", 0.0, 0, query, key, "", "", 1.0, source, target)
    short = {"corpus-query": "q", "corpus-key": "k"}
    return re.sub(
        r'<b class="([a-z-]+)">(.*?)</b>',
        lambda m: f"[{short[m[1]]}:{m[2]}]",
        str(excerpt(info, head, pick)),
    )


@pytest.fixture(scope="module")
def brackets() -> CheckpointInfo:
    return load_checkpoint(SHIPPED / "brackets").info


@pytest.fixture(scope="module")
def bytes_info(tmp_path_factory: pytest.TempPathFactory) -> CheckpointInfo:
    folder: Path = tmp_path_factory.mktemp("models") / "bytes"
    return read_folder(write_gpt2(folder))


def test_a_text_that_begins_with_a_token_of_its_own_is_marked_one_place_on(brackets):
    assert shown(brackets, DECODER, 1, 3, "([{}])") == "[q:(][[k:{]}])"
    assert shown(brackets, DECODER, 2, 0, "([{}])") == "([q:[]{}])"


def test_parts_of_words_are_marked_without_the_space_before_them(bytes_info):
    # The␣quick␣... are whole words; "Quick" is Q, u, ick; ï and 日 take two and three bytes
    assert shown(bytes_info, DECODER, 1, 0, "The quick") == "[k:The] [q:quick]"
    assert shown(bytes_info, DECODER, 3, 2, "Quick fox") == "Qu[k:ick] [q:fox]"
    assert shown(bytes_info, DECODER, 2, 2, "The日") == "The[k:日]"
    assert shown(bytes_info, DECODER, 3, 2, "The日") == "The[k:日]"
    assert shown(bytes_info, DECODER, 1, 0, "<b>") == "[k:&lt;][q:b]&gt;"


def test_a_translation_is_marked_where_it_is_written():
    info = load_checkpoint(SHIPPED / "everyday-paper-0").info
    pair = "the cat sleeps .", "le chat dort ."
    assert shown(info, ENCODER, 2, 1, *pair) == "the [k:cat] [q:sleeps] ."
    assert shown(info, CROSS, 1, 1, *pair) == "the [k:cat] sleeps . → le [q:chat] dort ."
    assert shown(info, DECODER, 2, 1, *pair) == "[k:le] chat [q:dort] ."
    assert shown(info, DECODER, 0, 0, *pair) == "[q:le] chat dort ."


def test_of_a_long_text_the_words_around_both_places_are_left():
    info = load_checkpoint(SHIPPED / "induction-two-heads").info
    words = ["river", "lamp", "horse", "bread", "moon", "star"] * 6
    text = " ".join(words)
    assert shown(info, DECODER, 32, 15, text) == (
        "… moon star river lamp [k:horse] bread moon star river … "
        "bread moon star river [q:lamp] horse bread moon star"
    )
    assert shown(info, DECODER, 0, 0, text).endswith("…")
    assert len(shown(info, DECODER, 0, 0, text)) <= 101
    assert shown(info, DECODER, 1, 0, " ".join(words[:12])).endswith("star")


def test_a_long_text_of_one_word_is_cut_between_its_letters(brackets):
    cut = shown(brackets, DECODER, 60, 60, "(" * 120)
    assert cut == f"…{'(' * 24}[k:(]{'(' * 24}…"
