"""Cost of keeping every intermediate: `python -m qa.benchmarks.trace [--threads N] [--device D]`.

At the paper's base sizes, the traced forward pass takes turns with torch.nn.Transformer, which
captures nothing, so a slower machine slows both.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

import torch
from torch import Tensor, nn

from model.devices import find_device
from model.memory.allocator import keep_freed_memory
from model.memory.stream import trace_stream
from model.presets import preset
from model.traces import named_tensors
from model.transformer import Transformer
from qa.benchmarks.rows import Row, show

LENGTHS = (16, 64, 256, 512)
VOCABULARY = 1000
TORCH = "torch.nn.Transformer, which keeps nothing"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=12.0, help="how long to measure each length"
    )
    parser.add_argument("--device", type=find_device, default="cpu")
    args = parser.parse_args()
    where = device_title(args.device, args.threads)
    print(f"6+6 layers, d_model 512, 8 heads, d_ff 2048, float32, {where}")
    show(rows(args.seconds, args.threads, args.device))


def rows(seconds: float, threads: int, device: torch.device) -> Iterator[Row]:
    """Compare, for each length, the time of a pass and the bytes that it keeps."""
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    keep_freed_memory()  # as the app does; it affects both alike
    config = preset("paper", source_vocab_size=VOCABULARY, target_vocab_size=VOCABULARY)
    ours, theirs = (
        model.to(device).eval() for model in (Transformer(config), nn.Transformer(batch_first=True))
    )
    known = [*ours.parameters(), *ours.buffers()]
    clock, aim = clock_of(device, threads), 1.03 if device.type == "cpu" else None
    for length in LENGTHS:
        ids = torch.randint(4, VOCABULARY, (1, length)).to(device)
        both = {
            "loupe": lambda ids=ids: ours(ids, ids),
            TORCH: lambda ids=ids: run_torch(ours, theirs, ids),
        }
        with torch.inference_mode():
            times = list(take_turns(both, seconds=seconds, clock=clock).values())
            tensors = named_tensors(ours(ids, ids))
            held = (t for name, t in tensors if not name.endswith(".scores"))  # computed again
            size = megabytes(held, besides=known)
        ms, beside = (1e3 * statistics.median(some) for some in times)
        ratio = statistics.median(a / b for a, b in zip(*times, strict=True))
        yield Row(f"traced forward of {length} tokens", ms, "ms", beside, TORCH, ratio, aim)
        yield Row(f"held of {length} tokens", size, "MB")
    yield from recomputed(ours, max(LENGTHS), known, clock)


def recomputed(
    model: Transformer,
    length: int,
    known: list[Tensor],
    clock: Callable[[], float] = time.process_time,
) -> Iterator[Row]:
    """Measure the kept bytes if layers are computed again on demand."""
    ids = torch.randint(4, model.config.source_vocab_size, (1, length)).to(model.device)
    trace = trace_stream(model, ids, ids)
    stacks = [stack for stack in (trace.encoder, trace.decoder) if stack]
    kept = [x for stack in stacks for x in [*stack.layers._inputs, stack.output]]  # pyright: ignore
    others = (trace.source_embedding, trace.target_embedding)
    kept += [x for part in others if part for _, x in named_tensors(part)]
    start = clock()
    stacks[-1].layers[-1]
    spent = 1e3 * (clock() - start)
    what = f"{length} tokens, all there by name, layers computed when asked for"
    yield Row(f"held of {what}", megabytes(kept, besides=known), "MB", aim=45)
    yield Row(f"a layer of {what}", spent, "ms")


def device_title(device: torch.device, threads: int) -> str:
    """Describe the device: the GPU by its name, the CPU by its threads."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{threads} thread(s)"


def clock_of(device: torch.device, threads: int) -> Callable[[], float]:
    """Return a clock in seconds: of CPU time if there is only one thread.

    For a GPU, the clock waits until its work is done.
    """
    if device.type == "cpu":
        return time.process_time if threads == 1 else time.perf_counter

    def after_all() -> float:
        torch.accelerator.synchronize()
        return time.perf_counter()

    return after_all


def take_turns(
    contenders: Mapping[str, Callable[[], object]], *, seconds: float, clock: Callable[[], float]
) -> dict[str, list[float]]:
    """Return the seconds of each turn, after one warm-up turn of each.

    The order changes with each turn, because each finds the CPU's caches as the one before left
    them.
    """
    order, draw = list(contenders.items()), random.Random(0)
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for run in contenders.values():
        run()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[order[0][0]]) < 5:
        draw.shuffle(order)
        for name, run in order:
            start = clock()
            run()
            times[name].append(clock() - start)
    return times


def run_torch(model: Transformer, stack: nn.Transformer, ids: Tensor) -> Tensor:
    """Run torch's stack between the same embeddings and the same last linear layer."""
    embedded = model.source_embedding(ids).output
    causal = nn.Transformer.generate_square_subsequent_mask(ids.size(1), device=ids.device)
    hidden = stack(embedded, embedded, tgt_mask=causal, tgt_is_causal=True)
    return model.generator(hidden)


def megabytes(tensors: Iterable[Tensor], besides: Iterable[Tensor]) -> float:
    """Return the size of the storages of tensors, each counted once, without the model's own."""
    known = {t.untyped_storage().data_ptr() for t in besides}
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
    return sum(size for pointer, size in storages.items() if pointer not in known) / 1e6


if __name__ == "__main__":
    main()
