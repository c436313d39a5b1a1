"""Makes the shards of an atlas on a Ray cluster: actors read and write their own shards.

Only `--ray` needs Ray; no page starts it.
"""

import os
import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from viz.corpus.inputs import Portion
from viz.corpus.shards import Outcome
from viz.corpus.work import Engine, Maker, Order

HERE = "local"
"""An address that means a cluster on this machine, which ends with the work."""


class RayMissingError(RuntimeError):
    """Ray is missing or cannot be reached; the message says what would help."""


def on_ray(address: str, workers: int) -> Engine:
    """Make shards with Ray Data on the cluster at an address, `workers` at a time."""

    def engine(order: Order, portions: Iterable[Portion]) -> Iterator[Outcome]:
        told = pickle.dumps(order)
        waiting = [{"order": told, "portion": pickle.dumps(portion)} for portion in portions]
        if not waiting:
            return
        ray = _ray()
        _connect(ray, address, workers)
        try:
            ray.data.DataContext.get_current().enable_progress_bars = False
            found = ray.data.from_items(waiting, override_num_blocks=min(len(waiting), 200))
            made = found.map_batches(
                _Actor,
                batch_size=1,
                compute=ray.data.ActorPoolStrategy(size=min(workers, len(waiting))),
                num_cpus=1,
            )
            for row in made.iter_rows():
                yield pickle.loads(row["outcome"])
        finally:
            ray.shutdown()

    return engine


class _Actor:
    """Makes the shards that it receives as rows.

    The order comes with each row. As an argument of the actor, it would be lost with the process
    that started the actor, and the actor could not be started again.
    """

    def __init__(self) -> None:
        self._maker: Maker | None = None

    def __call__(self, rows: dict[str, Any]) -> dict[str, Any]:
        maker = self._maker = self._maker or Maker(pickle.loads(rows["order"][0]))
        made = [pickle.dumps(maker(pickle.loads(portion))) for portion in rows["portion"]]
        return {"outcome": np.array(made, object)}


def _ray() -> Any:  # noqa: ANN401 - a module that may be missing
    try:
        import ray  # pyright: ignore[reportMissingImports]
        import ray.data  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise RayMissingError(
            "--ray needs Ray, which is not installed here: pip install 'ray[data]==2.60.0'"
        ) from error
    return ray


def _connect(ray: Any, address: str, workers: int) -> None:  # noqa: ANN401
    """Connect to a cluster whose machines have this folder at the same path, or start one here."""
    home = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    options: dict[str, Any] = {
        "log_to_driver": False,
        "runtime_env": {"env_vars": {"PYTHONPATH": path}},
    }
    if address == HERE:
        options |= {"num_cpus": workers + 1, "include_dashboard": False}
    try:
        ray.init(address=address, **options)
    except Exception as error:  # Ray raises many types if no cluster answers
        raise RayMissingError(
            f"a Ray cluster could not be {'started' if address == HERE else 'reached'} at "
            f"{address!r}: {error}. Without --ray, processes on this machine make the same shards."
        ) from error
