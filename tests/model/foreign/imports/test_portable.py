"""The third-party tokenizers that a browser can run; others are refused with the feature's name."""

import json
import re

import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from model.checkpoints.checkpoint_files import read_info
from model.config import TransformerConfig
from model.foreign.imports.portable import FORM, pack_tokenizers
from model.foreign.imports.portable_patterns import why_not
from model.foreign.imports.portable_rules import NotPortableError
from model.foreign.imports.words import read_words
from model.text.tokenizer import Tokenizers
from tests.checkpoints import SHIPPED
from tests.model.foreign.imports.folders import byte_tokenizer, piece_tokenizer
from tests.viz.pictures.twin.foreign_tokenizers import LLAMA3, O200K

DECODER = TransformerConfig(
    source_vocab_size=0, target_vocab_size=50, n_encoder_layers=0, tying="none"
)


def pack(made: Tokenizer, **config) -> dict:
    size = config.pop("vocab_size", made.get_vocab_size())
    words = read_words(made.to_str().encode(), {}, config, vocab_size=size)
    return pack_tokenizers(Tokenizers(words, words, shared=True), DECODER)


def fresh() -> Tokenizer:
    return Tokenizer.from_str(byte_tokenizer().to_str())


def changed(made: Tokenizer, **parts) -> Tokenizer:
    return Tokenizer.from_str(json.dumps(json.loads(made.to_str()) | parts))


def test_a_decoder_has_one_side_with_all_that_its_words_know():
    made = byte_tokenizer()
    size = made.get_vocab_size()
    packed = pack(made, vocab_size=size - 2)
    assert (packed["form"], packed["source"], packed["target"]) == (FORM, None, 0)
    [side] = packed["sides"]
    words = read_words(made.to_str().encode(), {}, {}, vocab_size=size - 2)
    assert side["names"] == list(words.all_tokens)
    assert side["beyond_names"] == {str(id): words.name(id) for id in (size - 2, size - 1)}
    assert all(ids == made.encode(text, add_special_tokens=False).ids
               for text, ids in side["probes"])  # fmt: skip
    assert json.loads(json.dumps(packed)) == packed


def test_tokenizers_of_our_own_are_not_sent_in_this_way():
    own = read_info(SHIPPED / "everyday-paper-0")
    with pytest.raises(NotPortableError, match="its tokenizer has no rules that can be sent"):
        pack_tokenizers(own.tokenizers, own.config)


def words_alone(**model) -> Tokenizer:
    return Tokenizer(models.WordLevel({"<unk>": 0, "a": 1}, unk_token="<unk>", **model))


REFUSED = {
    "its normalizer Nmt": {"normalizer": {"type": "Nmt"}},
    "its normalizer ByteLevel": {"normalizer": {"type": "ByteLevel"}},
    "its pre-tokenizer UnicodeScripts": {"pre_tokenizer": {"type": "UnicodeScripts"}},
    "its pre-tokenizer FixedLength": {"pre_tokenizer": {"type": "FixedLength", "length": 5}},
    "its decoder CTC": {
        "decoder": {
            "type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True
        }
    },
    "100 characters that its normalizer Prepend writes": {
        "normalizer": {"type": "Prepend", "prepend": "a" * 100}
    },
    "50 parts in its normalizer": {
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}] * 50}
    },
    "with a repeated group": {
        "normalizer": {"type": "Replace", "pattern": {"Regex": "(a|a)*b"}, "content": ""}
    },
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_a_part_that_a_browser_does_not_compute_is_named(message: str):
    with pytest.raises(NotPortableError, match=re.escape(message)):
        pack(changed(words_alone(), **REFUSED[message]))


