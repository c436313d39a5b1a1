import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.training.loop import Progress, Trainer
from sample_data.train import main

SIZES = ["--d-model", "16", "--heads", "2", "--d-ff", "16", "--layers", "1", "--batch-size", "16"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Write lines such as "a b c" and "c b a", with their alignments."""
    letters = "abcdef"
    lines = [
        f"{x} {y} {z}\t{z} {y} {x}\t0-2 1-1 2-0" for x in letters for y in letters for z in letters
    ]
    path = tmp_path / "letters.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


def options(corpus: Path, out: Path, *more: str) -> list[str]:
    return [str(corpus), "--out", str(out), *SIZES, "--warmup", "20", *more]


def rows_by_token(out: Path) -> dict[str, dict[str, torch.Tensor]]:
    """Return the row of each token in each embedding table."""
    checkpoint = load_checkpoint(out)
    tensors, tokenizers = checkpoint.model.state_dict(), checkpoint.info.tokenizers
    sides = {"source_embedding": tokenizers.source, "target_embedding": tokenizers.target}
    return {
        table: {token: tensors[f"{table}.weight"][i] for token, i in side.vocabulary.items()}
        for table, side in {**sides, "generator": tokenizers.target}.items()
    }


def test_a_start_from_another_model_takes_rows_by_token_and_what_else_agrees(
    corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    assert main(options(corpus, tmp_path, "--steps", "20", "--name", "first")) == 0
    with corpus.open("a") as file:
        file.writelines(f"a {x} zz\t{'zz ' * 50}{x} a\n" for x in "abcdef")
    start = ("--start-from", str(tmp_path / "first"), "--seed", "7", "--factor", "1e-9")
    second = ["--name", "second", "--set", "tying=none", "--set", "scale_embeddings=false"]
    second = options(corpus, tmp_path, *second, "--set", "d_ff=24", "--steps", "1", *start)
    capfd.readouterr()
    assert main(second) == 0
    said = capfd.readouterr().err
    # Letters and special tokens; three tensors of each feed-forward network have size d_ff.
    assert "first: 10 of 11 tokens of source_embedding.weight, 10 of 11 tokens of target" in said
    assert "36 of 42 other tensors" in said
    info = load_checkpoint(tmp_path / "second").info
    assert info.training["start_from"] == "first"
    old, new = rows_by_token(tmp_path / "first"), rows_by_token(tmp_path / "second")
    assert next(iter(new["generator"])) == "zz"  # the ids differ
    for table, ratio in zip(new, (4, 4, 1), strict=True):  # sqrt(d_model) = 4
        for letter in "abcdef":
            torch.testing.assert_close(
                new[table][letter], ratio * old[table][letter], rtol=2e-3, atol=1e-5
            )


def test_a_resumed_training_does_not_start_from_another_again(
    corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    assert main(options(corpus, tmp_path, "--steps", "2", "--name", "first")) == 0
    start = ("--start-from", str(tmp_path / "first"))
    begun = options(corpus, tmp_path, "--name", "second", "--steps", "2")
    assert main([*begun, *start]) == 0
    before = load_checkpoint(tmp_path / "second").model.state_dict()
    capfd.readouterr()
    assert main([*begun, *start, "--resume"]) == 0  # no steps are left
    assert "started from" not in capfd.readouterr().err
    again = load_checkpoint(tmp_path / "second")
    assert again.info.training["start_from"] == "first"
    assert all(torch.equal(before[name], t) for name, t in again.model.state_dict().items())
    assert main([*begun, "--resume"]) == 2
    assert "had start_from 'first', this one has None" in capfd.readouterr().err


@pytest.mark.slow
def test_a_file_in_a_checkpoint_out(
    corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    with corpus.open("a") as file:
        file.write("a " * 15_000 + "\ta b\n")  # a line of a book
    arguments = options(corpus, tmp_path / "out", "--steps", "40", "--snapshot-every", "20")
    assert main([*arguments, "--variant", "prenorm", "--set", "n_decoder_layers=2"]) == 0

    names = sorted(path.stem for path in (tmp_path / "out").glob("letters*.json"))
    assert [n for n in names if "state" not in n] == [
        "letters-prenorm",
        "letters-prenorm-000000",
        "letters-prenorm-000020",
        "letters-prenorm-000040",
    ]
    checkpoint = load_checkpoint(tmp_path / "out" / "letters-prenorm")
    info = checkpoint.info
    assert info.variant == "prenorm"
    assert info.config.n_decoder_layers == 2
    assert info.training["step"] == 40
    assert len(info.training["losses"]) == 4
    assert info.training["losses"][-1] < info.training["losses"][0]
    assert info.scores["sentences"] > 5
    assert info.scores["best_head"]["all_tokens"] >= 0
    assert info.tokenizers.source.vocabulary.keys() == set("abcdef")
    said = capfd.readouterr().err
    assert "1 left out as longer than 128 tokens" in said
    assert "held-out exact match" in said


def weights(out: Path) -> dict[str, torch.Tensor]:
    return load_checkpoint(out / "letters-paper").model.state_dict()


@pytest.mark.slow
def test_killed_or_interrupted_and_resumed_it_ends_at_the_same_weights(
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    steps = ("--steps", "40", "--evaluate-every", "0", "--save-every", "10")
    step = Trainer.step

    def train(out: Path, stop: Callable[[], object] | None = None, *more: str) -> int:
        def stopping(self: Trainer) -> Progress:
            progress = step(self)
            if stop and progress.step == 27:
                stop()
            return progress

        monkeypatch.setattr(Trainer, "step", stopping)
        return main([*options(corpus, tmp_path / out, *steps), *more])

    with pytest.raises(ZeroDivisionError):  # as if killed: nothing is written
        train(Path("killed"), lambda: 1 / 0)
    assert train(Path("stopped"), lambda: signal.raise_signal(signal.SIGINT)) == 130
    assert "the same command with --resume continues" in capsys.readouterr().err
    assert train(Path("whole")) == 0
    for out, kept in (("killed", 20), ("stopped", 27)):
        record = json.loads((tmp_path / out / "letters-paper.state.json").read_text())
        assert len(record["losses"]) == kept
        assert train(Path(out), None, "--resume") == 0
        for name, tensor in weights(tmp_path / out).items():
            assert torch.equal(tensor, weights(tmp_path / "whole")[name]), name


@pytest.mark.parametrize(
    ("variant", "tying", "named"), [("paper", "none", "custom"), ("addnorm", "all", "custom")]
)
def test_the_tokenizers_share_ids_where_the_embeddings_are_tied(
    corpus: Path, tmp_path: Path, variant: str, tying: str, named: str
):
    out = tmp_path / "out"
    tied = ("--variant", variant, "--set", f"tying={tying}", "--steps", "1")
    assert main(options(corpus, out, *tied)) == 0
    info = load_checkpoint(out / f"letters-{named}").info
    assert info.variant == named
    assert info.config.tying == tying
    assert info.tokenizers.shared == (tying == "all")


@pytest.mark.slow
def test_says_what_is_wrong(corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    def error(*arguments: str) -> str:
        assert main([*arguments]) == 2
        return capfd.readouterr().err

    assert "neither a file nor one of everyday, digits" in error("nowhere.tsv")
    assert "d_model must be divisible by n_heads" in error(
        *options(corpus, tmp_path, "--heads", "3")
    )
    assert "--set wants FIELD=JSON, got 'dropout'" in error(
        *options(corpus, tmp_path, "--set", "dropout")
    )
    assert "nothing to resume" in error(*options(corpus, tmp_path, "--resume"))
    assert "use more --words" in error(*options(corpus, tmp_path), "--words", "0")
    with corpus.open("a") as file:
        file.writelines(f"a b {x}{y}\t{x}{y} b a\n" for x in "abcdef" for y in "abcdef")
    few = [*options(corpus, tmp_path, "--steps", "1", "--name", "few"), "--words", "3"]
    assert main(few) == 0
    assert len(load_checkpoint(tmp_path / "few").info.tokenizers.source.vocabulary) == 3
    broken = tmp_path / "broken.tsv"
    broken.write_text("only one field\n")
    assert "broken.tsv" in error(*options(broken, tmp_path))


def test_another_training_cannot_be_resumed(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(options(corpus, tmp_path, "--steps", "2")) == 0
    assert main([*options(corpus, tmp_path, "--steps", "4", "--seed", "7"), "--resume"]) == 2
    assert "had seed 0, this one has 7" in capsys.readouterr().err
    assert main([*options(corpus, tmp_path, "--steps", "4"), "--resume"]) == 0


def test_a_finished_checkpoint_is_replaced_only_where_that_is_asked_for(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    arguments = options(corpus, tmp_path, "--steps", "1")
    assert main(arguments) == 0
    files = [tmp_path / f"letters-paper{suffix}" for suffix in (".json", ".safetensors")]
    before = [file.read_bytes() for file in files]
    capsys.readouterr()
    assert main([*arguments, "--seed", "7"]) == 2
    said = capsys.readouterr().err
    assert "letters-paper.safetensors already exists: --overwrite trains a new model" in said
    assert [file.read_bytes() for file in files] == before
    assert main([*arguments, "--seed", "7", "--name", "other"]) == 0
    assert main([*arguments, "--seed", "7", "--overwrite"]) == 0
    assert files[1].read_bytes() == (tmp_path / "other.safetensors").read_bytes() != before[1]
    with pytest.raises(SystemExit):
        main([*arguments, "--resume", "--overwrite"])


def test_two_trainings_of_one_name_do_not_share_a_folder(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / ".letters-paper.lock").write_text(str(os.getppid()))
    assert main(options(corpus, tmp_path, "--steps", "1")) == 2
    assert f".letters-paper.lock is held by process {os.getppid()}" in capsys.readouterr().err
    assert main(options(corpus, tmp_path, "--steps", "1", "--name", "other")) == 0
    assert not (tmp_path / ".other.lock").exists()


def test_a_corpus_of_which_nothing_fits_is_refused_before_it_is_trained_on(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    lines = corpus.read_text().splitlines()
    long = [f"{line.split(chr(9))[0]} a b c\ta b c" for line in lines]
    corpus.write_text("\n".join(long) + "\n")
    out = tmp_path / "out"
    assert main(options(corpus, out, "--steps", "1", "--max-tokens", "4")) == 2
    said = capsys.readouterr().err
    assert "--max-tokens 4 leaves out all" in said
    assert "the shortest has 7 tokens, so --max-tokens must be at least 7" in said
    assert list(out.iterdir()) == []
    assert main(options(corpus, out, "--steps", "1", "--max-tokens", "7")) == 0
