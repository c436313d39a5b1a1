import difflib
import json
import subprocess
import sys

import pytest

from model.text.normalised import MAX_CHARACTERS, TextTooLongError
from model.text.piece import SPECIAL_TOKENS
from model.text.tokenizer import BOS_ID, EOS_ID, PAD_ID, UNK_ID, Tokenizer, Tokenizers, UnknownWord

ENGLISH = (
    "the animal did not cross the street because it was too tired .",
    "does the cat see the dog ?",
    "i can not swim , it is cold",
)
FRENCH = (
    "l' animal n' a pas traversé la rue parce qu' il était trop fatigué .",
    "est-ce que le chat voit le chien ?",
    "aujourd'hui , d'abord",
)
KINDS = ("word", "character", "bpe")


def train(source_kind="word", target_kind=None, *, shared=False, bpe_size=90) -> Tokenizers:
    kinds = {"source_kind": source_kind, "target_kind": target_kind or source_kind}
    return Tokenizers.train(ENGLISH, FRENCH, **kinds, shared=shared, bpe_size=bpe_size)


@pytest.fixture(scope="module")
def trained() -> dict[str, Tokenizers]:
    return {kind: train(kind) for kind in KINDS}


@pytest.fixture(scope="module")
def words(trained: dict[str, Tokenizers]) -> Tokenizers:
    return trained["word"]


def one_kind(kind: str, *texts: str) -> Tokenizer:
    return Tokenizers.train(
        texts, texts, source_kind=kind, target_kind=kind, shared=False, bpe_size=60
    ).source


# The interface of special tokens


@pytest.mark.parametrize("kind", KINDS)
def test_source_ends_with_its_token_and_target_has_both(kind, trained):
    assert SPECIAL_TOKENS == ("<pad>", "<s>", "</s>", "<unk>")
    both = trained[kind]
    assert both.encode_target("").tokens == ("<s>", "</s>")
    plain = both.source.encode("the cat")
    source = both.encode_source("the cat")
    assert source.ids == (*plain.ids, EOS_ID)
    assert source.tokens == (*plain.tokens, "</s>")
    assert source.spans == (*plain.spans, None)
    assert source.units == (*plain.units, None)
    plain = both.target.encode("le chat")
    target = both.encode_target("le chat")
    assert target.ids == (BOS_ID, *plain.ids, EOS_ID)
    assert target.tokens == ("<s>", *plain.tokens, "</s>")
    assert target.spans == (None, *plain.spans, None)
    assert target.units == (None, *plain.units, None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_special_token_written_out_is_only_text(kind):
    tokenizer = one_kind(kind, "a <s> b </s> <s>", "<pad> <unk>")
    ids = tokenizer.encode("<s> a </s> <pad>").ids
    assert not {PAD_ID, BOS_ID, EOS_ID} & set(ids)
    assert not set(SPECIAL_TOKENS) & tokenizer.vocabulary.keys() or kind == "bpe"


# Words


def test_words_are_split_as_typed_text_needs(words):
    encoding = words.target.encode("L’animal n'a pas traversé la rue, parce qu'il ?!")
    assert encoding.tokens == (
        *("l'", "animal", "n'", "a", "pas", "traversé", "la", "rue", ",", "parce"),
        *("qu'", "il", "?"),
    )
    assert encoding.spans[:5] == ((0, 2), (2, 8), (9, 11), (11, 12), (13, 16))
    assert encoding.spans[-3:] == ((40, 43), (43, 45), (46, 47))
    assert encoding.units == tuple(range(13))


def test_a_word_of_the_training_text_stays_whole(words):
    encoding = words.target.encode("Est-ce aujourd'hui, d'abord d'animal")
    assert encoding.tokens == ("est-ce", "aujourd'hui", ",", "d'abord", "<unk>", "animal")
    assert encoding.unknown == (UnknownWord("d'", start=28, end=30, nearest=()),)
    assert words.target.encode("chat,d'abord").tokens == ("chat", ",", "d'abord")


@pytest.mark.parametrize(
    ("typed", "tokens", "stretches"),
    [
        ("Doesn't", ("does", "not"), ("Doesn't"[:4], "n't")),
        ("doesn’t", ("does", "not"), ("does", "n’t")),
        ("can't", ("can", "not"), ("can", "'t")),
        ("it's", ("it", "is"), ("it", "'s")),
        ("cat's", ("<unk>",), ("cat's",)),
    ],
)
def test_contractions_are_written_out_where_they_stand(words, typed, tokens, stretches):
    encoding = words.source.encode(f"  {typed}")
    assert encoding.tokens == tokens
    assert tuple(f"  {typed}"[start:end] for start, end in encoding.spans) == stretches


def test_unknown_words_are_named_with_the_nearest_known_ones(words):
    encoding = words.source.encode("The  CTA sees xyzzy")
    assert encoding.tokens == ("the", "<unk>", "<unk>", "<unk>")
    assert encoding.ids[1:] == (UNK_ID,) * 3
    assert encoding.unknown == (
        UnknownWord("CTA", start=5, end=8, nearest=()),
        UnknownWord("sees", start=9, end=13, nearest=("see",)),
        UnknownWord("xyzzy", start=14, end=19, nearest=()),
    )


def test_only_the_first_fifty_unknown_words_get_suggestions(words):
    encoding = words.source.encode(" ".join(f"street{i}" for i in range(60)))
    assert [bool(unknown.nearest) for unknown in encoding.unknown] == [True] * 50 + [False] * 10


def test_decoded_words_read_as_people_write():
    both = train("word")
    ids = both.encode_target(FRENCH[0]).ids
    assert both.target.decode((*ids, PAD_ID)) == (
        "l'animal n'a pas traversé la rue parce qu'il était trop fatigué."
    )
    assert both.target.decode(both.target.encode("est-ce que le chat , voit ?").ids) == (
        "est-ce que le chat, voit?"
    )


def test_punctuation_inside_a_known_word_stays():
    tokenizer = one_kind("word", "pi is 3.14 .", "1 2 3 , .")
    assert tokenizer.encode("3.14, 1,2,3.").tokens == ("3.14", ",", *"1,2,3.")


# Characters


def test_each_character_is_a_token_and_a_space_is_shown(trained):
    side = trained["character"].source
    encoding = side.encode("a cat")
    assert encoding.tokens == ("a", "␣", "c", "a", "t")
    assert encoding.spans == ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5))
    assert encoding.units == (0, 1, 2, 3, 4)
    assert side.decode(encoding.ids) == "a cat"
    assert " " in side.vocabulary
    heap = side.encode("e" + "\u0301" * 999)  # more than one letter
    assert max(end - start for start, end in heap.spans) <= 32


