"""The worker's data for an opened head equals Python's, in every model family."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch

from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.weights import stored_tensors
from model.foreign.imports.load import open_folder
from tests.model.foreign.imports.encoders import sharpened
from tests.model.foreign.imports.folders import edit_tokenizer
from tests.model.foreign.imports.oracle import save
from tests.node import told_by
from tests.viz.pictures.twin.test_twin_families import KINDS, PAIRS
from viz.run.axes import attention_name
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.run.tensor_parcel import TensorParcel, pack_head

SCRIPT = Path(__file__).with_name("opened_heads.js")
TEXT, TARGET = "w3 w17 w8 w41 w5", "w7 w2 w9 w30"
QUERY, KEY, HEAD = 3, 1, 2
TURNED = ("Llama", "Mistral", "NeoX")
FAMILIES = [name for name in KINDS if not name.startswith("Qwen2")]
"""All but Qwen2, which reads bytes whatever its folder says and is built like a Llama."""
MOST_OFF = 1e-4
"""Relative to a tensor's largest magnitude, as for every tensor in passes.py."""


def opened(name: str, folder: Path) -> Checkpoint:
    kind, settings = KINDS[name]
    save(sharpened(kind, **settings), folder)
    apart = {"pre_tokenizer": {"type": "WhitespaceSplit"}}
    edit_tokenizer(folder, lambda values: values.update(apart))
    return open_folder(folder)


def places_of(run: Run) -> list[dict[str, Any]]:
    """Choose the last layer of each kind, whose input differs most from the embeddings."""
    last = [(site, site.layers - 1) for site in run.anatomy.sites]
    return [
        {
            "path": attention_name(site.name, layer).removesuffix(".weights"),
            "kind": site.name,
            "layer": layer,
            "head": HEAD,
            "query": QUERY,
            "key": KEY,
        }
        for site, layer in last
    ]


def asked_of(checkpoint: Checkpoint, run: Run, file: Path) -> dict[str, Any]:
    model, config = checkpoint.model, checkpoint.info.config
    weights = {n: t.detach().contiguous() for n, t in stored_tensors(model).items()}
    safetensors.torch.save_file(weights, file)
    rules = {"first": model.rules.first, "last": model.rules.last, "never": model.rules.never}
    start = run.target_ids[0] if config.has_encoder and config.has_decoder else None
    meta = pack_run(run, "run").said["meta"]
    return {
        "weights": str(file),
        "config": config.to_dict(),
        "writing": {"start": start, "stops": [], "rules": rules},
        "read": list(run.source.ids if config.has_encoder else run.target_ids),
        "written": list(run.target_ids[1:]),
        "run": {"kinds": meta["kinds"], "tokens": meta["tokens"]},
        "places": places_of(run),
    }


def check(name: str, run: Run, parcels: list[TensorParcel], told: dict[str, Any]) -> None:
    for place, parcel, head in zip(places_of(run), parcels, told["heads"], strict=True):
        path = place["path"]
        facts = told["attentions"][path]
        expected = parcel.said["attentions"][path]
        assert facts | {"reads": tuple(facts["reads"])} == expected, name
        numbers = parcel.numbers["number"].to_numpy()
        computed = {"query", "key", "value", "scores", "weights", "heads", "bias"}
        arrays = {
            full: array
            for full, array in parcel.said["arrays"].items()
            if full.partition("[")[0].removeprefix(f"{path}.") not in computed | {"mask", "output"}
            and not full.endswith(("input", "after_self_attn", "encoder.output"))
        }
        assert head.keys() == arrays.keys(), name
        for full, array in arrays.items():
            assert tuple(head[full]["shape"]) == tuple(array["shape"]), (name, full)
            sent = numbers[array["at"] :][: np.prod(array["shape"])]
            room = MOST_OFF * np.abs(sent).max()
            np.testing.assert_allclose(
                head[full]["numbers"], sent, atol=room, rtol=0, err_msg=f"{full} of {name}"
            )
    for cell in told["cells"]:
        assert "NaN" not in cell["lines"], name
        assert max(cell["lines"]) <= cell["tolerance"], (name, cell["lines"])
    turned = [cell["turned"] for cell in told["cells"]]
    assert turned == [name.startswith(TURNED)] * len(turned), name
    shared = run.info.config.n_heads // run.anatomy.sites[0].kv_heads
    assert all(len(cell["readers"]) == shared for cell in told["cells"]), name


@pytest.mark.slow
def test_each_head_can_be_recomputed_without_the_weights_of_the_others(tmp_path: Path):
    runs: list[tuple[str, Run, list[TensorParcel]]] = []
    asked: list[dict[str, Any]] = []
    for number, name in enumerate(FAMILIES):
        checkpoint = opened(name, tmp_path / name)
        run = make_run(checkpoint, TEXT, TARGET if name in PAIRS else "")
        parcels = [
            pack_head(run, checkpoint.model, place["kind"], place["layer"], HEAD)
            for place in places_of(run)
        ]
        runs.append((name, run, parcels))
        asked.append(asked_of(checkpoint, run, tmp_path / f"{number}.safetensors"))
    for (name, run, parcels), told in zip(runs, told_by(SCRIPT, asked), strict=True):
        check(name, run, parcels, told)
