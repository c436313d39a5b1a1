"""The browser reads text like the package `tokenizers`, for each kind of third-party tokenizer."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tokenizers import Tokenizer

from model.config import TransformerConfig
from model.foreign.imports.portable import pack_tokenizers
from model.foreign.imports.tokenizer_process import Reader
from model.foreign.imports.words import BeyondModelError, ForeignWords, read_words
from model.text.encoding import Encoding
from model.text.normalised import MAX_CHARACTERS, TextTooLongError
from model.text.tokenizer import Tokenizers
from model.text.words import Words
from tests.node import told_by
from tests.viz.pictures.twin.foreign_tokenizers import KINDS, bert, t5, texts

SCRIPT = Path(__file__).with_name("read_foreign.js")
COUNT, QUICK = 1000, 120
"""The number of texts for each kind, and how many of them the quick tests read."""
SIDES = ("source", "prompt", "target")
"""The roles of a text, which differ in the special tokens around it."""
SPECIAL = {
    "pad": ("[PAD]", "<pad>"),
    "bos": ("<s>", "<|begin|>", "[CLS]", "<|endoftext|>"),
    "eos": ("</s>", "<|end|>", "[SEP]", "<|endoftext|>"),
    "unk": ("[UNK]", "<unk>"),
    "mask": ("[MASK]", "<mask>"),
}
LONG = ("x" * (MAX_CHARACTERS + 1), "🙂" * MAX_CHARACTERS)


class Here(Reader):
    """A reader in this process, since one message for each of 1,000 texts would take too long."""

    def encode(self, text: str, around: bool = False) -> list[list[Any]]:
        return super().encode(text, around)


class Case(NamedTuple):
    words: ForeignWords
    given: list[tuple[str, list[int]]]
    """Texts to encode, and ids to decode."""
    told: Mapping[str, Any]


def words_of(made: Tokenizer, *, fewer: int = 0, **config: Any) -> ForeignWords:
    known = made.get_vocab()
    about = {
        f"{name}_token": token for name, all_ in SPECIAL.items() for token in all_ if token in known
    }
    size = made.get_vocab_size() - fewer
    said = {"decoder_start_token_id": 0, "eos_token_id": 2, **config}
    return read_words(made.to_str().encode(), about, said, vocab_size=size)


def packed(source: Words, target: Words, *, layers: tuple[int, int] = (1, 1)) -> dict[str, Any]:
    config = TransformerConfig(
        source_vocab_size=source.vocab_size if layers[0] else 0,
        target_vocab_size=target.vocab_size if layers[1] else 0,
        n_encoder_layers=layers[0],
        n_decoder_layers=layers[1],
        tying="none",
    )
    return pack_tokenizers(Tokenizers(source, target, shared=source == target), config)


@lru_cache
def words_of_kind(name: str) -> ForeignWords:
    words = words_of(KINDS[name]())
    if name != "Marian":
        return words
    ids = {token.removeprefix("\0"): id for id, token in enumerate(words.raw) if token}
    return replace(words, beyond=ids, cleans=True)


def cases(count: int) -> Iterator[tuple[str, ForeignWords, list[tuple[str, list[int]]]]]:
    read = [*texts(count)]
    for name in KINDS:
        words = words_of_kind(name)
        draw = random.Random(1)
        ids = [draw.choices(range(words.vocab_size), k=draw.randint(0, 12)) for _ in read]
        yield name, words, [*zip(read, ids, strict=True)]


def tell(
    *asked: tuple[dict[str, Any], list[tuple[str, list[int]]]], sides: Sequence[str] = SIDES
) -> list[dict[str, Any]]:
    return told_by(
        SCRIPT,
        [
            {
                "json": json_,
                "cases": [{"text": text, "ids": ids} for text, ids in given],
                "sides": sides,
            }
            for json_, given in asked
        ],
    )


def told_of(count: int, sides: Sequence[str] = SIDES) -> dict[str, Case]:
    asked = [*cases(count)]
    told = tell(*((packed(words, words), given) for _, words, given in asked), sides=sides)
    return {
        name: Case(words, given, answer)
        for (name, words, given), answer in zip(asked, told, strict=True)
    }


@pytest.fixture(scope="module")
def told() -> dict[str, Case]:
    return told_of(QUICK)


def check(name: str, case: Case, sides: Sequence[str] = SIDES) -> None:
    words = replace(case.words, backend=Here(case.words.backend.rules().encode()))
    both = Tokenizers(words, words, shared=True)
    assert "error" not in case.told, case.told
    for (text, ids), answer in zip(case.given, case.told["answers"], strict=True):
        found = json.loads(answer)
        expected = {side: plain(getattr(both, f"encode_{side}")(text)) for side in sides}
        assert found == expected | {"written": words.decode(ids)}, (name, text, ids)


def plain(encoding: Encoding) -> dict[str, Any]:
    return {
        "ids": list(encoding.ids),
        "tokens": list(encoding.tokens),
        "spans": [span and list(span) for span in encoding.spans],
        "units": list(encoding.units),
        "unknown": [{"text": u.text, "start": u.start, "end": u.end} for u in encoding.unknown],
        "copied": [],
    }


@pytest.mark.parametrize("name", KINDS)
def test_it_reads_and_writes_what_python_does(name: str, told: Mapping[str, Case]) -> None:
    check(name, told[name])


@pytest.mark.slow
def test_it_reads_and_writes_a_thousand_texts_of_each_kind() -> None:
    for name, case in told_of(COUNT, SIDES[:1]).items():
        check(name, case, SIDES[:1])


def test_the_texts_try_each_kind(told: Mapping[str, Case]) -> None:
    for name, (words, _, answer) in told.items():
        read = [json.loads(each)["source"] for each in answer["answers"]]
        used = {id for found in read for id in found["ids"]}
        assert len(used) > min(60, words.vocab_size / 3), name
        assert any(found["unknown"] for found in read) or words.specials.unk not in used, name
    assert {name for name, case in told.items() if case.words.specials.unk is not None} >= {
        "BERT", "T5", "Marian", "odd, unknown", "odd words", "Llama 2"
    }  # fmt: skip


def test_it_has_the_same_tokens_and_special_ids(told: Mapping[str, Case]) -> None:
    for name, (words, _, answer) in told.items():
        for side in ("source", "target"):
            assert answer[side]["allTokens"] == list(words.all_tokens), name
            assert dict(answer[side]["vocabulary"]) == dict(words.vocabulary), name
            assert answer[side]["kind"] == words.kind
            assert answer[side]["named"] == "other"
        special = words.specials
        assert answer["specials"] == {
            **{n: getattr(special, n) for n in ("pad", "bos", "eos", "unk", "mask", "start")},
            "stops": list(special.ends),
            "beforePrompt": list(special.before_prompt),
            "afterPrompt": list(special.after_prompt),
            "around": [list(side) for side in special.around],
        }
        with pytest.raises(ValueError, match="an id must be") as python:
            words.token(-1)
        assert answer["source"]["wrong"]["message"] == str(python.value)


def test_a_page_has_the_same_names_and_reads_nothing(told: Mapping[str, Case]) -> None:
    for name, (_, _, answer) in told.items():
        refused = answer["names"].pop("refused")
        assert all("in the worker alone" in message for message in refused)
        assert answer["names"] == {of: answer[of] for of in answer["names"]}, name


def test_a_side_that_a_model_lacks_is_null() -> None:
    words = words_of_kind("GPT-2")
    given = [("a", [1])]
    writes, reads = tell(
        (packed(words, words, layers=(0, 1)), given), (packed(words, words, layers=(1, 0)), given)
    )
    assert writes["source"] is None
    assert reads["target"] is None
    assert json.loads(writes["answers"][0])["source"] is None
    assert json.loads(reads["answers"][0])["prompt"] is None


def test_two_sides_have_two_tokenizers() -> None:
    source, target = words_of(t5()), words_of(bert(cased=False))
    [answer] = tell((packed(source, target), [("Déjà vu!", [7, 8])]))
    found, both = json.loads(answer["answers"][0]), Tokenizers(source, target, shared=False)
    assert found["source"] == plain(both.encode_source("Déjà vu!"))
    assert found["target"] == plain(both.encode_target("Déjà vu!"))
    assert found["written"] == target.decode([7, 8])


def test_texts_that_python_refuses_are_refused_in_the_same_words() -> None:
    words, whole = words_of(bert(cased=False), fewer=450), words_of(bert(cased=False))
    given = [(text, list[int]()) for text in (LONG[0], "the model reads a sentence", LONG[1])]
    told = tell((packed(words, words), given), (packed(whole, whole), given))
    refused, read = ([json.loads(each)["source"] for each in one["answers"]] for one in told)
    kinds = (TextTooLongError, BeyondModelError)
    for (text, _), kind, found in zip(given[:2], kinds, [*refused][:2], strict=True):
        with pytest.raises(kind) as python:
            words.encode(text)
        assert found == {"error": kind.__name__, "message": str(python.value)}
    assert ["error" in each for each in read] == [True, False, False]


BROKEN: dict[str, Any] = {
    "form": 2,
    "sides": [{}],
    "source": 7,
}


def test_broken_values_get_a_message() -> None:
    words = words_of_kind("GPT-2")
    given = [(packed(words, words) | {field: value}, []) for field, value in BROKEN.items()]
    assert [answer["error"] for answer in tell(*given)] == ["ForeignTokenizerError"] * len(BROKEN)


BROKEN_RULES: tuple[tuple[str, object, str], ...] = (
    ("rules.model.type", "Other", "the model Other is not known"),
    ("rules.pre_tokenizer.type", "toString", "the pre-tokenizer toString is not known"),
    ("rules.normalizer", {"type": "Nmt"}, "the normalizer Nmt is not known"),
    ("rules.decoder", {"type": "CTC"}, "the decoder CTC is not known"),
    ("rules.model.vocab", None, "the tokenizer cannot be used"),
    ("rules.normalizer", {"type": "Precompiled", "precompiled_charsmap": "AAAA"}, "table"),
    ("rules.normalizer", {"type": "Precompiled", "precompiled_charsmap": "%"}, "cannot be"),
    ("rules.normalizer", {"type": "Lowercase"}, 'reads "Hello, world" as'),
    (
        "rules.pre_tokenizer",
        {"type": "Split", "pattern": {"Regex": "[a"}, "behavior": "Isolated", "invert": False},
        "Unterminated character class",
    ),
)


def with_rule(path: str, value: object) -> dict[str, Any]:
    words = words_of_kind("GPT-2")
    json_ = packed(words, words)
    *folders, last = path.split(".")
    place = json_["sides"][0]
    for name in folders:
        place = place[name]
    place[last] = value
    return json_


def test_broken_rules_get_a_message() -> None:
    told = tell(*((with_rule(path, value), []) for path, value, _ in BROKEN_RULES))
    for (path, value, message), answer in zip(BROKEN_RULES, told, strict=True):
        assert answer["error"] == "ForeignTokenizerError", (path, value)
        assert message in answer["message"], (path, value)


def test_a_text_that_becomes_too_long_gets_a_message() -> None:
    words = words_of_kind("GPT-2")
    json_ = packed(words, words)
    json_["sides"][0]["probes"] = []
    json_["sides"][0]["rules"]["normalizer"] = {
        "type": "Replace",
        "pattern": {"String": "a"},
        "content": "b" * 20,
    }
    [answer] = tell((json_, [("a" * 9000, [])]))
    found = json.loads(answer["answers"][0])["source"]
    assert found["error"] == "ForeignTokenizerError"
    assert "makes this text too long" in found["message"]