def test_case_is_kept_only_where_the_training_text_has_both():
    assert one_kind("character", "abc").encode("CAB").tokens == ("c", "a", "b")
    both_cases = one_kind("character", "abcA").encode("CA")
    assert both_cases.tokens == ("<unk>", "A")
    assert both_cases.unknown == (UnknownWord("C", start=0, end=1, nearest=("c",)),)


def test_characters_are_composed_and_point_to_what_was_typed():
    tokenizer = one_kind("character", "caféA 가")
    encoding = tokenizer.encode("cafe\u0301\u0000 \u1100\u1161A")
    assert encoding.tokens == ("c", "a", "f", "é", "␣", "가", "A")
    assert encoding.spans == ((0, 1), (1, 2), (2, 3), (3, 5), (6, 7), (7, 9), (9, 10))


def test_marks_are_composed_in_whatever_order_they_stand():
    tokenizer = one_kind("character", "á\u0315")
    encoding = tokenizer.encode("a\u0315\u0301")
    assert encoding.tokens == ("á", "\u0315")
    assert encoding.spans == ((0, 3), (0, 3))


# Byte pairs


def test_byte_pairs_cover_the_text_and_merge_back(trained):
    byte_pairs, text = trained["bpe"], "l'animal voit le chat."
    encoding = byte_pairs.target.encode(text)
    assert encoding.unknown == ()
    assert "".join(encoding.tokens) == "▁l'▁animal▁voit▁le▁chat▁."
    assert "".join(text[start:end] for start, end in encoding.spans) == text.replace(" ", "")
    for token, (start, end) in zip(encoding.tokens, encoding.spans, strict=True):
        assert token.removeprefix("▁") == text[start:end]
    assert sorted(set(encoding.units)) == [0, 1, 2, 3, 4, 5]
    starts = [unit for unit, t in zip(encoding.units, encoding.tokens, strict=True) if "▁" in t]
    assert starts == [0, 1, 2, 3, 4, 5]
    assert byte_pairs.target.decode(encoding.ids) == text


