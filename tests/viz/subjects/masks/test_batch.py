from dataclasses import replace

import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.transformer import Transformer
from tests.checkpoints import BY_HEART
from tests.pages import ok, open_app
from viz.subjects.masks.batch import make_batch

TEXTS = ("the cat sleeps .", "the dog sees the cat .")


def test_pads_the_shorter_sentence_and_keeps_what_is_written_for_each_alone(checkpoint):
    batch = make_batch(checkpoint, TEXTS)
    assert batch.source_tokens == (
        ("the", "cat", "sleeps", ".", "</s>", "<pad>", "<pad>"),
        ("the", "dog", "sees", "the", "cat", ".", "</s>"),
    )
    assert batch.labels("cross-attention", 0)[0] == (
        *BY_HEART[TEXTS[0]].split(),
        "</s>",
        "<pad>",
        "<pad>",
    )
    assert batch.target_tokens == (
        ("<s>", *BY_HEART[TEXTS[0]].split(), "<pad>", "<pad>"),
        ("<s>", *BY_HEART[TEXTS[1]].split()),
    )
    assert (batch.source_lengths, batch.target_lengths) == ((5, 7), (5, 7))
    assert batch.source[0].tolist()[5:] == [0, 0]


def test_labels_name_the_rows_and_the_columns(checkpoint):
    batch = make_batch(checkpoint, TEXTS)
    source, target = batch.source_tokens[0], batch.target_tokens[0]
    written = (*BY_HEART[TEXTS[0]].split(), "</s>", "<pad>", "<pad>")
    assert batch.labels("encoder self-attention", 0) == (source, source)
    assert batch.labels("decoder self-attention", 0) == (written, target)
    assert batch.labels("cross-attention", 0) == (written, source)
    assert batch.keys("decoder self-attention") is batch.target
    assert batch.keys("cross-attention") is batch.keys("encoder self-attention") is batch.source


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("the cat sleeps .",), "2 to 4 sentences; got 1"),
        (("the",) * 5, "2 to 4 sentences; got 5"),
        (("the cat", "  "), "sentence 2 is empty"),
        (("the cat", "the dog sees the cat ."), r"at most 5 tokens.*sentence 2 has 7"),
    ],
)
def test_refuses_in_words_what_cannot_be_run(checkpoint, texts, message):
    with pytest.raises(ValueError, match=message):
        make_batch(checkpoint, texts, limit=5)


def test_learned_positions_end_the_source_and_what_is_written(checkpoint):
    config = replace(checkpoint.info.config, positions="learned", max_length=6)
    torch.manual_seed(0)
    short = Checkpoint(replace(checkpoint.info, config=config), Transformer(config).eval())
    batch = make_batch(short, ("the cat sleeps .", "the cat ."))
    assert batch.target.size(1) <= 6
    with pytest.raises(ValueError, match=r"at most 6 tokens.*sentence 2 has 7"):
        make_batch(short, TEXTS)


@pytest.mark.slow
@pytest.mark.usefixtures("tiny_checkpoints")
def test_a_batch_that_nobody_typed_follows_the_sentence():
    app = open_app(source="the cat sleeps .")
    app.session_state["go_to"] = "masks"
    batch = ok(app.run()).text_area(key="batch")
    assert batch.value.startswith("the cat sleeps .\n")
    ok(app.text_input(key="source").set_value("the dog sleeps .").run())
    assert app.text_area(key="batch").value.startswith("the dog sleeps .\n")
    ok(app.text_area(key="batch").set_value("the cat sleeps .\nthe dog sleeps .").run())
    ok(app.text_input(key="source").set_value("the cat drinks .").run())
    assert app.text_area(key="batch").value == "the cat sleeps .\nthe dog sleeps ."
