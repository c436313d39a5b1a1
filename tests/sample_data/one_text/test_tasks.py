import pytest

from sample_data.one_text.tasks import (
    TEXT_TASKS,
    load_held_out_texts,
    load_texts,
    make_held_out_texts,
)
from sample_data.one_text.training import text_tokenizers
from sample_data.tasks import TASKS, is_held_out


@pytest.fixture(params=TEXT_TASKS)
def task(request):
    return TEXT_TASKS[request.param]


def test_names_and_examples(task):
    assert not TEXT_TASKS.keys() & TASKS.keys()
    assert 6 <= len(task.examples) <= 20
    tokenizers = text_tokenizers(task)
    assert tokenizers.source is tokenizers.target
    assert set(tokenizers.source.vocabulary) == set(task.words)
    for text in (*task.examples, *task.beyond):
        assert task.read(text) is not None
        assert set(task.split(text)) <= set(task.words)


def test_training_and_held_out_share_no_text(task):
    held_out = {text.text for text in load_held_out_texts(task.name)}
    training = [text.text for text in load_texts(task.name, 3000)]
    assert len(held_out) == 500
    assert len(set(training)) == len(training) == 3000
    assert not held_out & set(training)
    assert all(map(is_held_out, held_out))
    assert not any(map(is_held_out, training))


def test_the_held_out_file_is_what_the_generator_writes_and_texts_are_read_back(task):
    assert load_held_out_texts(task.name)[:50] == make_held_out_texts(task.name, 50)
    assert [text for text in load_texts(task.name, 1000) if task.read(text.text) != text] == []


def test_a_known_word_is_one_of_what_it_is_decided_between(task):
    for text in load_held_out_texts(task.name)[:100]:
        words = task.split(text.text)
        for known in text.known:
            found = task.choice(words[known.word])
            if task.name == "induction":
                assert found is None
            else:
                right, sets = found
                assert words[known.word] in right
                assert sum(right is one for one in sets) == 1


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match=r"one of induction, .* the nearest is 'brackets'"):
        load_texts("bracket")
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        load_texts("induction", -1)
