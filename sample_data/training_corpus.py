"""Parallel text to train on, from a sample task or a file, and the examples made of it."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from model.text.corpus import Example, make_example
from model.text.normalised import MAX_CHARACTERS
from model.text.stand_ins import StandIns
from model.text.tokenizer import TokenizerKind, Tokenizers
from sample_data.pairs import Pair, read_tsv
from sample_data.tasks import TASKS, Task, is_held_out, load_held_out, load_training


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Parallel text to train on, and its names."""

    name: str
    title: str
    training: Sequence[Pair]
    held_out: Sequence[Pair]
    source_kind: TokenizerKind
    target_kind: TokenizerKind
    scored_words: frozenset[str] = frozenset()
    construction: Callable[[str], str | None] | None = None
    stand_ins: StandIns | None = None


def load_corpus(
    name: str,
    *,
    tokenizer: TokenizerKind | None = None,
    pairs: int | None = None,
    words: int | None = None,
) -> Corpus:
    """Read a task or a file.

    Args:
        name: The name of a task, or the path of a file of lines source<TAB>target[<TAB>alignment].
        tokenizer: The tokenizer of both sides; None for the task's, or for words.
        pairs: The number of a task's training pairs; None for its own.
        words: Keep only the pairs whose sources consist of so many words, the most frequent
            ones; unknown words are then not copied.

    Raises:
        ValueError: If there is no such task and no such file, or if nothing is left of it.
        OSError: If the file cannot be read.
    """
    corpus = _of_task(TASKS[name], tokenizer, pairs) if name in TASKS else _of_file(name, tokenizer)
    return corpus if words is None else _of_frequent_words(corpus, words)


def _of_task(task: Task, tokenizer: TokenizerKind | None, pairs: int | None) -> Corpus:
    slots = None
    unknown_words = task.knowledge.unknown_words
    if unknown_words is not None and tokenizer in (None, "word"):
        slots = StandIns(**unknown_words())
    return Corpus(
        name=task.name,
        title=task.title,
        training=load_training(task.name, pairs),
        held_out=load_held_out(task.name),
        source_kind=tokenizer or "word",
        target_kind=tokenizer or "word",
        scored_words=task.knowledge.scored_words,
        construction=task.knowledge.construction,
        stand_ins=slots,
    )


def _of_file(name: str, tokenizer: TokenizerKind | None) -> Corpus:
    path = Path(name)
    if not path.exists():
        raise ValueError(f"{name} is neither a file nor one of {', '.join(TASKS)}")
    pairs = read_tsv(path)
    held_out = [pair for pair in pairs if is_held_out(pair.source)][:1000] or pairs[:1]
    sources = {pair.source for pair in held_out}
    kind = tokenizer or "word"
    return Corpus(
        name=path.stem,
        title=path.stem,
        training=[pair for pair in pairs if pair.source not in sources],
        held_out=held_out,
        source_kind=kind,
        target_kind=kind,
    )


def _of_frequent_words(corpus: Corpus, words: int) -> Corpus:
    if corpus.source_kind != "word":
        raise ValueError(f"--words needs a tokenizer of words, got {corpus.source_kind}")
    counts = Counter(word for pair in corpus.training for word in pair.source.split(" "))
    for stand_in in corpus.stand_ins.tokens if corpus.stand_ins else ():
        del counts[stand_in]
    kept = {word for word, _ in counts.most_common(words)}

    def of_kept(pairs: Sequence[Pair]) -> list[Pair]:
        return [pair for pair in pairs if kept.issuperset(pair.source.split(" "))]

    training, held_out = of_kept(corpus.training), of_kept(corpus.held_out)
    if not (training and held_out):
        raise ValueError(
            f"no pair consists only of the {words} most frequent words: use more --words"
        )
    return dataclasses.replace(corpus, training=training, held_out=held_out, stand_ins=None)


def train_tokenizers(corpus: Corpus, *, shared: bool, bpe_size: int) -> Tokenizers:
    """Learn the tokens of the training pairs."""
    return Tokenizers.train(
        [pair.source for pair in corpus.training],
        [pair.target for pair in corpus.training],
        source_kind=corpus.source_kind,
        target_kind=corpus.target_kind,
        shared=shared,
        bpe_size=bpe_size,
        stand_ins=corpus.stand_ins,
    )


def encode_pairs(
    pairs: Iterable[Pair],
    tokenizers: Tokenizers,
    *,
    scored_words: frozenset[str] = frozenset(),
    construction: Callable[[str], str | None] | None = None,
) -> list[Example]:
    """Turn pairs into ids, except those with more characters than a text may have.

    Args:
        pairs: Pairs with their gold alignments.
        tokenizers: The tokenizers of the model.
        scored_words: Target words on which heads are scored.
        construction: Names the construction of a source, which takes time.
    """
    return [
        make_example(
            tokenizers,
            pair.source,
            pair.target,
            pair.alignment,
            scored_words,
            construction(pair.source) if construction else None,
        )
        for pair in pairs
        if max(len(pair.source), len(pair.target)) <= MAX_CHARACTERS
    ]


def encode_short(
    pairs: Sequence[Pair],
    which: str,
    tokenizers: Tokenizers,
    max_tokens: int,
    *,
    scored_words: frozenset[str] = frozenset(),
    construction: Callable[[str], str | None] | None = None,
) -> list[Example]:
    """Turn pairs into ids as `encode_pairs` does, except those with too many tokens.

    Raises ValueError if all are too long; `which` names them in the message.
    """
    examples = encode_pairs(pairs, tokenizers, scored_words=scored_words, construction=construction)
    lengths = [max(len(e.source), len(e.target)) for e in examples]
    if pairs and not lengths:
        raise ValueError(
            f"all {len(pairs):,} {which} pairs are longer than {MAX_CHARACTERS:,} characters: "
            "split them into sentences"
        )
    if lengths and min(lengths) > max_tokens:
        raise ValueError(
            f"--max-tokens {max_tokens} leaves out all {len(pairs):,} {which} pairs: the shortest "
            f"has {min(lengths)} tokens, so --max-tokens must be at least {min(lengths)}"
        )
    return [e for e, length in zip(examples, lengths, strict=True) if length <= max_tokens]
