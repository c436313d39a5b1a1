"""Make an atlas: measure every head of a model over many sentences.

python -m viz.corpus everyday-paper-0 --sentences 10000 --out atlas
python -m viz.corpus everyday-paper-0 --sentences 100000 --out atlas --workers 2
python -m viz.corpus FOLDER_OF_A_MODEL --input texts/*.txt --out s3://bucket/atlas
"""

import argparse
import importlib.metadata
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from model.config import TransformerConfig
from model.devices import find_device
from model.foreign.hub.cache import find_cached, origin_of
from model.foreign.hub.names import is_repo, read_name
from model.foreign.opening import describe_model, identity
from viz.corpus.atlas import Atlas
from viz.corpus.cluster import HERE, RayMissingError, on_ray
from viz.corpus.compaction import compact
from viz.corpus.inputs import Drawn, Files, Portion
from viz.corpus.intervals import Estimate
from viz.corpus.scores import score
from viz.corpus.shards import Manifest, Outcome, check_same, sum_up
from viz.corpus.store import Store
from viz.corpus.tables import FORMAT, Origin
from viz.corpus.work import Engine, Order, in_a_loop, in_processes
from viz.heads.jobs import job_names
from viz.run.version import version

CHECKPOINTS = Path(__file__).parents[2] / "sample_data" / "checkpoints"
_HEADS = 48_000
"""Heads times sentences of a shard: limits its memory, and the work lost if it is interrupted."""
_LEAST = 100
_SENTENCES = 10_000
_SUMMED_UP_S = 20.0
"""Seconds between two updates of the sums, so that pages can show shards before the end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status: 1 if a shard failed, 130 if interrupted."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        path = _checkpoint(options.checkpoint)
        info, sha256 = describe_model(path), identity(path)
        engine = _engine(options)
        device = str(find_device(options.device))
        options.shard = options.shard or _usual_shard(info.config)
        chosen = _chosen(options, info.task, translates=info.config.has_cross_attention)
        origin = Origin(
            format=FORMAT,
            checkpoint=atlas_name(path),
            sha256=sha256,
            task=info.task,
            drawn=chosen.name,
            shard=options.shard,
            decimals=options.decimals,
            jobs=job_names(info),
            versions=_versions() | {"device": device},
            cuts=options.cuts,
        )
        folder = Store.at(options.out) / atlas_name(path)
        order = Order(path, folder, origin, device, facts=not options.only_sums)
        done = check_same(folder, origin)
        status = make(order, done, list(chosen.portions()), engine)
        if options.compact:
            _say(f"{compact(folder)} files by head")
        return status
    except (RayMissingError, ImportError, ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        _say("stopped; finished shards are kept, and the same command continues from there")
        return 130


def make(order: Order, done: Manifest, portions: Sequence[Portion], engine: Engine) -> int:
    """Make the missing shards, and print the progress; return the exit status."""
    left = [portion for portion in portions if done.lacks(portion)]
    if there := len(portions) - len(left):
        _say(f"{there} of {len(portions)} shards are already there")
    started = summed_up = time.monotonic()
    sentences, left_out, failed = 0, 0, list[int]()
    made: list[Outcome] = []
    try:
        for outcome in engine(order, left):
            if outcome.failed:
                failed.append(outcome.shard)
                _say(f"shard {outcome.shard} failed: {outcome.failed}")
                continue
            made.append(outcome)
            sentences += outcome.sentences
            left_out += outcome.left_out
            rate = sentences / max(time.monotonic() - started, 1e-3)
            told = f"{sentences:,} sentences, {rate:,.0f} a second"
            _say(f"shard {outcome.shard} of {len(portions)}: {told}")
            if time.monotonic() - summed_up > _SUMMED_UP_S:
                done, made = sum_up(order.folder, done, made), []
                summed_up = time.monotonic()
    finally:
        if made:
            done = sum_up(order.folder, done, made)
    _say(f"{order.folder}: {done.sentences:,} sentences in {len(done.shards)} shards")
    if left_out:
        _say(f"{left_out:,} texts left out: they have no tokens, or too many for this model")
    if done.sentences:
        _tell_scores(Atlas(order.folder))
    if failed:
        _say(f"failed: shard {', '.join(map(str, sorted(failed)))}; the same command tries again")
    return 1 if failed else 0


def _tell_scores(atlas: Atlas) -> None:
    """Print the scores of the model over the sentences unseen in training, or else over all."""
    unseen = score(atlas)
    found = unseen or score(atlas, held_out=False)
    if found is None:
        return
    said = f"{found.right.value:.2%} right {_range(found.right, '.2%')}"
    said += f", {found.loss.value:.4f} nats per token {_range(found.loss, '.4f')}"
    if found.aligned and found.best:
        layer, head = found.best
        said += f", cross-attention L{layer} H{head} reads the aligned token in "
        said += f"{found.aligned.value:.2%} of the rows {_range(found.aligned, '.2%')}"
    which = "sentences unseen in training" if unseen else "sentences"
    _say(f"{found.right.count:,} {which}: {said}")


def _range(estimate: Estimate, form: str) -> str:
    return f"({estimate.low:{form}} to {estimate.high:{form}})"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=os.environ.get("LOUPE_COMMAND", "python -m viz.corpus"),
        description="Make an atlas: measure every head of a model over many sentences.",
    )
    parser.add_argument(
        "checkpoint", help="a model: the name of a shipped checkpoint, a file, or a folder"
    )
    parser.add_argument(
        "--sentences", type=int, help=f"how many ({_SENTENCES}; with --input, all of them)"
    )
    parser.add_argument(
        "--out",
        required=True,
        help="folder of atlases, local or s3://, gs://; each atlas gets a subfolder",
    )
    parser.add_argument("--held-out", action="store_true", help="only sentences unseen in training")
    parser.add_argument(
        "--input",
        nargs="+",
        metavar="PLACE",
        help="your own sentences: files or folders, local or s3://, gs://; .tsv with lines "
        "source<TAB>target, .txt with one text per line, .jsonl or .parquet",
    )
    parser.add_argument(
        "--columns",
        type=lambda text: tuple(text.split(",")),
        help="columns of .jsonl and .parquet files (source,target; for one text: text)",
    )
    parser.add_argument("--workers", type=int, default=1, help="processes (1)")
    parser.add_argument("--device", default="cpu", help="device: cpu, cuda, ... (cpu)")
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help=f"run on a Ray cluster; {HERE!r} starts one on this machine",
    )
    parser.add_argument(
        "--shard", type=int, help="sentences per shard (2000 for a model with 24 heads)"
    )
    parser.add_argument(
        "--decimals", type=int, help="round weights and metrics: smaller files (not rounded)"
    )
    parser.add_argument(
        "--cuts",
        action="store_true",
        help="also run the model without each head in turn: about thirty times as slow",
    )
    parser.add_argument(
        "--only-sums",
        action="store_true",
        help="keep only what the pages need, not the results of each head in each sentence",
    )
    parser.add_argument(
        "--compact",
        action="store_true",
        help="at the end, sort the results into large files by head",
    )
    return parser


def _chosen(options: argparse.Namespace, task: str, *, translates: bool) -> Drawn | Files:
    """Return the sentences that the options ask for."""
    count = options.sentences
    if count is not None and count < 1:
        raise ValueError(f"--sentences must be at least 1, got {count}")
    if options.input:
        usual = ("source", "target") if translates else ("text",)
        columns = options.columns or usual
        if len(columns) != len(usual):
            raise ValueError(f"--columns must name {' and '.join(usual)} for this model")
        return Files(tuple(options.input), columns, options.shard, count)
    return Drawn(task, count or _SENTENCES, options.shard, held_out=options.held_out)


def _engine(options: argparse.Namespace) -> Engine:
    if options.workers < 1 or (options.shard is not None and options.shard < 1):
        raise ValueError("--workers and --shard must be at least 1")
    if options.ray:
        if options.device != "cpu":
            raise ValueError("--device cannot be used with --ray, which computes on CPUs")
        return on_ray(options.ray, options.workers)
    return in_a_loop if options.workers == 1 else in_processes(options.workers)


def _usual_shard(config: TransformerConfig) -> int:
    layers = config.n_encoder_layers + config.n_decoder_layers * (1 + config.has_cross_attention)
    return max(_LEAST, _HEADS // (layers * config.n_heads))


def _checkpoint(named: str) -> Path:
    path = Path(named)
    shipped = CHECKPOINTS / named
    if path.name == named and shipped.with_name(f"{named}.json").exists():
        return shipped
    # A name that looks like a file is not sought elsewhere, so a typing error is reported as usual.
    if path.exists() or path.with_name(f"{path.name}.json").exists() or not is_repo(named):
        return path.resolve()
    return find_cached(read_name(named)).path


def atlas_name(path: Path) -> str:
    """Return the name of a checkpoint's atlas; `org--name` for a model of the Hub."""
    origin = origin_of(path)
    return origin.repo.replace("/", "--") if origin else path.name


def _versions() -> dict[str, str]:
    packages = {name: importlib.metadata.version(name) for name in ("torch", "numpy", "pyarrow")}
    return {"loupe": version(), "python": platform.python_version(), **packages}


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
