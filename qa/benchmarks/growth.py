"""How the time of a traced forward grows: `python -m qa.benchmarks.growth`.

By the number of tokens, and by the number of heads that share one width: the exponent of a power
law, fitted by least squares to the logarithms.
"""

import statistics
from collections.abc import Iterator, Sequence

import numpy as np
import torch

from model.allocator import keep_freed_memory
from model.presets import preset
from model.transformer import Transformer
from qa.benchmarks.rows import Row, show
from qa.benchmarks.turns import take_turns

LENGTHS = (64, 128, 256, 512, 1024)
HEADS = (2, 4, 8, 16, 32)
TOKENS = 256
"""At which the heads are compared."""
D_MODEL = 256


def main() -> None:
    """Print the table."""
    show(rows(5))


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Fit times that grow as a power of sizes; give the power."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def rows(least: int) -> Iterator[Row]:
    """Fit both, in processor time of one thread."""
    torch.set_num_threads(1)
    keep_freed_memory()
    model = _model(8)
    ids = {length: torch.randint(4, 100, (1, length)) for length in LENGTHS}
    by_length = {str(n): lambda x=x: model(x, x) for n, x in ids.items()}
    some = torch.randint(4, 100, (1, TOKENS))
    of_heads = {heads: _model(heads) for heads in HEADS}
    by_heads = {str(n): lambda of=of: of(some, some) for n, of in of_heads.items()}
    with torch.inference_mode():
        for what, sizes, contenders, aim in (
            (f"tokens, {LENGTHS[0]} to {LENGTHS[-1]}", LENGTHS, by_length, 2.0),
            (f"heads, {HEADS[0]} to {HEADS[-1]}", HEADS, by_heads, 1.0),
        ):
            times = take_turns(contenders, seconds=0, least=least)
            middle = [statistics.median(times[str(size)]) for size in sizes]
            yield Row(f"exponent of the time in the {what}", exponent(sizes, middle), "", aim=aim)


def _model(heads: int) -> Transformer:
    sizes = {"d_model": D_MODEL, "d_ff": 4 * D_MODEL, "n_heads": heads}
    return Transformer(
        preset("paper", source_vocab_size=100, target_vocab_size=100, **sizes)
    ).eval()


if __name__ == "__main__":
    main()
