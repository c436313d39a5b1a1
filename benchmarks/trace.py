"""Cost of keeping every intermediate: `python -m benchmarks.trace [--threads N]`.

One run compares, at the paper's base sizes, the traced forward with torch.nn.Transformer, which
captures nothing, and with TransformerLens' run_with_cache where that package is installed. The
contenders take turns, so that a machine that slows down slows all of them.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from model.allocator import keep_freed_memory
from model.presets import preset
from model.traces import named_tensors
from model.transformer import Transformer

LENGTHS = (16, 64, 256, 512)
VOCABULARY = 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=12.0, help="for each length")
    parser.add_argument("--lengths", type=int, nargs="*", default=LENGTHS)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    keep_freed_memory()  # as the app does; it serves all contenders alike

    config = preset("paper", source_vocab_size=VOCABULARY, target_vocab_size=VOCABULARY)
    ours = Transformer(config).eval()
    theirs = nn.Transformer(batch_first=True).eval()
    lens = make_lens()
    print(f"6+6 layers, d_model 512, 8 heads, d_ff 2048, float32, {args.threads} thread(s)")
    print("milliseconds, median; each ratio is the median of the ratios of neighbouring turns")
    print(
        f"{'tokens':>6} {'loupe':>8} {'torch':>8} {'ratio':>6} {'lens':>8} {'ratio':>6}"
        f" {'loupe MB':>9} {'lens MB':>8}"
    )
    with torch.inference_mode():
        for length in args.lengths:
            ids = torch.randint(4, VOCABULARY, (1, length))
            contenders: dict[str, Callable[[], object]] = {
                "loupe": lambda ids=ids: ours(ids, ids),
                "torch": lambda ids=ids: run_torch(ours, theirs, ids),
            }
            if lens is not None:
                contenders["lens"] = lambda ids=ids: lens(ids)
            times = take_turns(contenders, args.seconds)
            held = megabytes(
                held_by_trace(ours(ids, ids)), besides=[*ours.parameters(), *ours.buffers()]
            )
            row = f"{length:>6} {median_ms(times['loupe']):>8.1f} {median_ms(times['torch']):>8.1f}"
            row += f" {ratio(times['loupe'], times['torch']):>6.3f}"
            if lens is not None:
                row += f" {median_ms(times['lens']):>8.1f}"
                row += f" {ratio(times['loupe'], times['lens']):>6.3f}"
                row += f" {held:>9.1f} {megabytes(lens(ids)):>8.1f}"
            else:
                row += f" {'-':>8} {'-':>6} {held:>9.1f} {'-':>8}"
            print(row, flush=True)
    if lens is None:
        print(
            "TransformerLens is not installed: pip install 'transformer-lens<4' to compare with it"
        )


def run_torch(model: Transformer, stack: nn.Transformer, ids: Tensor) -> Tensor:
    """Run torch's stack between the same embeddings and the same last linear layer."""
    embedded = model.source_embedding(ids).output
    causal = nn.Transformer.generate_square_subsequent_mask(ids.size(1))
    hidden = stack(embedded, embedded, tgt_mask=causal, tgt_is_causal=True)
    return model.generator(hidden)


def make_lens() -> Callable[[Tensor], list[Tensor]] | None:
    """Give a decoder-only model of as many weights to TransformerLens, where it is installed.

    It runs no encoder-decoder with captures, so it gets one stack of 14 layers: 44 million weights
    as in 6+6 layers with cross-attention.
    """
    try:
        from transformer_lens import HookedTransformer, HookedTransformerConfig
    except ImportError:
        return None
    model = HookedTransformer(
        HookedTransformerConfig(
            n_layers=14,
            d_model=512,
            d_head=64,
            n_heads=8,
            d_mlp=2048,
            n_ctx=max(LENGTHS),
            d_vocab=VOCABULARY,
            act_fn="relu",
            device="cpu",
        )
    ).eval()

    def run(ids: Tensor) -> list[Tensor]:
        _, cache = model.run_with_cache(ids)
        return list(cache.values())

    return run


def take_turns(
    contenders: dict[str, Callable[[], object]], seconds: float
) -> dict[str, list[float]]:
    """Time the contenders one after the other, again and again."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for run in contenders.values():
        run()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times["loupe"]) < 5:
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return times


def held_by_trace(trace: object) -> list[Tensor]:
    """Tensors that a trace keeps in memory; scores are recomputed when asked for."""
    return [t for name, t in named_tensors(trace) if not name.endswith(".scores")]


def megabytes(tensors: Iterable[Tensor], besides: Iterable[Tensor] = ()) -> float:
    """Size of the storages behind tensors, each counted once, without those of the model itself."""
    known = {t.untyped_storage().data_ptr() for t in besides}
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
    return sum(size for pointer, size in storages.items() if pointer not in known) / 1e6


def median_ms(times: list[float]) -> float:
    """Median in milliseconds."""
    return 1000 * statistics.median(times)


def ratio(ours: list[float], theirs: list[float]) -> float:
    """Median of the ratios pair by pair."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


if __name__ == "__main__":
    main()
