import json
import struct

import pytest
from tokenizers import Tokenizer

from model.checkpoints.checkpoint import Checkpoint
from model.foreign.errors import FolderError
from model.foreign.imports.load import open_folder
from model.foreign.imports.pieces import UNREAD, read_ids, read_pieces, tokenizer_json

IDS = {"</s>": 0, "<unk>": 1, "▁a": 2, "b": 3, "▁ab": 4, "▁": 5, "é": 6, ">>fra<<": 7, "<pad>": 8}
SCORES = {"▁a": -2.0, "b": -2.0, "▁ab": -3.0, "▁": -6.0}
ENGLISH = (
    "the cat sees the dog .",
    "a dog and a cat are here , and the house is big .",
    "he doesn't see it ; she saw 12,345 of them !",
)
FRENCH = (
    "le chat voit le chien .",
    "un chien et un chat sont là , et la maison est très grande .",
    "il ne l'a pas vu ; elle en a vu 12 345 où était-ce ?",
)
ODD = (
    "",
    "  many   spaces ",
    "a\ttab and\na line",
    "ﬁne ½ Ａ wide",
    "émigré naïve œuvre été",
    "😀😀 日本語 zzz",
    "»quotes« „low“",
    ">>fra<< the cat",
    "can\u200bzero",
    "a" * 60,
)


def field(number: int, value: int | float | bytes) -> bytes:
    """Encode one field of a protocol buffer; all numbers here are below 128."""
    if isinstance(value, float):
        return bytes([number << 3 | 5]) + struct.pack("<f", value)
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def piece(text: str, score: float, kind: int = 1) -> bytes:
    return field(1, field(1, text.encode()) + field(2, score) + field(3, kind))


def by_hand(*more: bytes) -> bytes:
    control = piece("<unk>", 0.0, 2) + piece("</s>", 0.0, 3)
    return control + b"".join(piece(*pair) for pair in SCORES.items()) + b"".join(more)


def tokens(text: str, data: bytes | None = None) -> list[str]:
    made = Tokenizer.from_buffer(tokenizer_json(read_pieces(data or by_hand()), IDS))
    return made.encode(text).tokens


def test_reads_pieces_and_their_scores():
    assert read_pieces(by_hand()).scores == SCORES
    assert read_pieces(by_hand(field(3, field(1, b"identity")))).charsmap == b""


def test_splits_by_the_most_probable_pieces():
    assert tokens("ab") == ["▁ab", "</s>"]  # -3 is better than -2 and -2
    assert tokens("a b") == ["▁a", "▁", "b", "</s>"]
    assert tokens("  a  bb ") == ["▁a", "▁", "b", "b", "</s>"]
    assert tokens(">>fra<< ab")[0] == ">>fra<<"


def test_pieces_of_the_other_language_are_never_read():
    made = Tokenizer.from_buffer(tokenizer_json(read_pieces(by_hand()), IDS))
    assert made.encode("é").ids == [5, 1, 0]
    assert made.id_to_token(6) == f"{UNREAD}é"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (piece("<0x41>", 0.0, 6), "byte pieces"),
        (field(2, field(3, 2)), "not a unigram model"),
        (field(3, field(3, 0)), "without add_dummy_prefix"),
        (field(3, field(4, 0)), "without remove_extra_whitespaces"),
        (field(1, field(2, -1.0)), "no text or no score"),
        (piece("x", float("nan")), "not a number"),
        (b"\x0b", "not a SentencePiece file"),
        (b"\xff" * 12, "not a SentencePiece file"),
    ],
)
def test_refuses_what_it_cannot_follow(more, said):
    with pytest.raises(ValueError, match=said):
        read_pieces(by_hand(more))


def test_a_file_that_was_cut_is_refused_or_has_fewer_pieces():
    whole = by_hand()
    for length in range(len(whole)):
        try:
            found = read_pieces(whole[:length]).scores
        except ValueError:
            continue
        assert found.items() < SCORES.items()


def test_refuses_a_table_that_says_it_is_longer_than_it_is():
    with pytest.raises(ValueError, match="its rules for normalising characters cannot be read"):
        read_pieces(by_hand(field(3, field(2, b"\xff\xff\xff\xff" + bytes(100)))))


@pytest.mark.parametrize("values", [{"a": 0, "b": 2}, {"a": 0, "b": 0}, {"a": True}, {"a": "0"}])
def test_refuses_ids_with_a_gap(values):
    with pytest.raises(ValueError, match="count from 0"):
        read_ids(values)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Train the files of two languages as OPUS-MT has them, with one vocabulary for both."""
    sentencepiece = pytest.importorskip("sentencepiece", reason="needs what makes .spm files")
    folder = tmp_path_factory.mktemp("marian")
    found = set()
    for side, lines in (("source", ENGLISH), ("target", FRENCH)):
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines * 20),
            model_prefix=str(folder / side),
            vocab_size=70,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        (folder / f"{side}.model").rename(folder / f"{side}.spm")
        found |= read_pieces((folder / f"{side}.spm").read_bytes()).scores.keys()
    words = ["</s>", "<unk>", *sorted(found), ">>fra<<", "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}))
    (folder / "tokenizer_config.json").write_text('{"source_lang": "en", "target_lang": "fr"}')
    return folder


@pytest.fixture(scope="module")
def saved(trained):
    encoders = pytest.importorskip("tests.model.foreign.imports.encoders")
    size = len(json.loads((trained / "vocab.json").read_text()))
    special = {"pad_token_id": size - 1, "decoder_start_token_id": size - 1, "eos_token_id": 0}
    settings = encoders.SMALL_PAIR | special | {"vocab_size": size}
    theirs = encoders.sharpened("MarianMTModel MarianConfig", **settings)
    theirs.save_pretrained(trained)
    return trained


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
def test_a_folder_of_opus_reads_as_its_own_tokenizer_does(saved):
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    theirs = transformers.MarianTokenizer.from_pretrained(saved)
    ours = open_folder(saved).info.tokenizers
    assert ours.shared
    for text in (*ENGLISH, *FRENCH, *ODD):
        assert list(ours.encode_source(text).ids) == theirs(text).input_ids, text
        target = list(ours.encode_target(text).ids)
        assert target[0] == theirs.pad_token_id
        assert target[1:] == theirs(text_target=text).input_ids, text
    ids = theirs(text_target=FRENCH[1]).input_ids
    assert ours.target.decode(ids) == theirs.decode(ids, skip_special_tokens=True)


def test_a_folder_of_opus_that_is_recorded_reads_by_the_same_pieces(saved, tmp_path):
    opening = pytest.importorskip("model.foreign.opening")
    pytest.importorskip("transformers", reason="needs transformers")
    for file in saved.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    said = json.loads((saved / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(said | {"a_new_trick": 3}))
    poured, recorded = open_folder(saved).info.tokenizers, opening.open_model(tmp_path)
    assert not isinstance(recorded, Checkpoint)
    for text in ENGLISH:
        assert recorded.info.tokenizers.encode_source(text).ids == poured.encode_source(text).ids


def test_tokens_have_their_own_names_on_both_sides(saved):
    ours = open_folder(saved).info.tokenizers
    assert ours.source.all_tokens == ours.target.all_tokens
    assert not [token for token in ours.source.all_tokens if UNREAD in token]


def test_a_damaged_file_is_named(saved, tmp_path):
    for file in saved.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "target.spm").write_bytes(b"\xff" * 40)
    with pytest.raises(FolderError, match=r"target.spm: it is not a SentencePiece file"):
        open_folder(tmp_path)