def test_the_most_frequent_pair_is_merged_first():
    tokenizer = one_kind("bpe", "xy xy xy xy", "qx")
    assert tokenizer.merges[0] in {("x", "y"), ("▁", "x")}
    assert tokenizer.encode("xy").tokens == ("▁xy",)
    assert tokenizer.encode("yx").tokens == ("▁", "y", "x")
    assert tokenizer.encode("yx").spans == ((0, 0), (0, 1), (1, 2))


def test_byte_pair_unknowns_are_single_characters(trained):
    encoding = trained["bpe"].source.encode("a naïse cat")
    assert encoding.unknown == (UnknownWord("ï", start=4, end=5, nearest=("i",)),)
    assert encoding.tokens.count("<unk>") == 1
    assert encoding.units[encoding.ids.index(UNK_ID)] == 1


def test_a_word_mark_that_no_token_writes_is_an_unknown_of_no_characters():
    values = train("bpe").to_dict()
    side = values["source"]
    side |= {"vocabulary": {"a": 4, "b": 5}, "merges": [], "whole_words": []}
    encoding = Tokenizers.from_dict(values).source.encode("ab")
    assert encoding.tokens == ("<unk>", "a", "b")
    assert encoding.unknown == (UnknownWord("", start=0, end=0, nearest=()),)


def test_byte_pairs_of_a_size(trained):
    assert trained["bpe"].target.vocab_size == 90
    assert trained["bpe"].source.vocab_size <= 90  # it learns no more pairs
    with pytest.raises(ValueError, match="bpe_size must be above 4, got 4"):
        train("bpe", bpe_size=4)


def test_training_is_deterministic_across_processes():
    code = (
        "import json; from tests.model.text.test_tokenizer import KINDS, train;"
        "print(json.dumps([train(kind, shared=True).to_dict() for kind in KINDS]))"
    )
    results = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    here = [train(kind, shared=True).to_dict() for kind in KINDS]
    assert results == {(json.dumps(here) + "\n").encode()}


# The two sides


def test_shared_ids_are_one_space_of_which_the_source_knows_its_own_words():
    both = Tokenizers.train(["b a b"], ["c a"], source_kind="word", target_kind="word", shared=True)
    assert both.target.vocabulary == {"a": 4, "b": 5, "c": 6}  # the most frequent first
    assert both.source.vocabulary == {"a": 4, "b": 5}
    assert both.source.vocab_size == both.target.vocab_size == 7
    assert both.source.encode("c").ids == (UNK_ID,)
    assert both.target.encode("b").ids == (5,)
    assert both.source.token(6) == "c"


@pytest.mark.parametrize(
    ("source_kind", "target_kind"),
    [("word", "word"), ("word", "bpe"), ("character", "character"), ("bpe", "bpe")],
)
@pytest.mark.parametrize("shared", [False, True])
def test_all_combinations_survive_json(source_kind, target_kind, shared):
    both = train(source_kind, target_kind, shared=shared)
    again = Tokenizers.from_dict(json.loads(json.dumps(both.to_dict())))
    assert again == both
    assert hash(again) == hash(both)
    assert (both.source == both.target) == (shared and source_kind == target_kind == "bpe")
    assert shared == (both.source.all_tokens == both.target.all_tokens) or source_kind == "bpe"
    for text in (*ENGLISH, "Doesn't", "zzz 🙂"):
        assert again.encode_source(text) == both.encode_source(text)
    for text in FRENCH:
        encoding = again.encode_target(text)
        assert encoding.unknown == ()
        if target_kind != "character":  # words, which alignments count
            assert encoding.units[-2] == len(text.split()) - 1
        assert max(encoding.ids) < again.target.vocab_size
        decoded = again.target.decode(encoding.ids)
        assert decoded.replace(" ", "") == text.replace(" ", "")


