"""Make an atlas: what every head of a checkpoint does over many sentences.

python -m viz.corpus everyday-paper-0 --sentences 10000 --out atlas
python -m viz.corpus everyday-paper-0 --sentences 100000 --out atlas --workers 2
"""

import argparse
import importlib.metadata
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from model.devices import find_device
from model.foreign.opening import describe_model, identity
from viz.corpus.cluster import HERE, RayMissingError, on_ray
from viz.corpus.scores import score
from viz.corpus.sentences import Drawn
from viz.corpus.shards import MOST_SHARDS, check_same, done_shards
from viz.corpus.tables import FORMAT, Origin
from viz.corpus.work import Engine, Order, in_a_loop, in_processes, missing
from viz.run.jobs import job_names
from viz.run.version import version

CHECKPOINTS = Path(__file__).parents[2] / "sample_data" / "checkpoints"
SHARD = 2_000
"""Sentences of a shard: all that is in memory, and the most that is lost when the work ends."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give its exit status: 1 where a shard failed, 130 where stopped."""
    parser = _parser()
    options = parser.parse_args(arguments)
    path = _checkpoint(options.checkpoint)
    try:
        info, sha256 = describe_model(path), identity(path)
        drawn = Drawn(info.task, options.sentences, options.held_out, options.pairs)
        origin = Origin(
            format=FORMAT,
            checkpoint=path.name,
            sha256=sha256,
            task=info.task,
            drawn=drawn.name,
            shard=options.shard,
            decimals=options.decimals,
            jobs=job_names(info),
            versions=_versions(),
            cuts=options.cuts,
        )
        if drawn.count > MOST_SHARDS * options.shard:
            least = -(-drawn.count // MOST_SHARDS)
            raise ValueError(f"--shard must be at least {least} for so many sentences")
        device = str(find_device(options.device))
        order = Order(path, options.out / path.name, origin, device)
        check_same(order.folder, origin)
        return make(order, drawn, _engine(options))
    except (RayMissingError, ImportError, ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        _say("stopped; what is done stays, and the same command goes on from there")
        return 130


def make(order: Order, drawn: Drawn, engine: Engine) -> int:
    """Make what is not there yet, and tell how it goes; give the exit status."""
    shards = -(-drawn.count // order.origin.shard)
    there = len(done_shards(order.folder))
    if there:
        _say(f"{there} of {shards} shards are there already")
    started, sentences, failed = time.monotonic(), 0, list[int]()
    for outcome in engine(order, missing(order, drawn.shards(order.origin.shard))):
        if outcome.failed:
            failed.append(outcome.shard)
            _say(f"shard {outcome.shard} failed: {outcome.failed}")
            continue
        sentences += outcome.sentences
        rate = sentences / max(time.monotonic() - started, 1e-3)
        _say(f"shard {outcome.shard} of {shards}: {sentences:,} sentences, {rate:,.0f} a second")
    done = done_shards(order.folder)
    _say(f"{order.folder}: {sum(done.values()):,} sentences in {len(done)} shards")
    _tell_scores(order.folder)
    if failed:
        _say(f"failed: shard {', '.join(map(str, sorted(failed)))}; the same command tries again")
    return 1 if failed else 0


def _tell_scores(folder: Path) -> None:
    """Print how good the checkpoint is over all sentences of its atlas unseen in training."""
    found = score(folder) if done_shards(folder) else None
    if found is None:
        return
    right, loss, aligned = found.right, found.loss, found.aligned
    said = f"{right.value:.2%} right ({right.low:.2%} to {right.high:.2%})"
    said += f", {loss.value:.4f} nats a token ({loss.low:.4f} to {loss.high:.4f})"
    layer, head = found.best
    said += f", cross-attention L{layer} H{head} reads what is aligned in {aligned.value:.2%}"
    said += f" of the rows ({aligned.low:.2%} to {aligned.high:.2%})"
    _say(f"{right.count:,} sentences that no training has seen: {said}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=os.environ.get("LOUPE_COMMAND", "python -m viz.corpus"),
        description="Make an atlas: what every head of a checkpoint does over many sentences.",
    )
    parser.add_argument("checkpoint", help="its name beside the sample data, or its path")
    parser.add_argument("--sentences", type=int, default=10_000, help="how many (10000)")
    parser.add_argument(
        "--out",
        type=_folder,
        required=True,
        help="folder of atlases; each has one of its own in it",
    )
    parser.add_argument("--held-out", action="store_true", help="only what no training has seen")
    parser.add_argument(
        "--pairs", type=Path, metavar="FILE", help="lines source<TAB>target of your own"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes (1)")
    parser.add_argument("--device", default="cpu", help="what runs the model: cpu, cuda, ... (cpu)")
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help=f"make it on a cluster of Ray; {HERE!r} starts one on this machine",
    )
    parser.add_argument("--shard", type=int, default=SHARD, help=f"sentences of a shard ({SHARD})")
    parser.add_argument(
        "--decimals", type=int, help="round weights and metrics: smaller files (not rounded)"
    )
    parser.add_argument(
        "--cuts",
        action="store_true",
        help="also what the model does without each head in turn: some thirty times as long",
    )
    return parser


def _folder(named: str) -> Path:
    if "://" in named:  # as a path it would be a folder of this one, called by the scheme
        raise argparse.ArgumentTypeError(f"must be a folder of this machine, got {named}")
    return Path(named)


def _engine(options: argparse.Namespace) -> Engine:
    if options.workers < 1 or options.shard < 1:
        raise ValueError("--workers and --shard must be at least 1")
    if options.ray:
        if options.device != "cpu":
            raise ValueError("--device is for a loop or processes; --ray computes on processors")
        return on_ray(options.ray, options.workers)
    return in_a_loop if options.workers == 1 else in_processes(options.workers)


def _checkpoint(named: str) -> Path:
    path = Path(named)
    shipped = CHECKPOINTS / named
    if path.name == named and shipped.with_name(f"{named}.json").exists():
        return shipped
    return path.resolve()


def _versions() -> dict[str, str]:
    packages = {name: importlib.metadata.version(name) for name in ("torch", "numpy", "pyarrow")}
    return {"loupe": version(), "python": platform.python_version(), **packages}


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
