"""A path written without Python equals the one that Python writes and packs."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import DEFAULT, SHIPPED, VARIANTS
from tests.node import told_by
from viz.run.making import make_run
from viz.run.record import Run
from viz.subjects.decoding.packing import pack_branches, pack_path
from viz.subjects.decoding.paths import DecodedPath, branch_to, decode_path
from viz.subjects.decoding.reading import read_path
from viz.subjects.decoding.strategy import LAST_SEED, TEMPERATURE_PLACES, Shaping, Strategy

SCRIPT = Path(__file__).with_name("own_paths.js")
UNKNOWN = "The grumpfles saw Maria's 12 zebrons, didn't they?"
GREEDY = Strategy()
FREE = Strategy("Sampling", Shaping(temperature=2.5), seed=7)
CUT = Strategy("Sampling", Shaping(temperature=1.4, top_k=40, top_p=0.9), seed=LAST_SEED)
CASES = [
    (DEFAULT, GREEDY, ()),
    (DEFAULT, GREEDY, ((3, 0),)),
    (DEFAULT, GREEDY, ((2, 1),)),
    (DEFAULT, GREEDY, ((0, 2), (2, 3))),
    (DEFAULT, FREE, ()),
    (DEFAULT, CUT, ((1, 2),)),
    (UNKNOWN, GREEDY, ()),
    (UNKNOWN, CUT, ()),
]
"""A text, a strategy, and the forks: at which step the token of which rank is taken."""
APART = {"key", "sent", "vocabulary", "copies", "temperatures"}
CLOSE = {"logs": 0.0, "ranks": 1e-3}
"""The relative difference allowed; unlikely tokens have nearly equal probabilities."""


def own_paths(name: str, asked: list[dict[str, Any]]) -> dict[str, Any]:
    return told_by(SCRIPT, {"checkpoint": str(SHIPPED / name), "cases": asked})


@pytest.mark.slow
@pytest.mark.parametrize("name", [VARIANTS["paper"], VARIANTS["headlist"]])
def test_it_is_what_python_packs(name: str):
    checkpoint = load_checkpoint(SHIPPED / name)
    model = checkpoint.model
    runs = {text: make_run(checkpoint, text) for text, _, _ in CASES}
    asked, packed = [], []
    for text, strategy, takes in CASES:
        find = partial(decode_path, runs[text], model, strategy)
        begins: tuple[int, ...] = ()
        path = find(())
        for step, rank in takes:
            place = min(step, len(path.steps) - 1)
            token = path.steps[place].candidates(rank + 1)[rank].token
            begins = (*path.ids[:place], token)
            path = find(branch_to(find, begins))
        shaping = dict(zip(("temperature", "topK", "topP"), strategy.shaping, strict=True))
        how = {"mode": strategy.mode, "drawn": shaping, "seed": strategy.seed}
        asked.append({"text": text, "strategy": how, "begins": begins})
        reading = read_path(runs[text], model, path, len(path.steps))
        parcel = pack_path(runs[text], path, reading, strategy, "")
        packed.append((parcel, branches_of(runs[text], strategy, find(()), path)))
    own = own_paths(name, asked)
    assert own["temperatures"] == pytest.approx(TEMPERATURE_PLACES)
    assert own["lastSeed"] == LAST_SEED
    for mine, (theirs, branches), case in zip(own["paths"], packed, CASES, strict=True):
        hold(mine, theirs, str(case))
        assert mine["branches"] == branches, case


def branches_of(
    run: Run, strategy: Strategy, base: DecodedPath, path: DecodedPath
) -> list[dict[str, Any]]:
    """Return Python's data about the model's choice and the branch."""
    paths = [base, path] if path.branch else [base]
    sent = pack_branches(run.info.tokenizers.target, strategy.mode, paths)
    packed = json.loads(json.dumps(sent["branches"]))
    return [each | {"logs": pytest.approx(each["logs"], abs=1e-4)} for each in packed]


def hold(own: dict[str, Any], packed: dict[str, Any], case: str) -> None:
    """Compare two paths: the same tokens at each step, and nearly the same numbers and weights."""
    meta = json.loads(json.dumps(packed["meta"]))
    assert own["meta"].keys() == meta.keys()
    for name in meta.keys() - APART - CLOSE.keys():
        assert own["meta"][name] == meta[name], (case, name)
    for name, rel in CLOSE.items():
        assert own["meta"][name] == pytest.approx(meta[name], rel=rel, abs=1e-4), (case, name)
    tokens = own["meta"]["vocabulary"]
    assert tokens.items() >= {str(id): meta["vocabulary"][str(id)] for id in meta["ids"]}.items()
    both = set(tokens.values()) & set(meta["vocabulary"].values())
    assert both & set(own["meta"]["copies"]) == both & set(meta["copies"])
    columns = [packed["ranked"].column(name).to_numpy() for name in ("id", "logit")]
    ids, logits = (column.reshape(-1, meta["sent"]) for column in columns)
    assert np.abs(np.array(own["logits"])[:, : meta["sent"]] - logits).max() < 1e-4, case
    for mine, theirs in zip(own["ids"], ids[:, :10].tolist(), strict=True):
        assert mine[:10] == theirs, case
        assert [tokens[str(id)] for id in theirs] == [meta["vocabulary"][str(id)] for id in theirs]
    if meta["mode"] == "Greedy":
        assert own["meta"]["sent"] == meta["sent"]
        for mine, theirs in (("sums", "sum"), ("weighted", "weighted")):
            expected = packed["others"][theirs].to_pylist()
            assert own[mine] == pytest.approx(expected, rel=1e-4, abs=1e-4), case
    else:
        assert own["meta"]["sent"] == meta["size"]
    codes = packed["codes"].column("code").to_numpy().astype(int)
    assert np.abs(np.array(own["codes"]) - codes).max() <= 2, case
