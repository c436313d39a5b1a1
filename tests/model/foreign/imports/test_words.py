import json

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from model.foreign.imports.words import ForeignWords, TokenizerError, guarded, read_words
from model.text.normalised import MAX_CHARACTERS, TextTooLongError
from model.text.tokenizer import Tokenizers
from model.text.words import Specials, Words
from qa.fuzz.rules import replace, split
from tests.model.foreign.imports.folders import byte_tokenizer, piece_tokenizer

HOSTILE = [
    "",
    " ",
    "\ud800",
    "\x00\x01",
    "\u202eevil\u2066",
    "</script><script>alert(1)</script>",
    "a\u0301" * 50,
    "🙂👩‍👩‍👧",
    "\r\n\t\u00a0",
]


def words_of(tokenizer: Tokenizer, about: dict | None = None, **config) -> ForeignWords:
    size = config.pop("vocab_size", tokenizer.get_vocab_size())
    return read_words(tokenizer.to_str().encode(), about or {}, config, vocab_size=size)


@pytest.fixture(scope="module")
def by_bytes() -> ForeignWords:
    return words_of(byte_tokenizer(), {"eos_token": "<|endoftext|>"})


@pytest.fixture(scope="module")
def by_pieces() -> ForeignWords:
    about = {"bos_token": "<s>", "eos_token": {"content": "</s>"}, "unk_token": "<unk>"}
    return words_of(piece_tokenizer(), about)


def word_list(*words: str, **more) -> Tokenizer:
    ids = {word: id for id, word in enumerate(("[UNK]", *words))}
    made = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    values = json.loads(made.to_str()) | more
    return Tokenizer.from_str(json.dumps(values))


def test_tokens_of_bytes_are_shown_as_the_text_that_they_are(by_bytes):
    text = "The quick\n\tfox’s é"
    found = by_bytes.encode(text)
    assert found.tokens[:3] == ("The", "␣quick", "↵")
    assert "<0xE2>" in found.tokens  # a byte of the apostrophe, which has no token of its own
    assert "⇥" in found.tokens
    assert by_bytes.decode(found.ids) == text
    assert found.ids == tuple(byte_tokenizer().encode(text).ids)
    assert [text[start:end] for start, end in found.spans][:2] == ["The", " quick"]
    assert found.units[:2] == (0, 1)


def test_pieces_are_shown_with_their_spaces(by_pieces):
    found = by_pieces.encode("The quick\nfox")
    assert found.tokens[0].startswith("␣T")
    assert "↵" in found.tokens  # the byte <0x0A>
    assert not [token for token in found.tokens if "▁" in token or "<0x0A>" in token]
    assert by_pieces.decode(found.ids) == "The quick\nfox"
    assert 1 not in found.ids
    assert by_pieces.specials.around == ((1,), ())
    assert by_pieces.specials.before_prompt == (1,)


def test_continuing_pieces_keep_their_sign():
    made = Tokenizer(models.WordPiece({"[UNK]": 0, "play": 1, "##ing": 2}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[UNK] $A play", special_tokens=[("[UNK]", 0), ("play", 1)]
    )
    words = words_of(made, {"unk_token": "[UNK]"})
    found = words.encode("playing x")
    assert found.tokens == ("play", "##ing", "[UNK]")
    assert found.units == (0, 0, 1)
    assert [(u.text, u.start, u.end, u.nearest) for u in found.unknown] == [("x", 8, 9, ())]


def test_what_is_put_around_a_text_is_found(by_bytes):
    made = word_list("ab", "[CLS]", "[SEP]")
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    words = words_of(made)
    assert words.specials.around == ((2,), (3,))
    assert by_bytes.specials.around == ((), ())
    assert (words.kind, by_bytes.kind) == ("word", "bpe")


def test_special_tokens_come_from_three_files(by_pieces):
    made = by_pieces.specials
    assert (made.bos, made.eos, made.unk, made.pad, made.mask) == (1, 2, 0, None, None)
    by_ids = words_of(
        byte_tokenizer(), eos_token_id=[7, 8], pad_token_id=9, decoder_start_token_id=3
    )
    assert (by_ids.specials.eos, by_ids.specials.pad, by_ids.specials.start) == (7, 9, 3)
    assert by_ids.specials.ends == (7, 8)
    odd = {"eos_token_id": 10**9, "pad_token_id": True, "bos_token_id": "x", "unk_token_id": []}
    assert words_of(byte_tokenizer(), **odd).specials == Specials(stops=())
    assert words_of(byte_tokenizer(), {"eos_token": 5, "pad_token": {}}).specials.eos is None


def test_ids_that_no_token_has_are_named_by_their_number():
    words = words_of(byte_tokenizer(), vocab_size=350)
    assert words.token(345) == "⟨345⟩"
    assert len(words.all_tokens) == 350
    assert words.decode([345]) == ""
    for id in (-1, 350):
        with pytest.raises(ValueError, match="from 0 to 349"):
            words.token(id)


def test_a_token_beyond_the_model_is_named_by_the_text_that_has_it():
    made = word_list("ab", "cd", "[CLS]")
    made.add_special_tokens(["[PAD]"])
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", made.token_to_id("[CLS]"))]
    )
    size = made.token_to_id("[CLS]")
    words = words_of(made, vocab_size=size)
    both = Tokenizers(words, words, shared=True)
    assert words.encode("ab").tokens == ("ab",)
    assert len(words.all_tokens) == len(words.tokens(range(size))) == size
    assert all(id < size for id in words.specials.all)
    only = rf"vectors only for the ids 0 to {size - 1}\..*resize_token_embeddings"
    for reads in (both.encode_source, both.encode_prompt):
        with pytest.raises(TokenizerError, match=rf"reads \[CLS\] \(id {size}\).*{only}"):
            reads("ab")
    with pytest.raises(TokenizerError, match=rf"reads \[PAD\] \(id {size + 1}\).*{only}"):
        words.encode("ab [PAD]")
    with pytest.raises(ValueError, match=f"an id must be from 0 to {size - 1}, got {size + 2}"):
        words.token(size + 2)


