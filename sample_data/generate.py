"""Regenerates the held-out files of the tasks: python -m sample_data.generate [TASK ...]."""

import argparse

from sample_data.one_text.tasks import TEXT_TASKS, held_out_texts_path, make_held_out_texts
from sample_data.pairs import write_tsv
from sample_data.tasks import TASKS, held_out_path, make_held_out


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m sample_data.generate")
    every = [*TASKS, *TEXT_TASKS]
    parser.add_argument(
        "tasks", nargs="*", metavar="TASK", help=f"{', '.join(every)}; default: all"
    )
    tasks = parser.parse_args(arguments).tasks or every
    if unknown := set(tasks) - set(every):
        parser.error(f"TASK must be one of {', '.join(every)}, got {', '.join(sorted(unknown))}")
    for name in tasks:
        if name in TASKS:
            write_tsv(held_out_path(TASKS[name]), make_held_out(name))
        else:
            text = "".join(f"{found.text}\n" for found in make_held_out_texts(name))
            path = held_out_texts_path(TEXT_TASKS[name])
            path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
