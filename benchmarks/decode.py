"""Time decoding: late positions against early ones, the cache against none, and against a peer.

`python -m benchmarks.decode [--threads N]`: the paper's base sizes, random weights. The peer, where
`transformers` is installed, is `MarianMTModel.generate`, which keeps its attention weights as it
goes. Ours decodes and then runs one traced forward pass of what it wrote, as the app does, so that
both end with all of them.
"""

import argparse
import importlib.util
import statistics
import time
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from model.decoding import greedy
from model.presets import preset
from model.traces import TransformerTrace
from model.transformer import Transformer

VOCAB = 8_000
SOURCE = 20
TOKENS = 64
EARLY, LATE = 5, 500
AT_EACH = 5
"""Tokens timed in a row from each of the two positions."""
NEVER = -1
"""An end id that no token has."""


def main() -> None:
    """Print medians and ratios."""
    parser = argparse.ArgumentParser(description="Time decoding.")
    parser.add_argument("--cpu-time", action="store_true", help="for a busy machine, one thread")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    if arguments.cpu_time and arguments.threads > 1:
        parser.error("--cpu-time adds up over threads: leave --threads at 1")
    clock = time.process_time if arguments.cpu_time else time.perf_counter
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)

    config = preset("paper", source_vocab_size=VOCAB, target_vocab_size=VOCAB)
    model = Transformer(config).eval()
    source = torch.randint(3, VOCAB, (1, SOURCE))
    print(
        f"{config.n_encoder_layers}+{config.n_decoder_layers} layers, d_model {config.d_model}, "
        f"d_ff {config.d_ff}, {config.n_heads} heads, vocabulary {VOCAB}, source {SOURCE} tokens\n"
        f"threads {torch.get_num_threads()}, medians of {arguments.repeats} rounds, interleaved, "
        f"{'CPU' if arguments.cpu_time else 'wall-clock'} time\n"
    )

    early, late = position_costs(model, source, rounds=arguments.repeats, clock=clock)
    row(f"one token at position {EARLY}", early)
    row(f"one token at position {LATE}", late, late / early, "of the early one (aim: at most 1.3)")

    print()
    contenders: dict[str, Callable[[], object]] = {
        "cached": lambda: decode(model, source),
        "uncached": lambda: decode(model, source, use_cache=False),
        "traced": lambda: decode_and_trace(model, source),
    }
    if importlib.util.find_spec("transformers"):
        contenders["peer"] = marian(source)
    times = medians(contenders, rounds=arguments.repeats, clock=clock)
    cached, traced = times["cached"], times["traced"]
    row(f"{TOKENS} tokens with the cache", cached)
    row(f"{TOKENS} tokens without", times["uncached"], times["uncached"] / cached, "(aim: 2)")
    row(f"{TOKENS} tokens with the cache, then a trace", traced)
    if "peer" in times:
        row(f"{TOKENS} tokens, transformers", times["peer"], times["peer"] / traced, "(aim: 2)")
    else:
        print("transformers is not installed: no peer to compare with")


def row(name: str, seconds: float, ratio: float | None = None, remark: str = "") -> None:
    """Print one line of the table."""
    ending = "" if ratio is None else f"{ratio:8.2f} x {remark}"
    print(f"{name:42}{seconds * 1e3:9.1f} ms{ending}")


def medians(
    contenders: Mapping[str, Callable[[], object]], *, rounds: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Seconds of each, taken in turns after one turn to warm up."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for i in range(rounds + 1):
        for name, contender in contenders.items():
            start = clock()
            contender()
            if i:
                times[name].append(clock() - start)
    return {name: statistics.median(values) for name, values in times.items()}


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


def decode(model: Transformer, source: Tensor, *, use_cache: bool = True) -> list[int]:
    """Write the tokens of the comparison."""
    steps = greedy(model, source, max_length=TOKENS, eos_id=NEVER, use_cache=use_cache)
    return [step.token for step in steps]


def decode_and_trace(model: Transformer, source: Tensor) -> TransformerTrace:
    """Write them, then keep everything that one pass over them computes."""
    written = decode(model, source)
    with torch.inference_mode():
        return model(source, torch.tensor([[1, *written[:-1]]]))


def marian(source: Tensor) -> Callable[[], object]:
    """Build the peer: the same sizes, its attention written out too."""
    from transformers import MarianConfig, MarianMTModel

    config = MarianConfig(
        vocab_size=VOCAB,
        decoder_vocab_size=VOCAB,
        d_model=512,
        encoder_layers=6,
        decoder_layers=6,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=2048,
        decoder_ffn_dim=2048,
        max_position_embeddings=1024,
        activation_function="relu",
        scale_embedding=True,
        share_encoder_decoder_embeddings=True,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        forced_eos_token_id=None,
        attn_implementation="eager",
    )
    model = MarianMTModel(config).eval()

    def generate() -> object:
        return model.generate(
            source,
            attention_mask=torch.ones_like(source),
            do_sample=False,
            num_beams=1,
            min_new_tokens=TOKENS,
            max_new_tokens=TOKENS,
            output_attentions=True,
            return_dict_in_generate=True,
        )

    return generate


if __name__ == "__main__":
    main()
