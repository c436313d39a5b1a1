import pytest

from model.text.corpus import Batches, Example, make_example
from model.text.tokenizer import Tokenizers


def examples(count: int) -> list[Example]:
    """Return examples whose sources have 1 to 9 tokens; the first id identifies the example."""
    return [Example(source=(10 + i, *[5] * (i % 9)), target=(1, 10 + i, 2)) for i in range(count)]


def test_an_epoch_holds_every_example_once():
    batches = Batches(examples(100), batch_size=8, seed=0)
    seen = [i for step in range(batches.per_epoch) for i in batches[step].source[:, 0].tolist()]
    assert sorted(seen) == list(range(10, 110))


def test_a_batch_follows_from_the_seed_and_the_step_alone():
    in_order = Batches(examples(100), batch_size=8, seed=3)
    first = [in_order[step].source.tolist() for step in range(30)]
    resumed = Batches(examples(100), batch_size=8, seed=3)
    assert resumed[29].source.tolist() == first[29]
    assert resumed[14].source.tolist() == first[14]
    assert Batches(examples(100), batch_size=8, seed=4)[0].source.tolist() != first[0]
    assert first[0] != first[in_order.per_epoch]  # the next epoch comes in another order


def test_a_batch_holds_similar_lengths():
    batches = Batches(examples(400), batch_size=8, seed=0)
    padding = [(batches[step].source == 0).float().mean().item() for step in range(50)]
    assert sum(padding) / 50 < 0.05  # at random it would be near a half


def test_an_empty_corpus_is_refused():
    with pytest.raises(ValueError, match="the corpus is empty"):
        Batches([], batch_size=8, seed=0)


def test_alignments_count_tokens_after_the_start_of_the_target():
    tokenizers = Tokenizers.train(
        ["the cat"], ["le chat"], source_kind="word", target_kind="word", shared=False
    )
    example = make_example(
        tokenizers, "the cat", "le chat", frozenset({(0, 0), (1, 1)}), frozenset({"chat"})
    )
    assert tokenizers.source.tokens(example.source) == ("the", "cat", "</s>")
    assert tokenizers.target.tokens(example.target) == ("<s>", "le", "chat", "</s>")
    assert example.alignment == {(0, 1), (1, 2)}
    assert example.scored == {2}


def test_every_piece_of_a_word_inherits_its_alignment():
    tokenizers = Tokenizers.train(
        ["ab"], ["xy"], source_kind="character", target_kind="character", shared=False
    )
    example = make_example(tokenizers, "ab", "xy", frozenset({(0, 0), (1, 0)}))
    assert example.alignment == {(0, 1), (1, 1)}
