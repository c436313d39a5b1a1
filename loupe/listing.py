"""The models that can be opened by name, and their places."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, overload

from loupe.loading import SHIPPED, cached
from model.checkpoints.checkpoint_files import list_checkpoints, read_info
from model.checkpoints.errors import CheckpointError
from model.files.plain_json import read_object
from model.foreign.imports.folder_files import CONFIG

if TYPE_CHECKING:
    import pandas

_MOST_CONFIG = 1 << 20


@dataclass(frozen=True)
class ListedModel:
    """A model that `loupe.load` can open."""

    name: str
    """The name that `loupe.load` takes; it takes `place` as well."""
    kind: str
    """Its title, or the `model_type` of a third-party model."""
    place: Path
    """Its path."""


class ListedModels(Sequence[ListedModel]):
    """A table of models."""

    def __init__(self, found: Sequence[ListedModel]) -> None:
        self._found = tuple(found)

    @overload
    def __getitem__(self, index: int) -> ListedModel: ...

    @overload
    def __getitem__(self, index: slice) -> "ListedModels": ...

    def __getitem__(self, index: int | slice) -> "ListedModel | ListedModels":
        found = self._found[index]
        return found if isinstance(found, ListedModel) else ListedModels(found)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, model: object) -> bool:
        return model in self._found or any(each.name == model for each in self._found)

    def to_frame(self) -> "pandas.DataFrame":
        """Return the table as a pandas DataFrame, with a row for each model."""
        import pandas as pd

        rows = [(each.name, each.kind, str(each.place)) for each in self]
        return pd.DataFrame(rows, columns=["name", "kind", "place"]).set_index("name")

    def __repr__(self) -> str:
        if not self:
            return "no models"
        widths = [max(len(getattr(each, part)) for each in self) for part in ("name", "kind")]
        return "\n".join(
            f"{each.name:{widths[0]}}  {each.kind:{widths[1]}}  {each.place}" for each in self
        )


def models(folder: str | Path | None = None) -> ListedModels:
    """List the models that `loupe.load` opens by name, or those in a folder of your choice.

    Each has a `name`, a `kind` and a `place`. Raises ValueError if the folder does not exist.
    """
    if folder is not None:
        path = Path(folder).expanduser()
        if not path.is_dir():
            raise ValueError(f"{folder} is not a folder")
        return ListedModels(list(_in_folder(path)))
    return ListedModels([each for source in SOURCES for each in source()])


def _shipped() -> Iterator[ListedModel]:
    """Yield the checkpoints shipped with Loupe."""
    yield from _in_folder(SHIPPED)


def _cached() -> Iterator[ListedModel]:
    """Yield the models in your Hugging Face cache."""
    for each in cached():
        yield ListedModel(each.name, _kind_in(each.path / CONFIG), each.path)


SOURCES: list[Callable[[], Iterator[ListedModel]]] = [_shipped, _cached]
"""The functions that list models with a name."""


def _in_folder(folder: Path) -> Iterator[ListedModel]:
    for path in list_checkpoints(folder):
        try:
            yield ListedModel(path.name, read_info(path).title, path)
        except CheckpointError as error:
            yield ListedModel(path.name, f"cannot be read: {error}", path)
    for path in sorted(folder.glob(f"*/{CONFIG}")):
        yield ListedModel(path.parent.name, _kind_in(path), path.parent)


def _kind_in(config: Path) -> str:
    try:
        data = config.read_bytes()[:_MOST_CONFIG]
        return str(read_object(data, where=CONFIG).get("model_type", "unknown"))
    except (OSError, ValueError) as error:
        return f"cannot be read: {error}"
