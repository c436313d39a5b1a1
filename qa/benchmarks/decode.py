"""Time decoding: late positions against early ones, the cache against none, and against a peer.

`python -m qa.benchmarks.decode [--threads N]`: the paper's base sizes, random weights. The peer is
`MarianMTModel.generate` of transformers, which keeps its attention weights as it goes. Ours decodes
and then runs one traced forward pass of what it wrote, as the app does, so that both end with all
of them. The floor is a plain sum over the weights that a token has to read.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from model.allocator import keep_freed_memory
from model.decoding import greedy
from model.linear import store_by_input
from model.presets import preset
from model.traces import TransformerTrace, present
from model.transformer import Encoded, Transformer
from qa.benchmarks.peers import marian
from qa.benchmarks.rows import Row, show
from qa.benchmarks.turns import ratio, take_turns

VOCAB = 8_000
SOURCE = 20
TOKENS = 64
EARLY, LATE = 5, 500
AT_EACH = 5
"""Tokens timed in a row from each of the two positions."""
NEVER = -1
"""An end id that no token has."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Time decoding.")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    print(f"6+6 layers, d_model 512, vocabulary {VOCAB}, source {SOURCE} tokens")
    show(rows(arguments.repeats, threads=arguments.threads))


def rows(repeats: int, *, threads: int = 1) -> Iterator[Row]:
    """Compare decodings with each other, with the peer's, and with the floor."""
    torch.set_num_threads(threads)
    keep_freed_memory()  # as the app does; it serves all contenders alike
    torch.manual_seed(0)
    clock = time.process_time if threads == 1 else time.perf_counter
    config = preset("paper", source_vocab_size=VOCAB, target_vocab_size=VOCAB)
    model = Transformer(config).eval()
    store_by_input(model)  # as what loads a model does
    source = torch.randint(3, VOCAB, (1, SOURCE))
    early, late = position_costs(model, source, rounds=repeats, clock=clock)
    yield Row(
        f"a token at position {LATE}",
        1e3 * late,
        "ms",
        1e3 * early,
        f"ours at position {EARLY}",
        aim=1.3,
    )
    weights = read_by_a_token(model)
    contenders: dict[str, Callable[[], object]] = {
        "cached": lambda: decode(model, source),
        "uncached": lambda: decode(model, source, use_cache=False),
        "traced": lambda: decode_and_trace(model, source),
        "peer": generate(marian(VOCAB), source),
        "floor": lambda: [weight.sum() for _ in range(TOKENS) for weight in weights],
    }
    with torch.inference_mode():
        times = take_turns(contenders, seconds=0, least=repeats, clock=clock)

    def row(what: str, ours: str, other: str, beside: str, aim: float | None) -> Row:
        middle, against = (1e3 * statistics.median(times[name]) for name in (ours, other))
        return Row(what, middle, "ms", against, beside, ratio(times[ours], times[other]), aim)

    written = f"{TOKENS} tokens"
    yield row(written, "cached", "uncached", "ours without a cache", 0.5)
    peer = "transformers' generate, eager, attentions kept"
    yield row(f"{written}, no trace at the end", "cached", "peer", peer, None)
    yield row(f"{written}, then a full trace", "traced", "peer", peer, 1.0)
    read = sum(weight.nbytes for weight in weights) / 1e6
    floor = f"a plain sum over the {read:.0f} MB that a token reads"
    yield row(f"{written}, no trace at the end", "cached", "floor", floor, None)


def read_by_a_token(model: Transformer) -> list[Tensor]:
    """List the matrices that one more token has to read: the memory's keys are in the cache."""
    matrices = dict(present(model.decoder).named_modules()) | {"generator": model.generator}
    cached = ("cross_attn.key", "cross_attn.value")
    return [
        part.weight
        for name, part in matrices.items()
        if isinstance(part, nn.Linear) and not name.endswith(cached)
    ]


def position_costs(
    model: Transformer, source: Tensor, *, rounds: int, clock: Callable[[], float]
) -> tuple[float, float]:
    """Seconds for one token early and late, in two decodings that take turns."""
    prefix = torch.randint(3, VOCAB, (LATE,)).tolist()
    times: dict[int, list[float]] = {EARLY: [], LATE: []}
    for _ in range(rounds):
        decodings = {
            position: greedy(
                model, source, prefix=prefix[: position - 1], max_length=LATE * 2, eos_id=NEVER
            )
            for position in times
        }
        for position, decoding in decodings.items():
            while next(decoding).index < position - 1:
                pass
        for _ in range(AT_EACH):
            for position, decoding in decodings.items():
                start = clock()
                next(decoding)
                times[position].append(clock() - start)
    return statistics.median(times[EARLY]), statistics.median(times[LATE])


def decode(
    model: Transformer, source: Tensor, *, use_cache: bool = True, encoded: Encoded | None = None
) -> list[int]:
    """Write the tokens of the comparison."""
    steps = greedy(
        model, source, max_length=TOKENS, eos_id=NEVER, use_cache=use_cache, encoded=encoded
    )
    return [step.token for step in steps]


def decode_and_trace(model: Transformer, source: Tensor) -> TransformerTrace:
    """Write them, then keep everything that one pass over them computes."""
    with torch.inference_mode():
        encoded = model.encode(source)
        written = decode(model, source, encoded=encoded)
        return model(source, torch.tensor([[1, *written[:-1]]]), encoded=encoded)


def generate(model: nn.Module, source: Tensor) -> Callable[[], object]:
    """Let the peer write as many tokens."""

    def run() -> object:
        return model.generate(  # pyright: ignore[reportCallIssue]
            source,
            attention_mask=torch.ones_like(source),
            do_sample=False,
            num_beams=1,
            min_new_tokens=TOKENS,
            max_new_tokens=TOKENS,
            output_attentions=True,
            return_dict_in_generate=True,
        )

    return run


if __name__ == "__main__":
    main()
