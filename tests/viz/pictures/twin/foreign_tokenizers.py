"""Third-party tokenizers of each kind, trained on the project's own texts, and texts for them."""

import io
import json
import random
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import sentencepiece
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from model.foreign.imports.pieces import read_pieces, tokenizer_json
from qa.fuzz.hostile import FORMULAS, MARKUP, ODD, SPECIALS

ROOT = Path(__file__).parents[4]
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_SIZE = 600


def _corpus() -> list[str]:
    names = ("README.md", "CONTRIBUTING.md", "texts/fr.json", "model/attention.py")
    lines = [line for name in names for line in (ROOT / name).read_text("utf-8").splitlines()]
    return [*lines[:1500], "你好 世界 مرحبا Ж é è ê 🙂 👩\u200d👧 ▁ # ## 1 2 3" * 3]


def _train_pairs(made: Tokenizer, *special: str) -> None:
    """Learn pairs of the letters that represent bytes."""
    trainer = trainers.BpeTrainer(
        vocab_size=_SIZE,
        special_tokens=[*special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(_corpus(), trainer)


def by_bytes() -> Tokenizer:
    """Make GPT-2's kind: bytes as letters, GPT-2's pattern, and offsets that include spaces."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    _train_pairs(made, "<|endoftext|>")
    return made


def by_split(pattern: str) -> Tokenizer:
    """Make the kind of Llama 3 and GPT-4o: a pattern, then bytes; one token begins each text."""
    made = Tokenizer(models.BPE(ignore_merges=True))
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([split, bytes_])
    made.decoder = decoders.ByteLevel()
    _train_pairs(made, "<|begin|>", "<|end|>")
    template = processors.TemplateProcessing(
        single="<|begin|> $A", special_tokens=[("<|begin|>", 0)]
    )
    made.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), template])
    return made


def roberta() -> Tokenizer:
    """Make RoBERTa's kind: bytes, offsets without spaces, a mask that takes the space before."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    _train_pairs(made, "<s>", "<pad>", "</s>", "<unk>")
    made.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    made.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    return made


def llama2(*, legacy: bool) -> Tokenizer:
    """Make Llama 2's kind, with byte fallback; normalizers or Metaspace mark the spaces."""
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=900, special_tokens=special, show_progress=False)
    made.train_from_iterator(_corpus(), trainer)
    values = json.loads(made.to_str())
    values["added_tokens"] = values["added_tokens"][:3]
    made = Tokenizer.from_str(json.dumps(values))
    replaced = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    made.decoder = decoders.Sequence([*replaced, decoders.Strip(" ", 1, 0)])
    if legacy:
        steps = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
        made.normalizer = normalizers.Sequence(steps)
        made.pre_tokenizer = None
    else:
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return made


def bert(*, cased: bool) -> Tokenizer:
    """Make BERT's kind: word pieces; lowercased and without accents unless `cased`."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=not cased)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(
        vocab_size=_SIZE, special_tokens=special, show_progress=False
    )
    made.train_from_iterator(_corpus(), trainer)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


@lru_cache
def _sentencepiece() -> bytes:
    """Train a SentencePiece model, whose file has its own table of characters."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(_corpus()),
        model_writer=written,
        vocab_size=500,
        model_type="unigram",
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return written.getvalue()


def t5() -> Tokenizer:
    """Make T5's kind: SentencePiece's table of characters and a unigram model."""
    pieces = read_pieces(_sentencepiece())
    tokens = ["<pad>", "</s>", "<unk>", *(p for p in pieces.scores), "<extra_id_0>"]
    made = Tokenizer.from_str(tokenizer_json(pieces, {t: i for i, t in enumerate(tokens)}).decode())
    made.normalizer = normalizers.Precompiled(pieces.charsmap)
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    made.add_special_tokens(["<extra_id_0>"])
    return made


def marian() -> Tokenizer:
    """Make Marian's kind, converted from its SentencePiece file as Loupe converts it."""
    pieces = read_pieces(_sentencepiece())
    tokens = ["</s>", "<unk>", *pieces.scores, "▁autre", "<pad>", ">>fra<<"]
    ids = {token: id for id, token in enumerate(tokens)}
    return Tokenizer.from_str(tokenizer_json(pieces, ids).decode())


def odd() -> Tokenizer:
    """Combine rules that no known model combines."""
    made = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    made.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.StripAccents(), normalizers.Lowercase(),
         normalizers.Strip(), normalizers.Replace(Regex(r"\s+"), " ")]
    )  # fmt: skip
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=False),
         pre_tokenizers.Split("a", "merged_with_previous"), pre_tokenizers.Punctuation()]
    )  # fmt: skip
    made.decoder = decoders.BPEDecoder()
    trainer = trainers.BpeTrainer(
        vocab_size=_SIZE,
        special_tokens=["<unk>"],
        end_of_word_suffix="</w>",
        show_progress=False,
    )
    made.train_from_iterator(_corpus(), trainer)
    made.add_tokens(
        [AddedToken("Loupe", single_word=True), AddedToken("le", rstrip=True, normalized=False)]
    )
    return made


def odd_bytes() -> Tokenizer:
    """Make a byte-level kind: a space before each text, which the offsets leave out."""
    made = Tokenizer(models.BPE())
    made.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.NFC()])
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    _train_pairs(made, "<s>")
    made.post_processor = processors.ByteLevel(trim_offsets=True, add_prefix_space=True)
    return made


def odd_unknown() -> Tokenizer:
    """Make pairs of few letters: most characters are unknown, and a run of them is one token."""
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    made.normalizer = normalizers.NFKD()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(r"[\s.]"), "contiguous"), pre_tokenizers.Metaspace()]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=60, special_tokens=["<unk>"], limit_alphabet=20, show_progress=False
    )
    made.train_from_iterator(_corpus(), trainer)
    made.decoder = decoders.Metaspace()
    return made


