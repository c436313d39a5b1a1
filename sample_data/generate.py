"""Write the committed files anew, or print training pairs.

python -m sample_data.generate [TASK ...]
python -m sample_data.generate english-french --training 1000
"""

import argparse
import sys

from sample_data.one_text.tasks import (
    TEXT_TASKS,
    held_out_texts_path,
    load_texts,
    make_held_out_texts,
)
from sample_data.pairs import format_line, write_tsv
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
    options = parser.parse_args(arguments)
    if unknown := set(options.tasks) - set(every):
        parser.error(f"TASK must be one of {', '.join(every)}, got {', '.join(sorted(unknown))}")
    for name in options.tasks or every:
        if name in TEXT_TASKS:
            _write_texts(name, options.training, options.seed)
        elif options.training is None:
            write_tsv(held_out_path(TASKS[name]), make_held_out(name))
        else:
            for pair in load_training(name, options.training, options.seed):
                sys.stdout.write(format_line(pair) + "\n")


def _write_texts(name: str, count: int | None, seed: int) -> None:
    if count is None:
        text = "".join(f"{found.text}\n" for found in make_held_out_texts(name))
        held_out_texts_path(TEXT_TASKS[name]).write_text(text, encoding="utf-8", newline="\n")
        return
    for found in load_texts(name, count, seed):
        sys.stdout.write(f"{found.text}\n")


if __name__ == "__main__":
    main()
