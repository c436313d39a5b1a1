"""A site of third-party models: its three pages, as they open and with a typed text."""

from dataclasses import replace

import numpy as np

from qa.audit.pages.run import TRACED, of_a_head
from qa.audit.pages.site import check_written, go_to, sentences, site_attention, site_map
from qa.audit.published import PublishedTruth
from qa.audit.reference.transformer import KINDS
from qa.audit.visit import Visit


def third_attention(visit: Visit) -> None:
    """Check the worker's run of each text, cells, and the parameters of each opened head."""
    site_attention(visit)
    for kind in visit.truth.run.kinds:
        for head in range(visit.truth.reference.config["n_heads"]):
            chosen = {"kind": kind, "layer": 1, "head": head}
            visit.open("attention", visit.state.query(**chosen))  # with this head's parameters only
            _check_opened(visit.at(f"{kind} L1 H{head}"), kind, head)


def _check_opened(visit: Visit, kind: str, head: int) -> None:
    """Check the parameters of a head, which it may share, and the tensors computed with them."""
    config, (stack, part) = visit.truth.reference.config, KINDS[kind]
    path = f"{stack}.layers.1.{part}"
    shared = head * (config.get("n_kv_heads") or config["n_heads"]) // config["n_heads"]
    numbers = {"query": head, "key": shared, "value": shared, "output": head}
    tensors = visit.traced()["tensors"]
    names = [f"{path}.{of}.weight[{at}]" for of, at in numbers.items()]
    sent = sorted(name for name in tensors if ".weight[" in name)
    visit.same("parameters of the opened head: names", sent, sorted(names))
    for name in set(names) & tensors.keys():
        computed = of_a_head(visit.truth, name)
        if computed is None:
            continue
        seen, room = tensors[name].reshape(computed.shape), TRACED * (1 + np.abs(computed))
        visit.numbers("parameters of the opened head", seen, computed, room, name)
    said = visit.text(".cell-checks summary")
    visit.same("steps of the cell", said, "✓ all 13 steps agree with float64")


def third_map(visit: Visit) -> None:
    """Check one tensor of each sort that the model has."""
    site_map(visit)


def third_decoding(visit: Visit) -> None:
    """Check the tokens that the model writes after each text, some at a time."""
    for there in sentences(visit, "decoding"):
        if isinstance(there.truth, PublishedTruth):
            check_written(replace(there, truth=there.truth.with_room()), go_to)
