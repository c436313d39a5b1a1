"""Cost of keeping every intermediate: `python -m qa.benchmarks.trace [--threads N]`.

At the paper's base sizes the traced forward is compared with torch.nn.Transformer, which captures
nothing.
"""

import argparse
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence

import torch
from torch import Tensor, nn

from model.memory.allocator import keep_freed_memory
from model.memory.stream import trace_stream
from model.presets import preset
from model.traces import named_tensors
from model.transformer import Transformer
from qa.benchmarks.rows import Row, show
from qa.benchmarks.turns import ratio, take_turns

LENGTHS = (16, 64, 256, 512)
VOCABULARY = 1000
TORCH = "torch.nn.Transformer, which keeps nothing"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=12.0, help="for each length")
    parser.add_argument("--lengths", type=int, nargs="*", default=LENGTHS)
    args = parser.parse_args()
    print(f"6+6 layers, d_model 512, 8 heads, d_ff 2048, float32, {args.threads} thread(s)")
    show(rows(args.lengths, seconds=args.seconds, threads=args.threads))


def rows(lengths: Sequence[int] = LENGTHS, *, seconds: float, threads: int = 1) -> Iterator[Row]:
    """Compare, at each length, the time of a pass and the bytes that it leaves behind."""
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    keep_freed_memory()  # as the app does; it serves all contenders alike
    config = preset("paper", source_vocab_size=VOCABULARY, target_vocab_size=VOCABULARY)
    ours, theirs = Transformer(config).eval(), nn.Transformer(batch_first=True).eval()
    known = [*ours.parameters(), *ours.buffers()]
    clock = time.process_time if threads == 1 else time.perf_counter
    for length in lengths:
        ids = torch.randint(4, VOCABULARY, (1, length))
        contenders = {
            "loupe": lambda ids=ids: ours(ids, ids),
            TORCH: lambda ids=ids: run_torch(ours, theirs, ids),
        }
        with torch.inference_mode():
            times = take_turns(contenders, seconds=seconds, clock=clock)
            held = megabytes(held_by_trace(ours(ids, ids)), besides=known)
        ms, beside = (1e3 * statistics.median(some) for some in times.values())
        paired = ratio(*times.values())
        yield Row(f"traced forward of {length} tokens", ms, "ms", beside, TORCH, paired, 1.03)
        yield Row(f"held of {length} tokens", held, "MB")
    yield from recomputed(ours, max(lengths), known)


def recomputed(model: Transformer, length: int, known: list[Tensor]) -> Iterator[Row]:
    """Measure what is held where layers are computed again when they are asked for."""
    ids = torch.randint(4, model.config.source_vocab_size, (1, length))
    trace = trace_stream(model, ids, ids)
    layers = (stack.layers for stack in (trace.encoder, trace.decoder) if stack)
    kept = [x for some in layers for x in some._inputs]  # pyright: ignore[reportAttributeAccessIssue]
    others = (trace.source_embedding, trace.target_embedding)
    kept += [x for part in others if part for _, x in named_tensors(part)]
    kept += [stack.output for stack in (trace.encoder, trace.decoder) if stack]
    start = time.process_time()
    assert trace.decoder is not None
    trace.decoder.layers[-1]
    spent = 1e3 * (time.process_time() - start)
    what = f"{length} tokens, all there by name, layers computed when asked for"
    yield Row(f"held of {what}", megabytes(kept, besides=known), "MB", aim=45)
    yield Row(f"a layer of {what}", spent, "ms")


def run_torch(model: Transformer, stack: nn.Transformer, ids: Tensor) -> Tensor:
    """Run torch's stack between the same embeddings and the same last linear layer."""
    embedded = model.source_embedding(ids).output
    causal = nn.Transformer.generate_square_subsequent_mask(ids.size(1))
    hidden = stack(embedded, embedded, tgt_mask=causal, tgt_is_causal=True)
    return model.generator(hidden)


def held_by_trace(trace: object) -> list[Tensor]:
    """Tensors that a trace keeps in memory; scores are recomputed when asked for."""
    return [t for name, t in named_tensors(trace) if not name.endswith(".scores")]


def megabytes(tensors: Iterable[Tensor], besides: Iterable[Tensor] = ()) -> float:
    """Size of the storages behind tensors, each counted once, without those of the model itself."""
    known = {t.untyped_storage().data_ptr() for t in besides}
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
    return sum(size for pointer, size in storages.items() if pointer not in known) / 1e6


if __name__ == "__main__":
    main()
