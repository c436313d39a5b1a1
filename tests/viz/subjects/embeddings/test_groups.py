import dataclasses

import pytest

from model.checkpoints.checkpoint import CheckpointInfo
from model.text.tokenizer import Tokenizers
from sample_data.tasks import TASKS
from viz.subjects.embeddings.groups import KIND, PART_OF_SPEECH, TEXT, criteria, group


def info_of(base: CheckpointInfo, task: str, sources, targets, kind="word", shared=True):
    tokenizers = Tokenizers.train(
        sources, targets, source_kind=kind, target_kind=kind, shared=shared
    )
    config = dataclasses.replace(
        base.config,
        source_vocab_size=tokenizers.source.vocab_size,
        target_vocab_size=tokenizers.target.vocab_size,
    )
    return dataclasses.replace(base, task=task, tokenizers=tokenizers, config=config)


def of(info, side, criterion):
    tokens = getattr(info.tokenizers, side).all_tokens
    ids = [*range(len(tokens))]
    groups = group(info, side, tokens, ids, criterion)
    assert set(groups.of) == set(groups.names)
    assert groups.of[:4] == ("special",) * 4
    assert groups.names[-1] == "special"
    return dict(zip(tokens, groups.of, strict=True)), groups


def test_parts_of_speech_are_those_of_the_side(checkpoint):
    found, groups = of(checkpoint.info, "source", PART_OF_SPEECH)
    classes = TASKS["everyday"].word_classes().source
    assert all(
        found[word] == classes[word] for word in checkpoint.info.tokenizers.source.vocabulary
    )
    assert found["cat"] == "noun"
    sizes = [groups.of.count(name) for name in groups.names[:-1]]
    assert sizes == sorted(sizes, reverse=True)
    assert of(checkpoint.info, "target", PART_OF_SPEECH)[0]["dort"] == "verb"


def test_shared_ids_look_words_up_on_both_sides(checkpoint):
    info = info_of(checkpoint.info, "everyday", ["a cat zzz"], ["un chat a"])
    found, _ = of(info, "source", PART_OF_SPEECH)
    assert (found["cat"], found["chat"], found["zzz"]) == ("noun", "noun", "other")
    assert found["a"] == "determiner"
    assert of(info, "target", PART_OF_SPEECH)[0]["a"] == "verb"
    seen, _ = of(info, "source", TEXT)
    assert seen["a"] == seen["cat"] == "in English texts"
    assert seen["chat"] == "in French texts only"


def test_kinds_of_tokens(checkpoint):
    info = info_of(checkpoint.info, "mine", ["12 7 l' z ? cat ..."], ["x"])
    found, groups = of(info, "source", KIND)
    kinds = {"12": "number", "7": "digit", "l'": "word", "z": "letter", "?": "punctuation"}
    assert {token: found[token] for token in kinds} == kinds
    assert groups.names == ("word", "letter", "digit", "number", "punctuation", "special")
    assert group(info, "source", ["␣"], [9], KIND).of == ("space",)


@pytest.mark.parametrize(
    ("kind", "shared", "task", "expected"),
    [
        ("word", True, "everyday", (PART_OF_SPEECH, KIND, TEXT)),
        ("word", False, "everyday", (PART_OF_SPEECH, KIND)),
        ("character", False, "digits", (KIND,)),
        ("bpe", True, "mine", (KIND,)),
    ],
)
def test_offers_what_the_data_has(checkpoint, kind, shared, task, expected):
    info = info_of(checkpoint.info, task, ["a cat"], ["un chat"], kind, shared)
    assert criteria(info) == expected
    for criterion in expected:
        of(info, "source", criterion)
