"""The time on a GPU against this machine's CPU: `python -m qa.benchmarks.gpu [PART ...]`.

`trace`: `loupe.trace` of a transformers GPT-2 with random weights at its smallest size, against its
plain pass. `training`: steps of a training. `atlas`: sentences of an atlas, also without each head.
`rounding`: the difference between the results of the GPU and the CPU.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor
from transformers import GPT2Config, GPT2LMHeadModel

import loupe
from model.devices import find_device
from model.presets import preset
from model.text.corpus import make_example
from model.training.loop import Recipe, Trainer, new_model
from qa.benchmarks.rows import Row, show
from qa.benchmarks.trace import clock_of, device_title, take_turns
from sample_data.tasks import load_held_out
from viz.corpus.inputs import Drawn
from viz.corpus.measure import Measurer

LENGTHS = (16, 64, 256, 1024)
CHECKPOINT = "everyday-paper-0"
SIZES = {
    "as shipped": (
        {"n_encoder_layers": 2, "n_decoder_layers": 2, "d_model": 64, "d_ff": 256, "n_heads": 4},
        Recipe(steps=100, warmup=100),
    ),
    "of the paper's base size": ({}, Recipe(steps=20, warmup=20, batch_size=32)),
}
"""The models to train, and the settings."""
TEXT = "the animal did not cross the street because it was too tired ."
CPU = torch.device("cpu")
BESIDE = "the processor"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=PARTS, help="default: all parts")
    parser.add_argument("--device", type=find_device, default="cuda")
    parser.add_argument(
        "--threads", type=int, default=torch.get_num_threads(), help="threads of the CPU"
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="how long to measure each trace")
    parser.add_argument("--sentences", type=int, default=1000, help="sentences in an atlas")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    devices = [args.device, CPU]
    print(f"{device_title(args.device, args.threads)}, beside {device_title(CPU, args.threads)}")
    for part in args.parts or PARTS:
        show(PARTS[part](devices, args))


def traces(devices: list[torch.device], args: argparse.Namespace) -> Iterator[Row]:
    """Time a traced pass against a plain one, on each device."""
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config()).eval()
    for device in devices:
        model.to(device)
        for length in LENGTHS:
            ids = torch.randint(model.config.vocab_size, (1, length)).to(device)
            tokens = [str(place) for place in range(length)]
            both: dict[str, Callable[[], object]] = {
                "traced": partial(loupe.trace, model, tokens, inputs={"input_ids": ids}),
                "plain": partial(model, ids, use_cache=False),
            }
            with torch.inference_mode():
                clock = clock_of(device, args.threads)
                times = take_turns(both, seconds=args.seconds, clock=clock).values()
                ratio = statistics.median(a / b for a, b in zip(*times, strict=True))
                traced, plain = (1e3 * statistics.median(some) for some in times)
                what = f"GPT-2, {length} tokens, on {device.type}"
                yield Row(f"trace of {what}", traced, "ms", plain, "the plain pass", ratio)
                if device.type == "cuda":
                    most, beside = map(peak, both.values())
                    yield Row(f"memory of {what}", most, "MB", beside, "the plain pass")


def peak(run: Callable[[], object]) -> float:
    """Return the peak memory of a pass in megabytes, beyond what was in use before."""
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    run()
    return (torch.cuda.max_memory_allocated() - before) / 1e6


def training(devices: list[torch.device], args: argparse.Namespace) -> Iterator[Row]:
    """Count the steps of a training per second, and report its loss."""
    info = loupe.load(CHECKPOINT).info
    examples = [
        make_example(info.tokenizers, pair.source, pair.target, pair.alignment)
        for pair in load_held_out(info.task)
    ]
    for name, (sizes, recipe) in SIZES.items():
        size = info.config.source_vocab_size
        config = preset(info.variant, source_vocab_size=size, target_vocab_size=size, **sizes)
        (rate, loss), (beside, other) = [
            trained(Trainer(new_model(config, 0).to(device), examples, recipe), args.threads)
            for device in devices
        ]
        what = f"training of a model {name}"
        yield Row(f"{what}, {recipe.batch_size} pairs a step", rate, "steps/s", beside, BESIDE)
        yield Row(f"its loss after {recipe.steps} steps", loss, "nats", other, BESIDE)


def trained(trainer: Trainer, threads: int) -> tuple[float, float]:
    """Return the steps per second, without the first fifth, and the loss of the last fifth."""
    clock, early = clock_of(trainer.device, threads), trainer.recipe.steps // 5
    for _ in range(early):
        trainer.step()
    start = clock()
    losses = [trainer.step().loss for _ in range(trainer.recipe.steps - early)]
    return len(losses) / (clock() - start), statistics.mean(losses[-early:])


def atlas(devices: list[torch.device], args: argparse.Namespace) -> Iterator[Row]:
    """Count the sentences per second of one process, as the command makes them."""
    torch.set_num_threads(1)  # as in the command
    usual = loupe.load(CHECKPOINT)
    drawn = Drawn(usual.info.task, args.sentences, args.sentences).read(0, args.sentences)
    Measurer(usual)(drawn)  # the meanings of words are cached
    for what, cuts in (("an atlas", False), ("an atlas with cuts", True)):
        rates = []
        for device in devices:
            measure = Measurer(loupe.load(CHECKPOINT, device=device), cuts=cuts)
            measure(drawn[:20])
            start = time.perf_counter()
            measure(drawn)
            rates.append(len(drawn) / (time.perf_counter() - start))
        yield Row(what, rates[0], "sentences/s", rates[1], f"{BESIDE}, one thread")


def rounding(devices: list[torch.device], _: argparse.Namespace) -> Iterator[Row]:
    """Find the tensor of a run with the largest relative difference, without TF32 and with it."""
    run, usual = (partial(loupe.trace, loupe.load(CHECKPOINT, device=d), TEXT) for d in devices)
    expected, apart = usual(), list[float]()
    names = [*expected.names("*.output"), *expected.names("*.weights"), "logits"]
    for precision in ("highest", "high"):
        torch.set_float32_matmul_precision(precision)
        found = run()
        apart.append(max(distance(found[name].cpu(), expected[name]) for name in names))
    torch.set_float32_matmul_precision("highest")
    yield Row(
        "largest difference from the processor's result, relative to its size",
        apart[0],
        "",
        apart[1],
        "with TF32",
    )


def distance(found: Tensor, expected: Tensor) -> float:
    return ((found - expected).abs().max() / expected.abs().max()).item()


PARTS = {"trace": traces, "training": training, "atlas": atlas, "rounding": rounding}

if __name__ == "__main__":
    main()
