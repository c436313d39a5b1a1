"""The map of a third-party model: its recorded tensors, without a description of the code."""

from dataclasses import replace

from model.traces import find_tensor, names_in
from texts import say_of
from viz.run.record import Run
from viz.subjects.map import words
from viz.subjects.map.blocks import Block


def as_recorded(blocks: tuple[Block, ...], run: Run) -> tuple[Block, ...]:
    """Let each block open a recorded tensor, and describe it from the record."""
    names = frozenset(names_in(run.trace))
    return tuple(_of_record(block, run, names) for block in blocks)


def _of_record(block: Block, run: Run, names: frozenset[str]) -> Block:
    if block.role in words.RECORDED_ROLES:
        said = "norm" if block.role.endswith("norm") else block.role
        block = replace(block, sentence=say_of("map.recorded", said), note="")
    if block.tensor in names or block.role in ("tokens", "output", "candidates"):
        return block
    first = f"{block.stack}.layers.0.input"
    tensor = next((name for name in block.holds if name in names), first)
    shape = tuple(find_tensor(run.trace, tensor).shape[1:])
    pictured = block.pictured and tensor in block.holds
    return replace(block, tensor=tensor, shape=shape, pictured=pictured)
