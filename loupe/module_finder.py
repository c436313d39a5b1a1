"""Finds Loupe's own modules after installation, even if another module is called `model`.

The modules import one another by the folders of the repository: `model.…`, `viz.…` and the like.
These names are too common to install, and many notebooks have a `model.py` beside them. A wheel
therefore carries the folders inside the package. They are loaded under the package's name, and this
module resolves their imports. It does nothing in the repository, where the names are Loupe's.
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
"""The folders that this package exposes; `texts` would clash with a module of the package."""
_PACKAGE = __package__ or "loupe"
_INSIDE = f"{_PACKAGE}._app"
_CARRIED = Path(__file__).parent / "_app"
HOME = _CARRIED if _CARRIED.is_dir() else Path(__file__).parents[1]
"""The folder that holds the app: the repository, or its copy in a wheel."""


def module_name(name: str) -> str:
    """Return the name under which a module of Loupe is loaded in this process."""
    return f"{_INSIDE}.{name}" if _INSIDE in sys.modules else name


def move_in() -> None:
    """Make the modules importable, once: from within this package, and as `loupe.model`."""
    if any(isinstance(finder, _Alias) for finder in sys.meta_path):
        return
    if not all(map(_is_own, FOLDERS)):
        inside = ModuleType(_INSIDE, "The app's modules.")
        inside.__path__ = [str(HOME)]
        sys.modules[_INSIDE] = inside
        sys.meta_path.insert(0, _Finder())
    sys.meta_path.insert(0, _Alias())


def _is_own(name: str) -> bool:
    """Return whether a name already refers to Loupe's folder."""
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
    """Import as usual, but look up the folders' names inside the package."""
    if level or name.partition(".")[0] not in FOLDERS:
        return builtins.__import__(name, variables, local, names or (), level)
    found = builtins.__import__(f"{_INSIDE}.{name}", variables, local, names or (), 0)
    # Without a list of names, `import model.traces` must bind `model`.
    return found if names else sys.modules[f"{_INSIDE}.{name.partition('.')[0]}"]


class _Loader(SourceFileLoader):
    """Loads a module whose imports are resolved inside the package."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code with the package's import function."""
        own = {**vars(builtins), "__import__": _import_inside}
        module.__dict__["__builtins__"] = own
        super().exec_module(module)


class _Alias(MetaPathFinder, Loader):
    """Finds the modules under names that work both in the repository and when installed."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - as the import system calls it
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Find `loupe.model...`, the same module as the one that Loupe imports."""
        package, _, name = fullname.partition(".")
        if package != _PACKAGE or name.partition(".")[0] not in _PUBLIC:
            return None
        found = import_module(module_name(name))
        return ModuleSpec(fullname, self, loader_state=(found, found.__spec__))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module already loaded."""
        return spec.loader_state[0]

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it was: the import sets the spec of the alias."""
        alias = module.__spec__
        if alias is not None:
            module.__spec__ = alias.loader_state[1]


class _Finder(MetaPathFinder):
    """Finds the modules of this package."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module of the package; return None for any other."""
        if not fullname.startswith(f"{_PACKAGE}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec
