"""What a process holds after many different runs of a large model: `python -m benchmarks.memory`.

12 x 12 heads and 512 tokens on both sides, so a run takes some 460 MB: LOUPE_MEMORY bounds what is
kept of them, and what is printed stays level once that is reached.
"""

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

from benchmarks.browser import WORDS, make_random
from viz.run import session
from viz.run.cached import kept_bytes, most_bytes
from viz.run.view import Inputs

LAYERS, HEADS, D_MODEL, TOKENS = 12, 12, 192, 512
PAGE = os.sysconf("SC_PAGE_SIZE")
MB = 1_000_000


def resident() -> float:
    """Give the memory of this process now, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / MB


def text_of(number: int) -> str:
    """Write a text of its own for each number, as long as can be."""
    order = [(number * 7 + i * (number % 5 + 1)) % len(WORDS) for i in range(TOKENS - 1)]
    return " ".join(WORDS[i] for i in order)


def main() -> None:
    """Run, look at how every head does, and print the memory from time to time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="different runs")
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder:
        make_random(Path(folder), "large", layers=LAYERS, heads=HEADS, d_model=D_MODEL)
        os.environ["LOUPE_CHECKPOINTS"] = folder
        print(f"budget {most_bytes() / MB:,.0f} MB; before the first run {resident():,.0f} MB")
        start = time.monotonic()
        for number in range(1, count + 1):
            inputs = Inputs("large", text_of(number), text_of(number + 1), "cpu")
            session.measures(session.open_view(inputs))
            if number in (1, 2, 3, 5) or number % 10 == 0 or number == count:
                kept, each = kept_bytes() / MB, (time.monotonic() - start) / number
                print(f"after {number:4} runs {resident():6,.0f} MB, kept of it {kept:6,.0f} MB")
                print(f"  {each:.1f} s each", flush=True)
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
    print(f"at most {largest:,.0f} MB at any time")


if __name__ == "__main__":
    main()
