"""Time and memory of cutting and patching a model: `python -m qa.benchmarks.cuts`."""

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path

import torch

from model.ablation import corpus_sweep, rewrite, sweep
from model.checkpoint import Checkpoint, load_checkpoint
from model.corpus import make_example
from model.cuts import Cut, edges, heads, mean_outputs, parts, sublayers
from model.evaluation import greedy_batch
from model.patching import cells, contest, patch
from model.tokenizer import BOS_ID
from sample_data.atlas import MEAN_FIRST, MEAN_LAST, SENTENCES
from sample_data.tasks import load_held_out

CHECKPOINTS = Path(__file__).parents[2] / "sample_data" / "checkpoints"
NAMES = ("english-french-paper-0", "everyday-paper-0")
TIRED = "the animal did not cross the street because it was too tired ."
WIDE = TIRED.replace("tired", "wide")


def measure(said: str, work: Callable[[], object], times: int = 5) -> None:
    """Print the processor time of some work, the least of several tries, and the memory after."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(f"  {said:58} {min(taken) * 1000:8,.1f} ms   {largest:6,.0f} MB at most", flush=True)


def of_one_sentence(checkpoint: Checkpoint) -> None:
    """Measure what a page shows of one sentence."""
    model, config = checkpoint.model, checkpoint.info.config
    source, other = (checkpoint.info.tokenizers.encode_source(t).ids for t in (TIRED, WIDE))
    written = greedy_batch(model, torch.tensor([source]), max_length=64)[0]
    target = (BOS_ID, *written)
    single: list[Cut] = [(head,) for head in heads(config)]
    every: list[Cut] = [(), *((part,) for part in parts(config))]
    measure(f"{len(single)} heads, one batch", lambda: sweep(model, source, target, single))
    measure(
        f"{len(single)} heads, one by one",
        lambda: [sweep(model, source, target, [cut]) for cut in single],
    )
    measure(f"{len(every)} parts and none", lambda: sweep(model, source, target, every))
    measure(
        "the same written anew, greedily",
        lambda: rewrite(model, source, every, max_length=len(written) + 8),
    )
    sizes = len(source), len(written)
    cut: list[Cut] = []
    for part in sublayers(config):
        if part.is_attention:
            rows = sizes[0] if part.sublayer.startswith("encoder") else sizes[1]
            keys = rows if part.sublayer.endswith("self_attn") else sizes[0]
            cut += [(edge,) for edge in edges(config, part.sublayer, None, rows, keys)]
    measure(f"{len(cut)} edges", lambda: sweep(model, source, target, cut), times=2)
    which = contest(model, source, other)
    count = len(cells(config, len(other), len(which.prefix)))
    measure(f"{count} patched cells", lambda: patch(model, which), times=2)


def of_held_out(checkpoint: Checkpoint) -> None:
    """Measure what is recorded of many sentences."""
    model, config = checkpoint.model, checkpoint.info.config
    encode = checkpoint.info.tokenizers
    pairs = load_held_out(checkpoint.info.task)
    examples, others = (
        [make_example(encode, p.source, p.target) for p in some]
        for some in (pairs[:SENTENCES], pairs[MEAN_FIRST:MEAN_LAST])
    )
    measure(f"averages over {len(others)} sentences", lambda: mean_outputs(model, others), times=1)
    cuts: list[Cut] = [(head,) for head in heads(config)]
    said = f"{len(cuts)} heads x {len(examples)} sentences, loss and exact match"
    measure(said, lambda: corpus_sweep(model, examples, cuts), times=1)


def main() -> None:
    """Measure on the processor, with one thread."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES, help="of checkpoints")
    torch.set_num_threads(1)
    for name in parser.parse_args().names:
        checkpoint = load_checkpoint(CHECKPOINTS / name)
        print(f"{name}, {len(TIRED.split()) + 1} tokens")
        of_one_sentence(checkpoint)
        of_held_out(checkpoint)


if __name__ == "__main__":
    main()
