"""Write the committed files anew, or print training pairs.

python -m sample_data.generate [TASK ...]
python -m sample_data.generate english-french --training 1000
python -m sample_data.generate g2p --dictionary cmudict.dict --words common_words.txt
"""

import argparse
import sys
from pathlib import Path

from sample_data import g2p
from sample_data.one_text.tasks import (
    TEXT_TASKS,
    held_out_texts_path,
    load_texts,
    make_held_out_texts,
)
from sample_data.pairs import format_line, write_tsv
from sample_data.sounds import Spoken
from sample_data.tasks import TASKS, held_out_path, load_training, make_held_out


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m sample_data.generate")
    every = {**TASKS, **TEXT_TASKS}
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {', '.join(every)}; else all")
    parser.add_argument(
        "--training", type=int, metavar="COUNT", help="print COUNT training pairs, or texts"
    )
    parser.add_argument("--seed", type=int, default=0, help="which of them (0)")
    parser.add_argument("--dictionary", type=Path, help="g2p: choose its words anew from this file")
    parser.add_argument("--words", type=Path, help="g2p: the common words to keep, one a line")
    options = parser.parse_args(arguments)
    if unknown := set(options.tasks) - set(every):
        parser.error(f"TASK must be one of {', '.join(every)}, got {', '.join(sorted(unknown))}")
    if (options.dictionary is None) != (options.words is None):
        parser.error("--dictionary and --words go together")
    for name in options.tasks or every:
        if name in TEXT_TASKS:
            _write_texts(name, options.training, options.seed)
        elif options.training is None:
            _write(name, options.dictionary, options.words)
        else:
            for pair in load_training(name, options.training, options.seed):
                sys.stdout.write(format_line(pair) + "\n")


def _write(name: str, dictionary: Path | None, common_words: Path | None) -> None:
    if name == "g2p":
        g2p.write_words(_chosen_words(dictionary, common_words))
    write_tsv(held_out_path(TASKS[name]), make_held_out(name))


def _write_texts(name: str, count: int | None, seed: int) -> None:
    if count is None:
        text = "".join(f"{found.text}\n" for found in make_held_out_texts(name))
        held_out_texts_path(TEXT_TASKS[name]).write_text(text, encoding="utf-8", newline="\n")
        return
    for found in load_texts(name, count, seed):
        sys.stdout.write(f"{found.text}\n")


def _chosen_words(dictionary: Path | None, common_words: Path | None) -> list[Spoken]:
    if dictionary is None or common_words is None:
        return g2p.read_words()
    lines = dictionary.read_text(encoding="utf-8").splitlines()
    return g2p.select(lines, frozenset(common_words.read_text(encoding="utf-8").split()))


if __name__ == "__main__":
    main()
