"""What a foreign tokenizer may make of a text: held against what `tokenizers` makes of one."""

import base64
import json
import unicodedata

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from model.foreign.imports import growth
from model.foreign.imports.growth import Growth, check_growth
from model.foreign.imports.tokenizer_apart import TokenizerApart
from model.foreign.imports.words import read_words
from qa.fuzz.rules import ENDLESS, charsmap, replace, steps
from tests.model.foreign.imports.folders import byte_tokenizer, piece_tokenizer

LETTERS = "aé字ﷺİ\u0390\U0001d160 \nＡ½ŉ\ud7ff\U0010ffff"
TABLE = {"a": "á", "é": "e" * 9, "字": "z", "ab": "x" * 40, "\U0001d160": "y" * 8}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDLESS)
def test_what_makes_too_much_is_refused_before_it_reads_a_text(name):
    values = json.loads(byte_tokenizer().to_str()) | ENDLESS[name]
    with pytest.raises(ValueError, match=r"its (tokenizer|post_processor)") as refused:
        read_words(json.dumps(values).encode(), {}, {}, vocab_size=340)
    assert len(str(refused.value)) < 200


NORMALIZERS = {
    "BertNormalizer": normalizers.BertNormalizer(),
    "ByteLevel": normalizers.ByteLevel(),
    "Lowercase": normalizers.Lowercase(),
    "NFC": normalizers.NFC(),
    "NFD": normalizers.NFD(),
    "NFKC": normalizers.NFKC(),
    "NFKD": normalizers.NFKD(),
    "Nmt": normalizers.Nmt(),
    "Precompiled": normalizers.Precompiled(base64.b64decode(charsmap(TABLE))),
    "Prepend": normalizers.Prepend("▁▁"),
    "Replace": normalizers.Replace("a", "bcdé"),
    "Strip": normalizers.Strip(),
    "StripAccents": normalizers.StripAccents(),
}


@pytest.mark.parametrize("name", NORMALIZERS)
def test_no_normalizer_makes_more_of_a_text_than_is_told(name):
    step = NORMALIZERS[name]
    told = growth_of(step, "normalizer")
    texts = [*LETTERS, LETTERS * 3, "aaaa", "ab" * 9, unicodedata.normalize("NFD", LETTERS)]
    for text in texts:
        size = len(text.encode())
        assert len(step.normalize_str(text).encode()) <= told.times * size + told.more


@pytest.mark.parametrize(
    ("step", "made", "of"),
    [
        (replace("", "ab"), 2 + 3 * 2, "xy"),
        (replace("x", "abc"), 6, "xx"),
        (replace("(?=x)", "ab", "Regex"), 6, "xx"),
        (replace(" {2,}", "ab", "Regex"), 2, "  "),
    ],
)
def test_what_is_put_in_the_place_of_another_is_measured_by_what_that_is(step, made, of):
    kind = next(iter(step["pattern"]))
    told = growth._PARTS["normalizer"][0]["Replace"](step)
    values = json.loads(byte_tokenizer().to_str()) | {"normalizer": step}
    written = Tokenizer.from_str(json.dumps(values)).normalizer
    assert kind in ("String", "Regex")
    assert written is not None
    assert len(written.normalize_str(of)) <= made <= told.times * len(of) + told.more


@pytest.mark.parametrize("texts", [TABLE, {"ﷺ": "صلى الله عليه وسلم"}, {"a": ""}])
def test_a_table_makes_as_much_as_its_longest_text_by_its_key(texts):
    told = growth._mapped({"precompiled_charsmap": charsmap(texts)}).times
    step = normalizers.Precompiled(base64.b64decode(charsmap(texts)))
    sizes = [len(step.normalize_str(key).encode()) / len(key.encode()) for key in texts]
    assert told == max(1, *(len(v.encode()) / len(k.encode()) for k, v in texts.items()))
    assert max(sizes) <= told


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_table_of_sentencepiece_itself_is_taken(tmp_path):
    sentencepiece = pytest.importorskip("sentencepiece", reason="needs what makes .spm files")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the quick brown fox"] * 20),
        model_prefix=str(tmp_path / "x"),
        vocab_size=20,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    from model.foreign.imports.pieces import read_pieces

    table = read_pieces((tmp_path / "x.model").read_bytes()).charsmap
    step = normalizers.Precompiled(table)
    longest = max(
        len(step.normalize_str(c).encode()) / len(c.encode())
        for c in map(chr, (*range(1, 0xD800), *range(0xE000, 0x20000)))
    )
    told = growth._mapped({"precompiled_charsmap": base64.b64encode(table).decode()})
    assert told == Growth(longest) == Growth(11)
    albert = steps(
        "normalizers",
        replace("``", '"'),
        {"type": "NFKD"},
        {"type": "StripAccents"},
        {"type": "Lowercase"},
        {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()},
        replace(" {2,}", " ", "Regex"),
    )
    values = json.loads(byte_tokenizer().to_str()) | {"normalizer": albert}
    assert read_words(json.dumps(values).encode(), {}, {}, vocab_size=340).encode("Ab").ids


def test_real_shapes_are_taken():
    for tokenizer in (byte_tokenizer(), piece_tokenizer()):
        check_growth(TokenizerApart(tokenizer.to_str().encode()).look(10))


def test_every_kind_of_part_that_there_is_is_known():
    kinds = {
        "normalizer": (normalizers, normalizers.Normalizer),
        "pre_tokenizer": (pre_tokenizers, pre_tokenizers.PreTokenizer),
        "post_processor": (processors, processors.PostProcessor),
        "decoder": (decoders, decoders.Decoder),
    }
    for part, (module, base) in kinds.items():
        found = {name for name, kind in vars(module).items() if is_kind(kind, base)}
        assert found - {"Sequence"} == set(growth._PARTS[part][0])
    found = {name for name, kind in vars(models).items() if is_kind(kind, models.Model)}
    assert found == set(growth._MODELS)


def is_kind(kind: object, base: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, base) and kind is not base


@pytest.mark.parametrize("part", growth._PARTS)
def test_a_kind_that_nobody_knows_is_refused(part):
    look = TokenizerApart(byte_tokenizer().to_str().encode()).look(10)
    with pytest.raises(ValueError, match=rf"{part} is of an unknown kind, Newest"):
        check_growth(look | {"parts": look["parts"] | {part: '{"type": "Newest"}'}})
    with pytest.raises(ValueError, match="model is of an unknown kind, Newest"):
        check_growth(look | {"model": "Newest"})


def growth_of(step: normalizers.Normalizer, part: str) -> Growth:
    return growth._growth(json.loads(step.__getstate__()), growth._PARTS[part][0], part)