def test_a_vocabulary_is_one_text_where_its_ids_follow_from_it():
    kinds = {"source_kind": "word", "target_kind": "word"}
    both = Tokenizers.train(["b a b d d d"], ["c a"], shared=True, **kinds)
    values = both.to_dict()
    assert values["target"]["vocabulary"] == "d a b c"  # 4, 5, 6, 7
    assert values["source"]["vocabulary"] == "d b a"  # this side's most frequent first
    assert dict(both.source.vocabulary) == {"d": 4, "b": 6, "a": 5}
    again = Tokenizers.from_dict(values)
    assert again == both
    assert list(again.source.vocabulary) == ["d", "b", "a"]
    apart = Tokenizers.train(["b a b d d d"], ["c a"], shared=False, **kinds).to_dict()
    assert apart["source"]["vocabulary"] == "d b a"
    assert dict(Tokenizers.from_dict(apart).source.vocabulary) == {"d": 4, "b": 5, "a": 6}


def test_a_vocabulary_whose_ids_do_not_follow_is_written_with_them():
    assert one_kind("character", "a b").vocabulary[" "] == 4
    values = train("character").to_dict()
    assert values["source"]["vocabulary"][" "] == 4
    for source in ({"a": 5, "b": 4}, {"c": 6}):  # another order, a token that the target lacks
        values = train("word", shared=True).to_dict()
        values["target"]["vocabulary"] = target = {"a": 5, "b": 4}
        values["source"]["vocabulary"] = source
        again = Tokenizers.from_dict(values)  # the form of old files
        written = again.to_dict()
        assert written["target"]["vocabulary"] == target
        assert Tokenizers.from_dict(written) == again


@pytest.mark.parametrize("wrong", [-1, 10_000])
def test_an_id_out_of_range_is_refused(words, wrong):
    size = words.source.vocab_size
    for use in (words.source.token, lambda i: words.source.tokens([i])):
        with pytest.raises(ValueError, match=f"an id must be from 0 to {size - 1}, got {wrong}"):
            use(wrong)
    with pytest.raises(ValueError, match="an id must be from 0"):
        words.source.decode([4, wrong])


# Unexpected text

