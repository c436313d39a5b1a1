"""Tokenizers read from a folder's files agree with AutoTokenizer of transformers."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from model.foreign.errors import FolderError
from model.foreign.imports.folder import read_config, read_files
from model.foreign.imports.tokenizer_files import read_rules_of
from model.foreign.imports.words import read_words
from model.text.tokenizer import Tokenizers
from tests.model.foreign.imports.folders import TEXT, byte_tokenizer, piece_tokenizer

SIZE = 400
TEXTS = (
    "The quick brown fox", "the lazy dog.", " two  spaces ", "a\n\nb\tc", "", "It's 1,234.5!",
    "<|im_start|>user hi<|im_end|>", "<|im_start|> hi <|im_end|>", "x<|new|>y", "<s> a </s>",
    "<unk> <pad> <mask>", "[CLS] a [SEP] [MASK]", "É é ß Ж", "你好 , world",
    "\U0001f469\u200d\U0001f467", "e\u0301", "a\u00a0b", "dog dog dog", "(a) [b] {c} |d|", "https://a.b/c?d=e",
)  # fmt: skip
FAST = {"tokenizer_class": "PreTrainedTokenizerFast"}


def token(content: str, *, special: bool = True, **how: bool) -> dict:
    usual = dict.fromkeys(("lstrip", "rstrip", "normalized", "single_word"), False)
    return {"content": content, "special": special, **usual, **how}


def more(first: int, *tokens: str) -> dict:
    return {str(first + i): token(text) for i, text in enumerate(tokens)}


BYTES, PIECES = byte_tokenizer(), piece_tokenizer()
_FIRST = BYTES.get_vocab_size()
_ENDS = {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"}
_IM = ("<|im_start|>", "<|im_end|>")
Files = dict[str, str | dict]
CASES: dict[str, tuple[str, Files]] = {
    "as it is": ("gpt2", {"tokenizer.json": BYTES.to_str()}),
    "of a fast class": ("llama", {"tokenizer.json": BYTES.to_str(), "tokenizer_config.json": FAST}),
    "added_tokens_decoder": (
        "llama",
        {
            "tokenizer.json": BYTES.to_str(),
            "tokenizer_config.json": FAST | {"added_tokens_decoder": more(_FIRST, *_IM)},
        },
    ),
    "added_tokens_decoder of GPT-2's class": (
        "gpt2",
        {
            "tokenizer.json": BYTES.to_str(),
            "tokenizer_config.json": {
                "tokenizer_class": "GPT2Tokenizer",
                "added_tokens_decoder": more(_FIRST, *_IM),
            },
        },
    ),
    "added_tokens.json": (
        "llama",
        {
            "tokenizer.json": BYTES.to_str(),
            "tokenizer_config.json": FAST,
            "added_tokens.json": {name: _FIRST + i for i, name in enumerate(_IM)},
        },
    ),
    "special_tokens_map.json": (
        "gpt2",
        {
            "tokenizer.json": BYTES.to_str(),
            "special_tokens_map.json": _ENDS | {"pad_token": "<pad>", "mask_token": "<mask>"},
        },
    ),
    "extra_special_tokens": (
        "llama",
        {
            "tokenizer.json": BYTES.to_str(),
            "tokenizer_config.json": FAST | {"extra_special_tokens": ["<|new|>", *_IM]},
        },
    ),
    "additional_special_tokens": (
        "llama",
        {
            "tokenizer.json": BYTES.to_str(),
            "tokenizer_config.json": FAST | {"additional_special_tokens": ["<|new|>"]},
        },
    ),
    "tokens that take spaces": (
        "llama",
        {
            "tokenizer.json": BYTES.to_str(),
            "tokenizer_config.json": FAST
            | {"added_tokens_decoder": {str(_FIRST): token("dog", special=False, lstrip=True)}},
        },
    ),
    "add_prefix_space": (
        "gpt2",
        {
            "tokenizer.json": BYTES.to_str(),
            "tokenizer_config.json": {"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": True},
        },
    ),
    "add_bos_token": (
        "gpt2",
        {
            "tokenizer.json": BYTES.to_str(),
            "tokenizer_config.json": _ENDS
            | {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True},
        },
    ),
    "add_eos_token": (
        "llama",
        {
            "tokenizer.json": PIECES.to_str(),
            "tokenizer_config.json": {
                "tokenizer_class": "LlamaTokenizerFast", "bos_token": "<s>", "eos_token": "</s>",
                "unk_token": "<unk>", "add_bos_token": True, "add_eos_token": True,
            },
        },
    ),
    "LlamaTokenizer": (
        "llama",
        {
            "tokenizer.json": PIECES.to_str(),
            "tokenizer_config.json": {"tokenizer_class": "LlamaTokenizer", "legacy": False},
        },
    ),
    "Llama 3's": (
        "llama",
        {
            "tokenizer.json": BYTES.to_str(),
            "tokenizer_config.json": _ENDS
            | {"tokenizer_class": "LlamaTokenizer", "clean_up_tokenization_spaces": True},
        },
    ),
    "truncation": (
        "llama",
        {
            "tokenizer.json": json.dumps(
                json.loads(BYTES.to_str())
                | {
                    "truncation": {
                        "direction": "Right", "max_length": 3, "stride": 0,
                        "strategy": "LongestFirst",
                    }
                }
            ),
            "tokenizer_config.json": FAST | {"model_max_length": 3},
        },
    ),
    "vocab.json and merges.txt": ("opt", {}),
    "vocab.txt": ("bert", {}),
}  # fmt: skip


def write(folder: Path, kind: str, files: Files) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": kind}))
    save_file({"x": torch.zeros(1)}, folder / "model.safetensors")
    for name, value in files.items():
        (folder / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return folder


def spread(name: str) -> Files:
    """Return the files of tokenizer classes that have no tokenizer.json."""
    if name == "vocab.txt":
        made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer(lowercase=True)
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        made.train_from_iterator([TEXT], trainers.WordPieceTrainer(special_tokens=special))
        words = sorted(made.get_vocab(), key=made.get_vocab().__getitem__)
        about = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
        return {"vocab.txt": "\n".join(words) + "\n", "tokenizer_config.json": about}
    model = json.loads(BYTES.to_str())["model"]
    merges = "\n".join(" ".join(pair) for pair in model["merges"])
    about = {"tokenizer_class": "GPT2Tokenizer", "bos_token": "</s>", "add_bos_token": True}
    vocab = model["vocab"] | {"</s>": len(model["vocab"])}
    return {
        "vocab.json": vocab,
        "merges.txt": f"#version: 0.2\n{merges}\n",
        "tokenizer_config.json": about | {"eos_token": "</s>", "unk_token": "</s>"},
    }


def ids_of(folder: Path) -> Callable[[str], list[int]]:
    said = read_config(folder)
    rules = read_rules_of(read_files(folder, said))
    words = read_words(rules.data, rules.about, said, vocab_size=SIZE)
    both = Tokenizers(words, words, shared=True)
    return lambda text: list(both.encode_source(text).ids)


@pytest.mark.parametrize("name", CASES)
def test_ids_are_those_of_auto_tokenizer(name: str, tmp_path: Path) -> None:
    kind, files = CASES[name]
    folder = write(tmp_path / "it", kind, files or spread(name))
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = ids_of(folder)
    for text in TEXTS:
        assert ours(text) == list(theirs(text).input_ids), text


def test_pieces_alone_are_read_as_by_auto_tokenizer(tmp_path: Path) -> None:
    pieces = pytest.importorskip("sentencepiece")
    folder = write(
        tmp_path / "it", "mt5", {"tokenizer_config.json": {"tokenizer_class": "T5Tokenizer"}}
    )
    pieces.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.split(". ") * 20), model_prefix=str(tmp_path / "s"),
        vocab_size=34, model_type="unigram", pad_id=0, eos_id=1, unk_id=2, bos_id=-1,
        minloglevel=2,
    )  # fmt: skip
    (tmp_path / "s.model").rename(folder / "spiece.model")
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = ids_of(folder)
    for text in TEXTS:
        assert ours(text) == list(theirs(text).input_ids), text


_SPLIT = FAST | _ENDS | {"split_special_tokens": True}
_BYT5 = {"tokenizer_class": "ByT5Tokenizer"}


@pytest.mark.parametrize(
    ("kind", "files", "said"),
    [
        (
            "llama",
            {"tokenizer.json": BYTES.to_str(), "tokenizer_config.json": _SPLIT},
            "gives a text other ids than its rules do",
        ),
        ("byt5", {"vocab.json": "{}", "tokenizer_config.json": _BYT5}, "is Python code"),
        ("bert", {"vocab.json": "{}"}, "none of the files that BertTokenizer reads"),
    ],
)
def test_what_is_not_followed_is_refused(
    kind: str, files: Files, said: str, tmp_path: Path
) -> None:
    folder = write(tmp_path / "it", kind, files)
    with pytest.raises(ValueError, match=said):
        ids_of(folder)


def test_files_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(PIECES.to_str())
    about = FAST | {"tokenizer_file": str(other), "vocab_file": str(other), "name_or_path": "x/y"}
    files: Files = {"tokenizer.json": BYTES.to_str(), "tokenizer_config.json": about}
    ours = ids_of(write(tmp_path / "it", "llama", files))
    assert ours("The dog") == BYTES.encode("The dog").ids
    (tmp_path / "it" / "added_tokens.json").symlink_to(other)
    with pytest.raises(FolderError, match="outside the folder"):
        ids_of(tmp_path / "it")


@pytest.mark.parametrize(
    "name", ["added_tokens_decoder", "added_tokens.json", "extra_special_tokens"]
)
def test_without_transformers_what_only_it_reads_is_refused(
    name: str, tmp_path: Path, monkeypatch
) -> None:
    where = "model.foreign.imports.tokenizer_files.has_transformers"
    monkeypatch.setattr(where, lambda: False)
    kind, files = CASES[name]
    with pytest.raises(ValueError, match=r"has the token <\|.*pip install transformers"):
        ids_of(write(tmp_path / "it", kind, files))
    ours = ids_of(write(tmp_path / "plain", *CASES["of a fast class"]))
    assert ours("The dog") == BYTES.encode("The dog").ids
