import dataclasses

from model.checkpoints.metadata import CheckpointInfo
from model.text.tokenizer import Tokenizers
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


def test_words_have_the_gender_or_the_part_of_speech_of_their_side(checkpoint):
    info = info_of(
        checkpoint.info, "everyday", ["cats eat in zzz idea student"], ["chat pain mange"]
    )
    found = of(info, "source")
    words = ("cats", "eat", "in", "zzz", "idea", "student")
    assert [found[word] for word in words] == ["le", "verb", "small", "small", "la", "noun"]
    assert of(info, "target")["pain"] == "le"


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