def test_a_part_within_a_sequence_is_found_too():
    made = fresh()
    made.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Nmt()])
    with pytest.raises(NotPortableError, match="its normalizer Nmt has no browser version"):
        pack(made)
    made = fresh()
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex("a++"), "removed")])
    with pytest.raises(NotPortableError, match="with a possessive quantifier"):
        pack(made)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (models.BPE({"a": 0, "b": 1}, [], dropout=0.5), "its BPE has dropout"),
        (models.BPE({"a": 0}, [], continuing_subword_prefix="@"), "continuing_subword_prefix"),
        (models.BPE({"a": 0}, [], byte_fallback=True), "its byte_fallback has no tokens"),
        (models.Unigram([("a", -1.0), ("b", -1.0)]), "its Unigram has no token for unknown"),
        (models.Unigram([("a", -1.0), ("b" * 65, -1.0)], unk_id=0), "65 characters in a token"),
        (models.WordPiece({"a": 0, "[UNK]": 1}, max_input_chars_per_word=999), "999 characters"),
    ],
)
def test_a_model_whose_ids_or_time_would_differ_is_named(model: models.Model, message: str):
    with pytest.raises(NotPortableError, match=message):
        pack(Tokenizer(model))


def test_offsets_are_trimmed_where_a_post_processor_does_so():
    made = fresh()
    made.post_processor = processors.Sequence(
        [processors.ByteLevel(trim_offsets=True), processors.ByteLevel(trim_offsets=False)]
    )
    [side] = pack(made)["sides"]
    assert side["rules"]["trims"] == [True]
    assert pack(piece_tokenizer())["sides"][0]["rules"]["trims"] == []


PASSES = (
    *(LLAMA3, O200K, r"\w+|[^\w\s]+", " {2,}", r"\s+$", "[0-9][0-9][0-9]", "a*|b*c", r"\p{L}*a*"),
    " ?[^(\\s|[.,!?…。，、।۔،])]+",  # BLOOM's
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",  # GPT-2's
    r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+",  # DeepSeek's
)
STOPS = {
    "(a+)+$": "a repeated group",
    "(a|a)*b": "a repeated group",
    "(?:a|b){2}": "a repeated group",
    "a*a*b": "several unbounded parts in a row",
    r"(\s*x|\s*)y": "several unbounded parts in a row",
    "a?" * 30 + "a": "too many ways to match the same text",
    "(?:a|a)" * 30 + "b": "too many ways to match the same text",
    "a{0,9}" * 9 + "b": "too many ways to match the same text",
    "a++": "a possessive quantifier",
    "(?>a)": "the group (?>a",
    "(?i)a": "the group (?i)",
    r"(a)\1": r"the escape \1",
    r"\Ga": r"the escape \G",
    "[a&&b]": "an intersection of character classes",
    "[[:alpha:]]": "a POSIX character class",
    "a{2}{3}": "a quantifier after a quantifier",
    "*a": "a quantifier with nothing to repeat",
    "x{1,100}": "the repetition {1,100}",
    "(?=a*)b": "a lookaround of unbounded length",
    "(" * 9 + "a" + ")" * 9: "brackets that are nested too deeply",
    "a" * 2_001: "2,001 characters; at most 2,000 are allowed",
    "(a": "an unmatched bracket",
    "a)": "an unmatched bracket",
    "[a": "an unmatched bracket",
}


@pytest.mark.parametrize("pattern", PASSES)
def test_patterns_of_known_models_pass(pattern: str):
    assert why_not(pattern) is None


def test_the_patterns_of_a_tokenizer_are_counted_together():
    assert why_not(*["a*b"] * 64) is None
    assert why_not(*["a*b"] * 65) == "too many ways to match the same text"
    assert why_not("|".join(["a*b"] * 65)) == "too many ways to match the same text"
    assert why_not("a{0,7}a{0,7}a*b") is None
    assert why_not("a{0,7}a{0,7}a*b", "a*b") == "too many ways to match the same text"
    assert why_not(*[r"\s+", ".*"] * 99) is None  # they never backtrack


@pytest.mark.parametrize("pattern", STOPS)
def test_a_pattern_that_may_run_for_ever_or_differ_does_not_pass(pattern: str):
    assert why_not(pattern) == STOPS[pattern]
