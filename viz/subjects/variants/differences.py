"""How the configs of variants differ from the paper's, and where on the map each field acts."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from model.config import TransformerConfig
from texts import say_of
from viz.run.record import Run
from viz.subjects.map.blocks import Block
from viz.subjects.map.describe import describe
from viz.subjects.variants.words.config import FIELDS, Part


@dataclass(frozen=True)
class Difference:
    """One field in which some of the configs differ, among each other or from the paper's."""

    field: str
    part: Part
    """Of the model, where it acts."""
    words: str
    values: Mapping[str, str]
    """By variant, in plain words."""
    from_paper: frozenset[str]
    """Variants whose value is not the paper's."""


def differences(
    configs: Mapping[str, TransformerConfig], paper: TransformerConfig
) -> tuple[Difference, ...]:
    """List the fields in which the variants differ, or all of them from the paper's config."""
    found: list[Difference] = []
    for field, row in FIELDS.items():
        own = getattr(paper, field)
        changed = frozenset(name for name, c in configs.items() if getattr(c, field) != own)
        if changed:
            words = say_of("variants.field", field)
            values = {name: row.write(getattr(c, field)) for name, c in configs.items()}
            found.append(Difference(field, row.part, words, values, changed))
    return tuple(found)


def blocks_that_differ(run: Run, paper: TransformerConfig) -> tuple[str, ...]:
    """Name the blocks of the run's map in which its model is not the paper's, in their order.

    What acts only while training changes no block.
    """
    config = run.info.config
    fields_changed = [f.name for f in fields(config) if _changed(config, paper, f.name)]
    roles = {role for field in fields_changed for role in FIELDS[field].roles}
    return tuple(block.id for block in describe(run).blocks if roles & _roles(block))


def _roles(block: Block) -> set[str]:
    return {block.role, f"{block.role}:{block.kind}", f"{block.role}:{block.stack}"}


def _changed(config: TransformerConfig, paper: TransformerConfig, field: str) -> bool:
    return getattr(config, field) != getattr(paper, field)
