"""Finds the layers of a model's stacks, by the lists of modules that contain its attentions."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import nn

from model.foreign.recording.log import AttentionEvent, Log, ModuleCall
from model.foreign.recording.plan import Side


@dataclass(frozen=True, eq=False)
class LayerCall:
    """One run of a layer, and its attentions."""

    call: ModuleCall
    attentions: list[AttentionEvent]


def numbers_in(log: Log, layers: Sequence[LayerCall]) -> tuple[int, ...]:
    """Return the numbers of layers in their list; without a list, count them in order."""
    paths = [layer.call.path for layer in layers]
    around = {path.rpartition(".")[0] for path in paths}
    lists = {path for module, path in log.paths.items() if isinstance(module, nn.ModuleList)}
    own = [path.rpartition(".")[2] for path in paths]
    if len(around) != 1 or not around <= lists or not all(each.isdigit() for each in own):
        return tuple(range(len(layers)))
    numbers = tuple(map(int, own))
    return numbers if list(numbers) == sorted(set(numbers)) else tuple(range(len(layers)))


def layers_between_in(log: Log, layers: Sequence[LayerCall]) -> dict[int, ModuleCall]:
    """Find the layers without attention in the list of those that have one, by number."""
    known = {layer.call.path for layer in layers}
    around = layers[0].call.path.rpartition(".")[0]
    numbers = {path.rpartition(".")[2] for path in known}
    if {str(number) for number in numbers_in(log, layers)} != numbers:
        return {}
    like = layers[0].call.output
    return {
        int(call.path.rpartition(".")[2]): call
        for call in log.calls
        if call.path.rpartition(".")[0] == around
        and call.path not in known
        and not call.nth
        and call.path.rpartition(".")[2].isdigit()
        and call.input is not None
        and call.output is not None
        and like is not None
        and call.input.shape == call.output.shape == like.shape
    }


def find_blocks(log: Log) -> frozenset[str]:
    """Return the paths of the modules directly inside the outermost lists with attentions."""
    around = [event.module.path for event in log.attentions]
    found: set[str] = set()
    for lists in _lists(log):
        outer = {x for path in around for x in [y for y in lists if _holds(y, path)][:1]}
        for call, x in itertools.product(log.calls, outer):
            if _holds(x, call.path) and not any(_holds(x, other.path) for other in call.within):
                found.add(call.path)
    return frozenset(found)


def _lists(log: Log) -> Iterator[list[str]]:
    """Yield the paths of all lists of modules, and then of all sequences of modules."""
    for kind in (nn.ModuleList, nn.Sequential):
        yield [path for module, path in log.paths.items() if isinstance(module, kind)]


def _holds(path: str, other: str) -> bool:
    return other != path and other.startswith(f"{path}." if path else "")


def layers_of_stacks(log: Log) -> list[list[LayerCall]]:
    """Group the attentions by layer, and the layers by the list that contains them."""
    layers: dict[ModuleCall, LayerCall] = {}
    for event in log.attentions:
        call = _layer_around(event, log)
        layers.setdefault(call, LayerCall(call, [])).attentions.append(event)
    stacks: dict[str, list[LayerCall]] = {}
    for layer in layers.values():
        stacks.setdefault(layer.call.path.rpartition(".")[0], []).append(layer)
    return list(stacks.values())


def _layer_around(event: AttentionEvent, log: Log) -> ModuleCall:
    for lists in _lists(log):
        for call in (*event.module.within, event.module):  # a layer may itself attend
            inside = [x for x in log.attentions if call in (*x.module.within, x.module)]
            if call.path and call.path.rpartition(".")[0] in lists and len(inside) <= 2:
                return call
    raise ValueError(
        f"{event.module.path or 'the module'} attends outside of any list of layers; Loupe can "
        "record models whose layers are in an nn.ModuleList or nn.Sequential"
    )


def sides_of(stacks: Sequence[Sequence[LayerCall]]) -> list[Side]:
    """Return which stack is the encoder and which the decoder."""
    crossing = [all(len(layer.attentions) == 2 for layer in stack) for stack in stacks]
    if len(stacks) == 1 and not crossing[0]:
        first = [layer.attentions[0] for layer in stacks[0]]
        return ["decoder" if all(event.is_causal for event in first) else "encoder"]
    if len(stacks) == 2 and crossing == [False, True]:
        return ["encoder", "decoder"]
    raise ValueError(
        f"found {len(stacks)} stacks of layers with attention; Loupe can record one stack, or an "
        "encoder and a decoder that reads it"
    )
