"""Finds Loupe's own modules wherever it is installed, whatever else is called `model` there.

The modules import one another as `model.…`, `viz.…` and the like: the folders of the repository.
Nobody may install packages under names so common, and many a notebook has a `model.py` beside it.
So a wheel carries these folders inside the package, they are loaded under its name, and what they
import by theirs is looked up here. In the repository, where those names are Loupe's already,
nothing of this happens.
"""

import builtins
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

FOLDERS = ("model", "viz", "sample_data", "texts")
_PUBLIC = ("model", "viz", "sample_data")
"""Those that can be imported from this package, which has a `texts` of its own."""
_PACKAGE = __package__ or "loupe"
_INSIDE = f"{_PACKAGE}._app"
_CARRIED = Path(__file__).parent / "_app"
HOME = _CARRIED if _CARRIED.is_dir() else Path(__file__).parents[1]
"""The folder that holds the app: the repository, or what a wheel carries of it."""


def module_name(name: str) -> str:
    """Return the name under which a module of Loupe is loaded in this process."""
    return f"{_INSIDE}.{name}" if _INSIDE in sys.modules else name


def move_in() -> None:
    """Make the modules importable by the modules of this package, and as `loupe.model`, once."""
    if any(isinstance(finder, _Alias) for finder in sys.meta_path):
        return
    if not all(map(_is_own, FOLDERS)):
        inside = ModuleType(_INSIDE, "What the app consists of.")
        inside.__path__ = [str(HOME)]
        sys.modules[_INSIDE] = inside
        sys.meta_path.insert(0, _Finder())
    sys.meta_path.insert(0, _Alias())


def _is_own(name: str) -> bool:
    """Return whether a name already means the folder of this house."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):  # ValueError: loaded, and without a spec
        return False
    places = spec.submodule_search_locations if spec else None
    return any(Path(place).resolve() == (HOME / name).resolve() for place in places or ())


def _import_inside(
    name: str,
    variables: Mapping[str, object] | None = None,
    local: Mapping[str, object] | None = None,
    names: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """Import as usual, but the folders' names from inside the package."""
    if level or name.partition(".")[0] not in FOLDERS:
        return builtins.__import__(name, variables, local, names or (), level)
    found = builtins.__import__(f"{_INSIDE}.{name}", variables, local, names or (), 0)
    # Without names from it, `import model.traces` is to bind `model`.
    return found if names else sys.modules[f"{_INSIDE}.{name.partition('.')[0]}"]


class _Loader(SourceFileLoader):
    """Loads a module that imports from inside."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code with the import of its own."""
        own = {**vars(builtins), "__import__": _import_inside}
        module.__dict__["__builtins__"] = own
        super().exec_module(module)


class _Alias(MetaPathFinder, Loader):
    """Finds the modules under the names that hold in the repository and where it is installed."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - as the import system calls it
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Find `loupe.model...`, which is one module with the one that Loupe imports."""
        package, _, name = fullname.partition(".")
        if package != _PACKAGE or name.partition(".")[0] not in _PUBLIC:
            return None
        found = import_module(module_name(name))
        return ModuleSpec(fullname, self, loader_state=(found, found.__spec__))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the one module."""
        return spec.loader_state[0]

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it was: what imports it sets the spec of the alias."""
        alias = module.__spec__
        if alias is not None:
            module.__spec__ = alias.loader_state[1]


class _Finder(MetaPathFinder):
    """Finds the modules of this package."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module of the package; of others nothing."""
        if not fullname.startswith(f"{_PACKAGE}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec
