import dataclasses

import pytest

from model.checkpoints.checkpoint import CheckpointInfo
from model.text.tokenizer import Tokenizers
from sample_data.everyday import english_meanings, french_meanings
from viz.subjects.embeddings.groups import content_tokens, group

SIDES = ("source", "target")


def info_of(base: CheckpointInfo, task: str, sources, targets):
    tokenizers = Tokenizers.train(
        sources, targets, source_kind="word", target_kind="word", shared=True
    )
    sizes = {f"{side}_vocab_size": getattr(tokenizers, side).vocab_size for side in SIDES}
    config = dataclasses.replace(base.config, **sizes)
    return dataclasses.replace(base, task=task, tokenizers=tokenizers, config=config)


def of(info, side):
    tokens = getattr(info.tokenizers, side).all_tokens
    groups = group(info, side, tokens, [*range(len(tokens))])
    assert groups[:4] == ("special",) * 4
    return dict(zip(tokens, groups, strict=True))


@pytest.mark.parametrize(
    ("english", "french", "meaning"),
    [
        ("cats", "chats", "animal"),
        ("street", "rue", "place"),
        ("bread", "pain", "food"),
        ("doctor", "médecin", "person"),
        ("shirt", "chemise", "clothes"),
        ("bus", "bus", "vehicle"),
        ("table", "table", "thing"),
    ],
)
def test_the_lexicon_knows_what_nouns_mean(english, french, meaning):
    assert english_meanings()[english] == french_meanings()[french] == meaning


def test_words_have_the_meaning_or_the_part_of_speech_of_their_side(checkpoint):
    info = info_of(checkpoint.info, "everyday", ["cats eat in zzz idea"], ["chat pain mange"])
    found = of(info, "source")
    words = ("cats", "eat", "in", "zzz", "idea")
    assert [found[word] for word in words] == ["animal", "verb", "small", "small", "idea"]
    assert of(info, "target")["pain"] == "food"


def test_kinds_of_tokens_where_nothing_is_known_of_words(checkpoint):
    info = info_of(checkpoint.info, "mine", ["12 7 l' z ? cat ..."], ["x"])
    found = of(info, "source")
    kinds = {"12": "number", "7": "digit", "l'": "word", "z": "letter", "?": "punctuation"}
    assert {token: found[token] for token in kinds} == kinds
    assert group(info, "source", ["␣"], [9]) == ("space",)


def test_the_words_asked_about_carry_meaning(checkpoint):
    info = dataclasses.replace(checkpoint.info, task="everyday")
    text = ["the", "cat", "did", "not", "see", "the", "big", "cat", "."]
    assert content_tokens(info, "source", text) == ("cat", "see", "big")
    other = dataclasses.replace(info, task="mine")
    assert content_tokens(other, "source", [*"a7?", "cat"]) == ("cat",)
