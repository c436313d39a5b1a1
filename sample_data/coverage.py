"""How much of what people type a checkpoint knows and translates as the grammar would.

python -m sample_data.coverage FILE [--checkpoint NAME] [--list]
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.training.evaluation import greedy_batch
from sample_data.gold import find_gold

_CHECKPOINTS = Path(__file__).parent / "checkpoints"
_LONGEST = 64
"""Tokens of a translation."""


@dataclass(frozen=True)
class Sentence:
    """What became of one sentence."""

    text: str
    unknown: tuple[str, ...]
    """Words for which there is no token."""
    copied: tuple[str, ...]
    """Words that are carried over; numbers and times in digits are not counted."""
    expected: str | None
    """As the grammar translates it; None where it does not read it as one sentence."""
    written: str
    """As the model translates it."""

    @property
    def is_known(self) -> bool:
        """Whether the model has seen all its words."""
        return not self.unknown and not self.copied

    @property
    def is_right(self) -> bool:
        """Whether model and grammar agree."""
        return self.expected == self.written


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m sample_data.coverage")
    parser.add_argument("file", type=Path, help='one sentence a line; "#" begins a heading')
    parser.add_argument("--checkpoint", default="everyday-paper-0", help="(everyday-paper-0)")
    parser.add_argument("--list", action="store_true", help="print the sentences that fail")
    options = parser.parse_args(arguments)
    texts = read_sentences(options.file)
    if not texts:
        parser.error(f"{options.file} has no sentence")
    sentences = cover(load_checkpoint(_CHECKPOINTS / options.checkpoint), texts)
    sys.stdout.write(report(sentences) + "\n")
    if options.list:
        sys.stdout.writelines(f"{line}\n" for line in _failures(sentences))


def read_sentences(path: Path) -> list[str]:
    """Read the lines that are neither empty nor headings."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def cover(checkpoint: Checkpoint, texts: Iterable[str]) -> list[Sentence]:
    """Translate sentences, and work out what the grammar of the checkpoint's task makes of them."""
    tokenizers = checkpoint.info.tokenizers
    found: list[Sentence] = []
    for text in texts:
        encoding = tokenizers.encode_source(text)
        gold = find_gold(checkpoint.info.task, tokenizers.as_written(encoding, text))
        source = torch.tensor([encoding.ids])
        (ids,) = greedy_batch(checkpoint.model, source, max_length=_LONGEST)
        expected = tokenizers.encode_target(gold.target, typed=False).ids[1:] if gold else None
        decode = tokenizers.naming(encoding).target.decode
        found.append(
            Sentence(
                text=text,
                unknown=tuple(word.text for word in encoding.unknown),
                copied=tuple(w.text for w in encoding.copied if w.kind not in ("number", "time")),
                expected=None if expected is None else decode(expected),
                written=decode(ids),
            )
        )
    return found


def report(sentences: Sequence[Sentence]) -> str:
    """Count."""
    read = [sentence for sentence in sentences if sentence.expected is not None]
    rows = (
        ("sentences", len(sentences), len(sentences)),
        ("without an unknown word", sum(s.is_known for s in sentences), len(sentences)),
        (
            "with words that are carried over",
            sum(bool(s.copied) for s in sentences),
            len(sentences),
        ),
        ("with words that cannot be", sum(bool(s.unknown) for s in sentences), len(sentences)),
        ("read by the grammar", len(read), len(sentences)),
        ("of these, translated as it would", sum(s.is_right for s in read), len(read)),
    )
    return "\n".join(
        f"{count:5}  {label}" + (f" ({count / of:.1%})" if of and label != "sentences" else "")
        for label, count, of in rows
    )


def _failures(sentences: Sequence[Sentence]) -> Iterable[str]:
    for sentence in sentences:
        if sentence.unknown:
            yield f"unknown {', '.join(sentence.unknown)}: {sentence.text} -> {sentence.written}"
        elif sentence.expected is None:
            yield f"not read: {sentence.text} -> {sentence.written}"
        elif not sentence.is_right:
            yield f"{sentence.text} -> {sentence.written} (grammar: {sentence.expected})"


if __name__ == "__main__":
    main()
