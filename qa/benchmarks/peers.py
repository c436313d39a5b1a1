"""The cost of keeping every intermediate, against other tools: `python -m qa.benchmarks.peers`.

The model is GPT-2 small with random weights, made from its config, so that nothing is fetched. Each
way of running it takes its turn in one process with one thread; the minimum of each counts.
TransformerLens and nnsight are measured if they are installed. All but Loupe's own model run the
same module of transformers.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import torch
from tokenizers import Tokenizer, models
from torch import Tensor

import loupe
from loupe.kept import forget
from qa.benchmarks.rows import Row, show
from qa.benchmarks.trace import take_turns

LENGTHS = (16, 64, 256)
WRITTEN_AIM = 1.35
PLAIN = "transformers, which keeps nothing"
Ways = dict[str, Callable[[Tensor], object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="how long to measure each length"
    )
    args = parser.parse_args()
    print("GPT-2 small, float32, processor seconds of one thread, the least of each")
    show(rows(args.seconds))
    print("BLOOM with attention written out, 6 layers, d_model 512: the median of each")
    show(rows_of_written(args.seconds))


def rows_of_written(seconds: float) -> Iterator[Row]:
    """Compare traces of attention written out, which Loupe infers from torch's functions."""
    import transformers

    config = transformers.BloomConfig(hidden_size=512, n_layer=6, n_head=8, vocab_size=1000)
    model = transformers.BloomForCausalLM._from_config(config, attn_implementation="eager").eval()
    ids = torch.randint(1, 1000, (1, 64))

    def first() -> object:
        forget(model)
        return loupe.trace(model, inputs=ids)

    ways = {
        "a trace": lambda: loupe.trace(model, inputs=ids),
        "the first trace": first,
        PLAIN: lambda: model(ids),
    }
    with torch.inference_mode():
        times = take_turns(ways, seconds=seconds, clock=time.process_time)
    middle = {name: 1e3 * statistics.median(some) for name, some in times.items()}
    for name, aim in (("a trace", WRITTEN_AIM), ("the first trace", None)):
        ratio = middle[name] / middle[PLAIN]
        yield Row(f"{name}, 64 tokens", middle[name], "ms", middle[PLAIN], PLAIN, ratio, aim)


def rows(seconds: float) -> Iterator[Row]:
    """Compare, for each length, a pass that keeps all tensors with one that does not."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # read when transformers is imported
    torch.set_num_threads(1)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
        plain, ways = contenders(Path(folder))
        for length in LENGTHS:
            ids = torch.randint(1, 1000, (1, length))
            turns = {name: lambda way=way, ids=ids: way(ids) for name, way in ways.items()}
            turns[PLAIN] = lambda ids=ids: plain(ids)
            times = take_turns(turns, seconds=seconds, clock=time.process_time)
            least = {name: 1e3 * min(some) for name, some in times.items()}
            for name in ways:
                what = f"{name}, {length} tokens"
                yield Row(what, least[name], "ms", least[PLAIN], PLAIN, least[name] / least[PLAIN])


def contenders(folder: Path) -> tuple[Callable[[Tensor], object], Ways]:
    """Make the model, and the ways of running it: the plain one, and those that keep."""
    import transformers

    config = transformers.GPT2Config()
    words = {f"w{i}": i for i in range(config.vocab_size)}
    rules = Tokenizer(models.WordLevel(words, "w0"))
    made = [transformers.GPT2LMHeadModel(config).eval() for _ in range(2)]
    for model in made:
        model.load_state_dict(made[0].state_dict())
    plain, traced = made
    names = transformers.PreTrainedTokenizerFast(
        tokenizer_object=rules, bos_token="w0", eos_token="w0", unk_token="w0", pad_token="w0"
    )
    loupe.save(plain, names, folder)
    own = loupe.load(folder).model
    ways: Ways = {
        "loupe.trace of the module": lambda ids: loupe.trace(traced, inputs=ids),
        "loupe's own model": lambda ids: own(None, ids),
    }
    if find_spec("transformer_lens"):
        ways["TransformerLens, run_with_cache"] = lens(folder)
    if find_spec("nnsight"):
        ways["nnsight, the same kinds saved"] = sight(folder)
    return plain, ways


def lens(folder: Path) -> Callable[[Tensor], object]:
    """Return TransformerLens's way, by its bridge to transformers."""
    from transformer_lens.model_bridge import TransformerBridge

    bridge = TransformerBridge.boot_transformers(str(folder), device="cpu")
    return bridge.run_with_cache


def sight(folder: Path) -> Callable[[Tensor], object]:
    """Return nnsight's way: the tensors that Loupe keeps of each layer, if modules give them."""
    import transformers
    from nnsight import NNsight

    eager = {"attn_implementation": "eager"}  # which returns the weights
    model = transformers.GPT2LMHeadModel.from_pretrained(folder, **eager).eval()
    seen = NNsight(model)

    def run(ids: Tensor) -> object:
        kept = []
        with seen.trace(ids):
            kept.append(seen.transformer.wte.output.save())
            for layer in seen.transformer.h:
                kept.append(layer.ln_1.output.save())
                kept.append(layer.attn.c_attn.output.save())
                kept.append(layer.attn.c_proj.input.save())
                kept.append(layer.attn.output.save())
                kept.append(layer.ln_2.output.save())
                kept.append(layer.mlp.act.output.save())
                kept.append(layer.mlp.output.save())
                kept.append(layer.output.save())
            kept.append(seen.transformer.ln_f.output.save())
            kept.append(seen.lm_head.output.save())
        return kept

    return run


if __name__ == "__main__":
    main()
