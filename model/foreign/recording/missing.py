"""Parts that ran in a pass and were not recorded: attentions of unknown form, other layers."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from torch import Tensor, nn

from model.foreign.recording.function_kinds import kind_of
from model.foreign.recording.functions import Call
from model.foreign.recording.provenance import Provenance
from model.foreign.unrecorded import NO_ATTENTION, SOFTMAX

if TYPE_CHECKING:
    from model.foreign.recording.paths import Paths


class Unrecorded:
    """The modules in which a pass called a softmax or multiplied computed tensors."""

    def __init__(self) -> None:
        self.saw_softmax = False
        self._softmaxes: list[tuple[str, ...]] = []
        self._multiplied: set[str] = set()

    def note(self, func: Callable, args: tuple, running: Sequence[Call], found: Provenance) -> None:
        """Note a function that one of the running modules called."""
        kind = kind_of(func)
        if kind.is_softmax:
            self.saw_softmax = True
            self._softmaxes.append(tuple(path for path, _ in reversed(running)))
        elif kind.is_product and running:
            flat = (
                x for each in args for x in (each if isinstance(each, list | tuple) else [each])
            )
            pair = [x for x in flat if isinstance(x, Tensor)][-2:]
            if len(pair) == 2 and all(found.of(x) is not None for x in pair):
                self._multiplied.add(running[-1][0])

    def attentions(self, recorded: Collection[str]) -> dict[str, str]:
        """Return the reason for each unrecorded attention by module, given the recorded ones."""
        missing = {}
        for around in self._softmaxes:
            owner = next((path for path in around if path in self._multiplied), None)
            if owner is not None and not any(_is_in(path, owner) for path in recorded):
                missing[owner] = SOFTMAX
        return missing


def layers_between(
    paths: "Paths", ran: Iterable[str], recorded: Collection[str], known: Collection[str]
) -> dict[str, str]:
    """Return the reason for each unrecorded layer in a list with recorded ones, by path.

    `recorded` are the modules with a recorded attention, `known` those that have a reason already.
    """
    lists = [path for module, path in paths.items() if isinstance(module, nn.ModuleList)]
    around = ([x for x in lists if x != path and _is_in(path, x)] for path in recorded)
    outer = {found[0] for found in around if found}
    missing = {}
    for path in ran:
        is_beside = path.rpartition(".")[0] in outer and path.rpartition(".")[2].isdigit()
        if is_beside and not any(_is_in(each, path) for each in (*recorded, *known)):
            missing[path] = NO_ATTENTION
    return missing


def _is_in(path: str, other: str) -> bool:
    """Return whether a module is another one, or inside it."""
    return not other or path == other or path.startswith(f"{other}.")
