"""The command line of training: `python -m sample_data.train everyday --variant paper`."""

import argparse
import dataclasses
import functools
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.checkpoints.checkpoint_files import read_info
from model.checkpoints.metadata import CheckpointInfo
from model.devices import find_device
from model.files.lock import locked
from model.presets import PRESETS, preset, variant_name
from model.text.text_corpus import TextExample
from model.text.tokenizer import TokenizerKind
from model.training.loop import Recipe, Trainer, concerns, new_model, unigram_loss
from model.training.session import Intervals, TrainingSession, say
from model.training.text_evaluation import TextEvaluation
from model.training.warm_start import take_weights
from model.transformer import Transformer, count_parameters
from sample_data.one_text.tasks import TEXT_TASKS, TextTask
from sample_data.one_text.training import describe_text, text_examples
from sample_data.tasks import TASKS
from sample_data.training_corpus import Corpus, encode_short, load_corpus, train_tokenizers


def main(arguments: Sequence[str] | None = None) -> int:
    """Train by the arguments; return the exit status."""
    args = make_parser().parse_args(arguments)
    torch.set_num_threads(args.threads)
    try:
        return _train(args)
    except (ValueError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    except KeyboardInterrupt:  # between the steps, everything to save is saved already
        say("stopped; if any step was taken, the same command with --resume continues")
        return 130


def make_parser() -> argparse.ArgumentParser:
    """Describe the options."""
    parser = argparse.ArgumentParser(
        prog="python -m sample_data.train",
        description="Train a small transformer on parallel text, or on single texts of a task.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add: Callable[..., Any] = parser.add_argument
    add(
        "corpus",
        help=f"one of {', '.join(TASKS)}; or a file of lines source<TAB>target[<TAB>alignment], "
        f"the alignment in Pharaoh format; or a task of single texts: {', '.join(TEXT_TASKS)}",
    )
    add("--out", type=Path, default=Path("runs"), help="folder for the checkpoint and its state")
    add("--name", help="name of the checkpoint; default: corpus and variant")
    add("--title", help="title shown to people")
    add("--variant", choices=PRESETS, default="paper")
    add(
        "--layers",
        type=int,
        default=2,
        help="layers of the encoder and of the decoder; for single texts, of the only stack",
    )
    add("--d-model", type=int, default=64)
    add("--heads", type=int, default=4)
    add("--d-ff", type=int, default=256)
    add(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=JSON",
        help='any other field of the config, such as n_decoder_layers=3 or positions="learned"; '
        "a model that computes something other than its variant is called custom",
    )
    add(
        "--tokenizer",
        choices=get_args(TokenizerKind),
        help="default: that of the task, otherwise word",
    )
    add("--bpe-size", type=int, default=400, help="pieces of a BPE tokenizer")
    add(
        "--pairs",
        type=int,
        help="number of training pairs or texts from a task; default: that of the task",
    )
    add(
        "--words",
        type=int,
        metavar="N",
        help="keep only pairs whose source consists of the N most frequent training words",
    )
    add(
        "--start-from",
        type=Path,
        metavar="CHECKPOINT",
        help="begin with the checkpoint's tensors of the same name and shape; match tokens by text",
    )
    add("--max-tokens", type=int, default=128, help="leave out longer sentences")
    for field in dataclasses.fields(Recipe):
        flag = f"--{field.name.replace('_', '-')}"
        add(flag, type=type(field.default), default=field.default)
    add("--device", default="cpu", help="cpu, cuda, or cuda:N")
    add("--threads", type=int, default=1, help="threads of the process; 1 is best for small models")
    add(
        "--evaluate-every",
        type=int,
        default=500,
        metavar="STEPS",
        help="0 evaluates only at the end",
    )
    add(
        "--snapshot-every",
        type=int,
        default=0,
        metavar="STEPS",
        help="how often to keep a checkpoint",
    )
    add("--save-every", type=int, default=200, metavar="STEPS", help="how often to save the state")
    before = parser.add_mutually_exclusive_group()
    before.add_argument("--resume", action="store_true", help="continue an interrupted training")
    before.add_argument(
        "--overwrite", action="store_true", help="replace a finished checkpoint of the same name"
    )
    return parser


def read_overrides(args: argparse.Namespace) -> dict[str, Any]:
    """Read the config fields that the arguments set."""
    overrides: dict[str, Any] = {
        "d_model": args.d_model,
        "d_ff": args.d_ff,
        "n_heads": args.heads,
    }
    if args.corpus not in TEXT_TASKS:
        overrides |= {"n_encoder_layers": args.layers, "n_decoder_layers": args.layers}
    for setting in args.set:
        name, equals, value = setting.partition("=")
        if not equals:
            raise ValueError(f"--set wants FIELD=JSON, got {setting!r}")
        try:
            overrides[name] = json.loads(value)
        except json.JSONDecodeError:
            overrides[name] = float(value) if value == "-inf" else value
    if "dropout_at" in overrides:
        overrides["dropout_at"] = tuple(overrides["dropout_at"])
    return overrides


def _train(args: argparse.Namespace) -> int:
    recipe = Recipe(**{f.name: getattr(args, f.name) for f in dataclasses.fields(Recipe)})
    task = TEXT_TASKS.get(args.corpus)
    corpus = None
    if task:
        _refuse_what_pairs_need(args)
        info = describe_text(task, args.layers, read_overrides(args), args.name, args.title)
    else:
        corpus, info = describe(args)
    if args.start_from:
        began = {"start_from": read_info(args.start_from).name}
        info = dataclasses.replace(info, training=began)
    args.out.mkdir(parents=True, exist_ok=True)
    with locked(args.out / f".{info.name}.lock"):
        if not (args.resume or args.overwrite):
            _refuse_to_replace(args.out / info.name)
        if corpus:
            session, left_out = prepare(args, corpus, info, recipe)
        else:
            session, left_out = prepare_texts(args, TEXT_TASKS[info.task], info, recipe), 0
        return _run(args, session, left_out)


def describe(args: argparse.Namespace) -> tuple[Corpus, CheckpointInfo]:
    """Read the corpus, and describe the training on it."""
    make_config = functools.partial(preset, args.variant, **read_overrides(args))
    # Two equal sizes suffice to make a config, and the tokenizers ask only for tying.
    tying = make_config(source_vocab_size=2, target_vocab_size=2).tying
    corpus = load_corpus(args.corpus, tokenizer=args.tokenizer, pairs=args.pairs, words=args.words)
    tokenizers = train_tokenizers(corpus, shared=tying == "all", bpe_size=args.bpe_size)
    config = make_config(
        source_vocab_size=tokenizers.source.vocab_size,
        target_vocab_size=tokenizers.target.vocab_size,
    )
    variant = variant_name(config, args.variant)
    return corpus, CheckpointInfo(
        name=args.name or f"{corpus.name}-{variant}",
        title=args.title or f"{corpus.title}, {variant}",
        variant=variant,
        task=corpus.name,
        config=config,
        tokenizers=tokenizers,
    )


def prepare(
    args: argparse.Namespace, corpus: Corpus, info: CheckpointInfo, recipe: Recipe
) -> tuple[TrainingSession, int]:
    """Make the model and the examples; report how many training pairs are too long."""
    training = encode_short(corpus.training, "training", info.tokenizers, args.max_tokens)
    held_out = encode_short(
        corpus.held_out,
        "held-out",
        info.tokenizers,
        args.max_tokens,
        scored_words=corpus.scored_words,
        construction=corpus.construction,
    )
    model = _first_model(args, info, recipe)
    session = TrainingSession(Trainer(model, training, recipe), info, args.out, held_out)
    return session, len(corpus.training) - len(training)


def prepare_texts(
    args: argparse.Namespace, task: TextTask, info: CheckpointInfo, recipe: Recipe
) -> TrainingSession:
    """Make the model and the examples of a task of single texts."""
    training, held_out = text_examples(task, info.tokenizers, args.pairs)
    model = _first_model(args, info, recipe)
    return TrainingSession(Trainer(model, training, recipe), info, args.out, held_out)


def _first_model(args: argparse.Namespace, info: CheckpointInfo, recipe: Recipe) -> Transformer:
    model = new_model(info.config, recipe.seed)
    if args.start_from and not args.resume:
        say(take_weights(model, info.tokenizers, load_checkpoint(args.start_from)))
    return model.to(find_device(args.device))


def _refuse_what_pairs_need(args: argparse.Namespace) -> None:
    usual = make_parser().parse_args([args.corpus])
    for name in ("variant", "tokenizer", "words", "max_tokens", "bpe_size"):
        if getattr(args, name) != getattr(usual, name):
            raise ValueError(
                f"--{name.replace('_', '-')} is for pairs of texts; {args.corpus} has single "
                "texts, so describe its model by --layers, --heads, --d-model, --d-ff and --set"
            )


def _run(args: argparse.Namespace, session: TrainingSession, left_out: int) -> int:
    trainer, config = session.trainer, session.info.config
    training, recipe = trainer.batches.examples, trainer.recipe
    pairs = [example for example in training if not isinstance(example, TextExample)]
    say(
        f"{len(training):,} {'pairs' if pairs else 'texts'} to train on, "
        f"{len(session.held_out):,} held out"
        + (f", {left_out:,} left out as longer than {args.max_tokens} tokens" if left_out else "")
        + f"; {count_parameters(trainer.model):,} parameters"
    )
    for concern in concerns(config, recipe):
        say(f"warning: {concern}")
    if args.resume:
        session.load_state()
    every = Intervals(
        evaluate=args.evaluate_every, snapshot=args.snapshot_every, save=args.save_every
    )
    unigram = unigram_loss(pairs, recipe.label_smoothing, config) if pairs else None
    if not session.run(every, unigram):
        say(f"stopped after step {trainer.step_count}; the same command with --resume continues")
        return 130
    _finish(session)
    return 0


def _refuse_to_replace(path: Path) -> None:
    suffixes = (".safetensors", ".json")
    if found := [s for s in suffixes if path.with_name(path.name + s).exists()]:
        raise ValueError(
            f"{path}{found[0]} already exists: --overwrite trains a new model in its place, "
            "--resume with more --steps continues its training, and --name gives this one another "
            "name"
        )


def _finish(session: TrainingSession) -> None:
    """Score the trained model on all held-out pairs, and write its checkpoint."""
    scores = session.evaluate()
    session.exact_matches.append((session.trainer.step_count, scores.right))
    session.write_checkpoint(session.info.name, scores)
    if isinstance(scores, TextEvaluation):
        said = f"held-out words right {scores.right:.3f}"
        best = max(scores.heads, key=lambda head: head.looks)
        told = f", head L{best.layer} H{best.head} looks right with {best.looks:.3f}"
    else:
        said = f"held-out exact match {scores.exact_match:.3f}"
        best = scores.heads[0] if scores.heads else None
        told = f", best head L{best.layer} H{best.head} {best.all_tokens:.3f}" if best else ""
    say(f"{said}{told}; wrote {session.folder / session.info.name}.safetensors")


if __name__ == "__main__":
    sys.exit(main())