def test_the_vocabulary_leaves_special_tokens_out(by_bytes):
    assert len(by_bytes.all_tokens) == by_bytes.vocab_size == 306
    assert "<|endoftext|>" not in by_bytes.vocabulary
    assert by_bytes.all_tokens[by_bytes.vocabulary["␣quick"]] == "␣quick"
    with pytest.raises(TypeError):
        by_bytes.vocabulary["new"] = 1


def test_it_is_words_as_any_other(by_bytes):
    assert isinstance(by_bytes, Words)


def test_names_can_be_given(by_bytes):
    named = by_bytes.naming({5: "five"})
    assert named.token(5) == "five"
    assert by_bytes.token(5) != "five"
    assert named.token(6) == by_bytes.token(6)


def test_special_tokens_that_are_typed_are_read_as_such(by_bytes):
    assert by_bytes.encode("<|endoftext|>").ids == (0,)
    assert by_bytes.encode("<|endoftext|>").tokens == ("<|endoftext|>",)


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_read(by_bytes, by_pieces, text):
    for words in (by_bytes, by_pieces):
        found = words.encode(text)
        assert len(found.ids) == len(found.spans) == len(found.units) == len(found.tokens)
        assert all(0 <= start <= end <= len(text) for start, end in found.spans)
        for shown in found.tokens:
            assert shown
            assert not any(c in shown for c in "\n\t\x00\u202e\u2066\ud800 ")
        assert not any(c in words.decode(found.ids) for c in "\x00\u202e\u2066")


def test_a_text_is_measured_before_it_is_read(by_bytes):
    with pytest.raises(TextTooLongError):
        by_bytes.encode("a" * (MAX_CHARACTERS + 1))


def test_hostile_tokens_are_shown_as_text():
    words = words_of(word_list("</script><b>", "\u202eevil", "x" * 1_000, "\x07bell", ""))
    assert words.token(1) == "</script><b>"  # the page escapes it
    assert words.token(2) == "\\u202eevil"
    assert words.token(3) == "x" * 40 + "…"
    assert words.token(4) == "\\x07bell"
    assert words.token(5) == "⟨⟩"


def panics(values: dict) -> Tokenizer:
    values["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"Regex": "(a+)+$"},
        "behavior": "Isolated",
        "invert": False,
    }
    return Tokenizer.from_str(json.dumps(values))


def test_a_panic_ends_one_call_and_no_more():
    tokenizer = panics(json.loads(byte_tokenizer().to_str()))
    words = words_of(tokenizer)
    with pytest.raises(BaseException, match="retry-limit") as found:  # a panic indeed
        tokenizer.encode("a" * 40 + "b")
    assert type(found.value).__name__ == "PanicException"
    with pytest.raises(TokenizerError, match=r"the tokenizer failed on this text: .*retry-limit"):
        words.encode("a" * 40 + "b")
    assert words.encode("bbb").ids


def test_an_interruption_is_no_failure_of_a_tokenizer():
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guarded(interrupted)


def test_texts_are_neither_cut_nor_padded_in_silence():
    values = json.loads(byte_tokenizer().to_str())
    values["truncation"] = {
        "direction": "Right",
        "max_length": 2,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    values["padding"] = {
        "strategy": {"Fixed": 5},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "<|endoftext|>",
    }
    made = read_words(json.dumps(values).encode(), {}, {}, vocab_size=340)
    assert made.encode("The quick brown fox").ids == tuple(
        byte_tokenizer().encode("The quick brown fox").ids
    )


@pytest.mark.parametrize("data", [b"", b"{}", b"[" * 10**6, b"\xff", b'{"version": "9"}'])
def test_what_is_no_tokenizer_is_refused(data):
    with pytest.raises(ValueError, match=r"tokenizer\.json cannot be used"):
        read_words(data, {}, {}, vocab_size=340)


def test_more_tokens_than_a_text_can_have_are_refused():
    spelt = word_list(pre_tokenizer=split("."), normalizer=replace("a", "bbbbbb"))
    with pytest.raises(
        TokenizerError, match="it splits the text into 120,000 tokens; Loupe reads at most 100,000"
    ):
        words_of(spelt).encode("a" * 20_000)