def odd_pieces() -> Tokenizer:
    """Make a unigram model with byte fallback."""
    scores = [("<unk>", 0.0), ("▁", -2.0), ("a", -3.0), ("▁le", -2.5), ("le", -2.5), ("lele", -5.0)]
    scores += [(letter, -6.0) for letter in "bcdefghil. "]
    scores += [(f"<0x{byte:02X}>", -9.0) for byte in range(256)]
    made = Tokenizer(models.Unigram(scores, unk_id=0, byte_fallback=True))
    made.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Strip(right=False)])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    made.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="never")]
    )
    made.add_tokens([AddedToken("Loupe", lstrip=True, rstrip=True), "Å"])
    return made


def odd_words() -> Tokenizer:
    """Make a kind with whole words, and numbers split into digits."""
    made = Tokenizer(models.WordLevel(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split("'", "merged_with_next"), pre_tokenizers.Digits(True),
         pre_tokenizers.Split(Regex(r"\w+"), "removed", invert=True)]
    )  # fmt: skip
    trainer = trainers.WordLevelTrainer(
        vocab_size=300, special_tokens=["<unk>"], show_progress=False
    )
    made.train_from_iterator(_corpus(), trainer)
    return made


KINDS: dict[str, Callable[[], Tokenizer]] = {
    "GPT-2": by_bytes,
    "Llama 3": lambda: by_split(LLAMA3),
    "GPT-4o": lambda: by_split(O200K),
    "RoBERTa": roberta,
    "Llama 2, older": lambda: llama2(legacy=True),
    "Llama 2": lambda: llama2(legacy=False),
    "BERT": lambda: bert(cased=False),
    "BERT, cased": lambda: bert(cased=True),
    "T5": t5,
    "Marian": marian,
    "odd": odd,
    "odd bytes": odd_bytes,
    "odd, unknown": odd_unknown,
    "odd pieces": odd_pieces,
    "odd words": odd_words,
}
"""The function that makes each kind, by name."""

_NAMES = (
    *("<|endoftext|>", "<|begin|>", "<s>", "</s>", "<unk>", "<pad>", "<mask>", " <mask>", "[CLS]"),
    *("[MASK]", "[UNK]", "<extra_id_0>", ">>fra<<", "Loupe", "Loupes", "le ", "<0x41>", "▁autre"),
)
_STRANGE = (
    *("\0", "\x01", "\x1c", "\x7f", "\x85", "\u00a0", "\u00ad", "\u180e", "\u200b", "\u200d"),
    *("\u200f", "\u202e", "\u2028", "\u3000", "\ufeff", "\ufffd", "\ue000", "\ud800", "\udc00a"),
    *("e\u0301\u0316", "\u0301", "a\u0316\u0301\u0323", "\u1100\u1161\u11a8", "각", "ﬁ", "①", "Å"),
    *(
        "ΟΔΟΣ",
        "İstanbul",
        "ǅ",
        "ß",
        "你好世界",
        "𠀀𠀁",
        "こんにちは",
        "مرحبا بالعالم",
        "שלום",
        "हिन्दी",
        "ไทย",
    ),
    *(
        "🙂",
        "👩\u200d👩\u200d👧",
        "🇫🇷",
        "👍🏽",
        "ﷺ",
        "½",
        "٣٤",
        "x² + y³",
        "1,234.5",
        "0x1F",
        "１２",
    ),
    *(
        "\r\n",
        "\n\n\n",
        "\t\t",
        "   ",
        " " * 30,
        "'s",
        "'LL",
        "don't",
        "l'été",
        "▁",
        "▁▁",
        "Ġ",
        "##ing",
    ),
)
_CODE = (
    "def f(x: int) -> int:\n    return x ** 2  # square\n",
    '<div class="a">&amp;</div>',
    "for (let i = 0; i < n; i++) { a[i] += 1; }",
)


@lru_cache
def _characters() -> list[str]:
    """List the characters that Unicode 3.2 assigned, so that every newer table has them."""
    assigned = unicodedata.ucd_3_2_0.category
    return [chr(i) for i in range(0x110000) if assigned(chr(i)) not in ("Cn", "Co", "Cs")]


def texts(count: int) -> Iterator[str]:
    """Draw texts: mostly words, mixed with everything that tokenizers may read differently."""
    draw = random.Random(0)
    words = " ".join(_corpus()).split()
    every = _characters()

    def piece() -> str:
        kind = draw.random()
        if kind < 0.45:
            return draw.choice(words)
        if kind < 0.55:
            return draw.choice((str.title, str.upper))(draw.choice(words))
        if kind < 0.8:
            return draw.choice(_STRANGE)
        if kind < 0.87:
            return draw.choice(_NAMES)
        if kind < 0.95:
            return "".join(draw.choices(every, k=draw.randint(1, 4)))
        return draw.choice((*ODD, *SPECIALS, *MARKUP, *FORMULAS, *_CODE))

    fixed = ("", " ", "a" * 3000, "é" * 300, "🙂" * 300, " " * 500, "ab " * 300, "\0", "\ud83d")
    for i in range(count):
        if i < len(fixed):
            yield fixed[i]
            continue
        text = ""
        for _ in range(draw.choice((1, 1, 2, 3, 5, 8, 12))):
            text += piece() + draw.choice((" ",) * 8 + ("", "", "", "\n", "  ", ", "))
        if draw.random() < 0.15:
            text = unicodedata.normalize(draw.choice(("NFD", "NFKD", "NFC")), text)
        yield json.loads(json.dumps(text[:400]))  # joins two surrogates into one character