STRANGE = {
    "long word": "a" * 10_000,
    "elisions": "l'" * 500,
    "contractions": "can't " * 166,
    "stops": "." * 1_000,
    "marks": "e" + "\u0301" * 999,
    "markup": "<script>alert('&amp;')</script>" * 30,
    "emoji": "🤷🏽‍♀️" * 200,
    "right to left": "שלום عالم " * 100,
    "lone surrogates": "\ud83d\ude00\udfff " * 250,
    "controls": "\x00\x07\x1b\u202e\ufeff" * 200,
    "many unknown words": " ".join(f"w{i}" for i in range(200)),
    "white space": " \t\n\u00a0\u3000" * 200,
    "korean letters": "\u1100\u1161\u11a8" * 300,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", STRANGE)
def test_any_text_is_read(name, kind, trained):
    side = trained[kind].source
    text = STRANGE[name]
    encoding = side.encode(text)
    lengths = {len(part) for part in (encoding.tokens, encoding.spans, encoding.units)}
    assert lengths == {len(encoding.ids)}
    assert len(encoding.unknown) == encoding.ids.count(UNK_ID)
    assert all(0 <= start <= end <= len(text) for start, end in encoding.spans)
    assert list(encoding.units) == sorted(encoding.units)
    side.decode(encoding.ids).encode()
    for unknown in encoding.unknown:
        unknown.text.encode()  # can be shown and saved


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_refused_for_its_length_before_it_is_looked_at(kind, monkeypatch):
    both = train(kind)
    longest = "ab " * (MAX_CHARACTERS // 3) + "ab"
    assert len(longest) == MAX_CHARACTERS == 20_000
    assert both.encode_source(longest).ids[-1] == EOS_ID

    def untouched(*_, **__):
        pytest.fail("the text was looked at")

    monkeypatch.setattr("model.text.tokenizer.normalise", untouched)
    monkeypatch.setattr("model.text.tokenizer.units", untouched)
    rule = "a text must have at most 20,000 characters, got 20,001"
    for encode in (both.encode_source, both.encode_target, both.source.encode):
        with pytest.raises(TextTooLongError, match=rule):
            encode(f"{longest}!")
    assert issubclass(TextTooLongError, ValueError)


def test_words_too_long_to_compare_get_no_suggestions_and_take_no_place(words, monkeypatch):
    asked = []
    found = difflib.get_close_matches

    def count(text, *rest, **options):
        asked.append(text)
        return found(text, *rest, **options)

    monkeypatch.setattr(difflib, "get_close_matches", count)
    long = " ".join("cat" * 13 + f"{i:02}" for i in range(60))
    encoding = words.source.encode(f"{long} catt")
    assert asked == ["catt"]
    assert [bool(unknown.nearest) for unknown in encoding.unknown] == [False] * 60 + [True]


@pytest.mark.slow
def test_fewer_words_are_looked_up_where_very_many_are_known(monkeypatch):
    tokenizer = one_kind("word", " ".join(f"w{i}" for i in range(30_000)))
    asked = []
    monkeypatch.setattr(
        difflib, "get_close_matches", lambda text, *_, **__: asked.append(text) or ()
    )
    tokenizer.encode(" ".join(f"x{i}" for i in range(60)))
    assert asked == ["x0", "x1", "x2"]


def test_control_characters_are_dropped_and_spans_know(words):
    encoding = words.source.encode("\ufeffthe c\u00ada\x00t")
    assert encoding.tokens == ("the", "cat")
    assert encoding.spans == ((1, 4), (5, 10))
    (unknown,) = words.source.encode("a\ud800").unknown
    assert (unknown.text, unknown.start, unknown.end) == ("a\ufffd", 0, 2)


# JSON with wrong values


def changed(**changes) -> dict:
    values = train("bpe").to_dict()
    for path, value in changes.items():
        *parents, last = path.split("__")
        part = values
        for parent in parents:
            part = part[parent]
        part[last] = value
    return values


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shared": 1}, "shared of the tokenizers must be true or false, got 1"),
        ({"extra": 1}, "the tokenizers has no extra"),
        ({"source": []}, r"source of the tokenizers must be an object, got \[\]"),
        ({"source__kind": "words"}, "one of word, character, bpe, got words"),
        ({"source__lower_case": "yes"}, "lower_case of the source tokenizer must be true or false"),
        ({"target__vocabulary": {"a": "4"}}, "id of 'a' in the target tokenizer must be a whole"),
        ({"source__merges": [["a"]]}, "a merge of the source tokenizer must be two strings"),
        ({"source__merges": [["qq", "a"]]}, "must join tokens that it has, got 'qq'"),
        ({"source__whole_words": [3]}, "whole_words of the source tokenizer must be strings"),
        ({"source__vocabulary": {"": 4}}, "a token of the source tokenizer must be characters"),
        ({"source__vocabulary": {"\ud800": 4}}, "must be characters, got '.ud800'"),
    ],
)
def test_malformed_json_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Tokenizers.from_dict(changed(**changes))


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        ({"a": 4, "b": 4}, "id 4 must belong to one token, got 'a' and 'b'"),
        ({"a": 4, "b": 6}, "ids must run from 4 to 5 without a gap, got 4 to 6"),
        ({"a": 3, "b": 4}, "ids must run from 4 to 5 without a gap, got 3 to 4"),
        ({"a": 10**18}, "ids must run from 4 to 4 without a gap"),
        ("a b a", "ids must run from 4 to 5 without a gap, got 5 to 6"),
        ("a  b", "a token of the source tokenizer must be characters, got ''"),
    ],
)
def test_ids_must_be_of_one_token_each(vocabulary, message):
    values = train("word").to_dict()
    values["source"]["vocabulary"] = vocabulary
    with pytest.raises(ValueError, match=message):
        Tokenizers.from_dict(values)


def test_a_text_of_a_shared_side_has_tokens_of_the_other():
    values = train("word", shared=True).to_dict()
    values["source"]["vocabulary"] = "the zzz"
    with pytest.raises(ValueError, match="the source tokenizer must be on the other side too, got"):
        Tokenizers.from_dict(values)


def test_shared_sides_must_agree():
    both = train("word", shared=True)
    values = both.to_dict()
    ids = values["source"]["vocabulary"] = dict(both.source.vocabulary)
    first, second = list(ids)[:2]
    ids[first], ids[second] = ids[second], ids[first]
    with pytest.raises(ValueError, match="must belong to one token, got"):
        Tokenizers.from_dict(values)
