import pytest

from model.text.corpus import Order
from model.text.text_corpus import MASKED_SHARE, TextBatches, TextExample
from model.text.tokenizer import BOS_ID, EOS_ID, PAD_ID
from sample_data.one_text.tasks import TEXT_TASKS, load_texts
from sample_data.one_text.training import encode_texts, text_tokenizers


def encoded(name, count=40):
    task = TEXT_TASKS[name]
    texts = load_texts(name, count)
    vocabulary = text_tokenizers(task).target.vocabulary
    return task, texts, vocabulary, encode_texts(texts, task, vocabulary)


@pytest.mark.parametrize("name", TEXT_TASKS)
def test_ids_are_those_of_the_tokenizer(name):
    task, texts, _, examples = encoded(name)
    tokenizers = text_tokenizers(task)
    for text, example in zip(texts, examples, strict=True):
        if task.reads == "around":
            assert example.ids == tokenizers.encode_source(text.text).ids
        else:
            prompt = tokenizers.encode_prompt(text.text).ids
            assert example.ids == (*prompt, *([EOS_ID] if task.ends else []))
        assert PAD_ID not in example.ids


@pytest.mark.parametrize("name", TEXT_TASKS)
def test_gold_is_of_the_same_words_as_in_the_text(name):
    task, texts, vocabulary, examples = encoded(name)
    for text, example in zip(texts, examples, strict=True):
        words = task.split(text.text)
        for known, token in zip(text.known, example.known, strict=True):
            assert example.ids[token.index] == vocabulary[words[known.word]]
            looks = [example.ids[index] for index in token.looks]
            assert looks == [vocabulary[words[place]] for place in known.looks]
            right = token.choices[token.right] if token.choices else (token.right,)
            assert example.ids[token.index] in right
            assert token.kind == known.kind


def test_what_is_told_from_left_to_right():
    _, _, _, examples = encoded("brackets")
    source, target = (batch := TextBatches(examples, batch_size=4, seed=0)[0]).inputs
    assert source is None
    assert target[:, 0].tolist() == [BOS_ID] * 4
    assert target[:, 1:].tolist() == batch.predicted[:, :-1].tolist()


def test_masked_words_are_told_from_the_others():
    _, _, vocabulary, examples = encoded("agreement", 400)
    batches = TextBatches(examples, batch_size=40, seed=0)
    masked = words = 0
    for step in range(10):
        (source, target), predicted = batches[step]
        assert target is None
        is_mask = source == vocabulary["<mask>"]
        assert (is_mask == (predicted != PAD_ID)).all()
        assert (is_mask.sum(dim=1) >= 1).all()
        assert not (predicted == EOS_ID).any()
        whole = predicted.where(is_mask, source)
        assert {tuple(i for i in ids if i) for ids in whole.tolist()} <= {e.ids for e in examples}
        masked += int(is_mask.sum())
        words += int((source > EOS_ID).sum())
    assert masked / words == pytest.approx(MASKED_SHARE, abs=0.05)


def test_an_epoch_has_each_text_once_in_an_order_of_its_seed():
    order = Order([(3,), (9,), (3,), (7,), (8,)], batch_size=2, seed=0)
    assert sorted(i for step in range(order.per_epoch) for i in order[step]) == [0, 1, 2, 3, 4]
    examples = encoded("agreement", 100)[-1]
    seen = [TextBatches(examples, batch_size=8, seed=n)[0].predicted.tolist() for n in (3, 3, 4)]
    assert seen[0] == seen[1] != seen[2]
    with pytest.raises(ValueError, match="the corpus is empty"):
        TextBatches([], batch_size=2, seed=0)


def test_what_a_text_teaches():
    assert TextExample((1, 5, 6, 2)).predicted == (5, 6, 2)
    assert TextExample((5, 6, 2), mask=4).predicted == (5, 6)
