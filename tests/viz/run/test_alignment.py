from dataclasses import replace

import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from sample_data.tasks import TASKS, load_held_out
from tests.checkpoints import SHIPPED
from tests.tiny import tiny_config
from viz.run.alignment import gold_links
from viz.run.making import make_run

SLEEPS = frozenset({(0, 0), (1, 1), (2, 2), (3, 3)})
"""the cat sleeps . -> le chat dort ."""


def test_rows_write_the_words_that_they_are_aligned_with(run):
    by_hand = {
        "l'": "the", "animal": "animal", "n'": "not", "a": "did", "pas": "not",
        "traversé": "cross", "la": "the", "rue": "street", "parce": "because", "qu'": "because",
        "il": "it", "était": "was", "trop": "too", "fatigué": "tired", ".": ".",
    }  # fmt: skip
    links = gold_links(run)
    words = {(run.target_tokens[row + 1], run.source.tokens[place]) for row, place in links}
    assert words == set(by_hand.items())
    assert len(links) == len(run.steps) - 1  # all but </s>
    # the two "the" of the source are told apart
    assert {(0, 0), (6, 5)} <= links


def test_no_gold_where_the_source_is_not_known(checkpoint, run):
    assert gold_links(make_run(checkpoint, "cat the .")) is None
    assert gold_links(make_run(checkpoint, "the unicorn sleeps .")) is None
    assert gold_links(replace(run, info=replace(run.info, task="my file"))) is None


def test_no_gold_where_another_target_was_written(checkpoint, run):
    assert gold_links(replace(run, target_ids=run.target_ids[:-1])) is None
    assert gold_links(replace(run, target_ids=(*run.target_ids[:-2], run.target_ids[-1]))) is None
    other = replace(run.source, ids=run.source.ids[::-1])
    assert gold_links(replace(run, source=other)) is None
    source = "the cat sleeps ."
    assert gold_links(make_run(checkpoint, source, target="le chien dort .")) is None
    assert gold_links(make_run(checkpoint, source, target="le chat dort .")) == SLEEPS


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_links(task):
    checkpoint = load_checkpoint(next(SHIPPED.glob(f"{task}-paper*.json")).with_suffix(""))
    pair = load_held_out(task)[3]
    run = make_run(checkpoint, pair.source, target=pair.target)
    assert gold_links(run) == {(target, source) for source, target in pair.alignment}


def test_a_word_of_several_tokens_is_linked_by_each():
    source, target = "the dogs sleep .", "les chiens dorment ."
    tokenizers = Tokenizers.train(
        [source, "the dog"],
        [target, "le chien"],
        source_kind="bpe",
        target_kind="bpe",
        shared=False,
        bpe_size=26,
    )
    config = tiny_config(
        source_vocab_size=tokenizers.source.vocab_size,
        target_vocab_size=tokenizers.target.vocab_size,
        tying="none",
    )
    torch.manual_seed(0)
    info = CheckpointInfo(
        name="bpe",
        title="BPE",
        variant="custom",
        task="everyday",
        config=config,
        tokenizers=tokenizers,
    )
    run = make_run(Checkpoint(info, Transformer(config).eval()), source, target=target)
    assert len(run.source.tokens) > 5  # words are split into pieces

    def word_of(
        spans, text
    ):  # by the position of each piece in the text, not by the tokenizer's units
        return [None if span is None else text[: span[0]].count(" ") for span in spans]

    rows = word_of(tokenizers.encode_target(target).spans[1:], target)
    places = word_of(run.source.spans, source)
    assert gold_links(run) == {
        (row, place)
        for row, word in enumerate(rows)
        for place, other in enumerate(places)
        if word is not None and word == other
    }
