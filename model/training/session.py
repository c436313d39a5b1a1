"""One training on disk: its steps, its record, and the files that it writes and resumes from."""

import dataclasses
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from tqdm import tqdm

from model.checkpoints.checkpoint import save_checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.files.durable import write_whole
from model.text.corpus import Example
from model.text.text_corpus import TextExample
from model.training.evaluation import Evaluation, evaluate
from model.training.loop import Trainer, is_stuck
from model.training.text_evaluation import TextEvaluation, evaluate_texts
from model.transformer import count_parameters

HISTORY_EVERY = 10
"""The number of steps between two points of the loss curve; each is the mean of these steps."""
EVALUATED = 200
"""The number of held-out sentences scored during training; all are scored at its end."""
_AHEAD = ("steps", "cooldown")
"""The settings of a recipe that affect only later steps, and may change when resuming."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Intervals:
    """The numbers of steps between events; 0 for never."""

    evaluate: int = 500
    snapshot: int = 0
    save: int = 200


class TrainingSession:
    """A trainer, its record so far, and its folder."""

    def __init__(
        self,
        trainer: Trainer,
        info: CheckpointInfo,
        folder: Path,
        held_out: Sequence[Example] | Sequence[TextExample],
    ) -> None:
        self.trainer = trainer
        self.info = info
        self.folder = folder
        self.held_out = held_out
        self.losses: list[float] = []
        self.exact_matches: list[tuple[int, float]] = []
        """Pairs of a step and the share that was correct then, of sentences or of known words."""

    @property
    def state_path(self) -> Path:
        """The path of the state, next to a JSON file of the same name."""
        return self.folder / f"{self.info.name}.state"

    def save_state(self) -> None:
        """Write everything needed to resume, the record first, as resuming cuts extra entries."""
        record = {
            **self._identity(),
            "losses": self.losses,
            "exact_matches": self.exact_matches,
        }
        path = self.state_path.with_suffix(".state.json")
        write_whole({path: json.dumps(record).encode()})
        self.trainer.save(self.state_path.with_suffix(".state.safetensors"))

    def load_state(self) -> None:
        """Resume from the state that `save_state` wrote.

        Raises ValueError if there is none, or if it belongs to another training.
        """
        path = self.state_path.with_suffix(".state.json")
        if not path.exists():
            raise ValueError(f"there is nothing to resume: {path} does not exist")
        record = json.loads(path.read_text("utf-8"))
        for part, values in self._identity().items():
            for name, value in values.items():
                if name not in _AHEAD and record[part].get(name) != value:
                    raise ValueError(
                        f"the training to resume had {name} {record[part].get(name)!r}, "
                        f"this one has {value!r}: give the same options, or omit --resume"
                    )
        self.trainer.load(self.state_path.with_suffix(".state.safetensors"))
        done = self.trainer.step_count
        self.losses = record["losses"][:done]
        self.exact_matches = [(step, e) for step, e in record["exact_matches"] if step <= done]

    def _identity(self) -> dict[str, dict[str, Any]]:
        """Return the settings that identify this training."""
        return {
            "config": self.info.config.to_dict(),
            "recipe": {
                **dataclasses.asdict(self.trainer.recipe),
                "start_from": self.info.training.get("start_from"),
            },
        }

    def evaluate(self, limit: int | None = None) -> Evaluation | TextEvaluation:
        """Score the model on held-out sentences, all or the first ones."""
        chosen, model = self.held_out[:limit], self.trainer.model
        if texts := [example for example in chosen if isinstance(example, TextExample)]:
            return evaluate_texts(model, texts)
        return evaluate(model, [example for example in chosen if isinstance(example, Example)])

    def write_checkpoint(self, name: str, scores: Evaluation | TextEvaluation) -> None:
        """Write the current model."""
        step = self.trainer.step_count
        history = [
            round(sum(window) / len(window), 4)
            for start in range(0, step, HISTORY_EVERY)
            if (window := self.losses[start : start + HISTORY_EVERY])
        ]
        training = {
            **self.info.training,
            **dataclasses.asdict(self.trainer.recipe),
            "step": step,
            "parameters": count_parameters(self.trainer.model),
            "loss_every": HISTORY_EVERY,
            "losses": history,
            "exact_matches": self.exact_matches,
        }
        info = dataclasses.replace(self.info, name=name, training=training, scores=scores.to_dict())
        save_checkpoint(self.folder / name, self.trainer.model, info)

    def write_snapshot(self, every: Intervals) -> None:
        """Write a checkpoint named after the step, if one is due."""
        step = self.trainer.step_count
        if every.snapshot and step % every.snapshot == 0:
            self.write_checkpoint(f"{self.info.name}-{step:06d}", self.evaluate(EVALUATED))

    def run(self, every: Intervals, unigram: float | None) -> bool:
        """Take the remaining steps; return whether all were taken before Ctrl-C.

        If `unigram` is given, a warning is printed if the loss stays at it. Omit it for single
        texts, because their loss stays there for long before they are learned.
        """
        trainer, steps = self.trainer, self.trainer.recipe.steps
        warned = False
        bar = tqdm(total=steps, initial=trainer.step_count, unit="step", disable=None)
        with bar, Interrupt() as interrupt:
            if trainer.step_count == 0:
                self.write_snapshot(every)
            while trainer.step_count < steps and not interrupt.asked:
                progress = trainer.step()
                self.losses.append(progress.loss)
                if every.evaluate and progress.step % every.evaluate == 0:
                    exact = self.evaluate(EVALUATED).right
                    self.exact_matches.append((progress.step, exact))
                    if bar.disable:  # there is no terminal for a bar
                        say(f"step {progress.step}: loss {progress.loss:.3f}, exact {exact:.3f}")
                if progress.step % HISTORY_EVERY == 0:
                    exact = f"{self.exact_matches[-1][1]:.3f}" if self.exact_matches else "-"
                    rate = f"{progress.learning_rate:.5f}"
                    bar.set_postfix(loss=f"{progress.loss:.3f}", rate=rate, exact=exact)
                bar.update()
                if unigram and not warned and is_stuck(self.losses, trainer.recipe, unigram):
                    warned = True
                    say(
                        f"warning: after {progress.step} steps the loss is {progress.loss:.2f}, "
                        "that of a model which knows only how frequent tokens are "
                        f"({unigram:.2f}): try a lower --factor or a longer --warmup"
                    )
                self.write_snapshot(every)
                if every.save and progress.step % every.save == 0:
                    self.save_state()
        self.save_state()
        return trainer.step_count >= steps


class Interrupt:
    """Turns the first Ctrl-C into a request to stop after the step; a second one stops at once."""

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> "Interrupt":
        self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            signal.default_int_handler(number, frame)
        self.asked = True


def say(text: str) -> None:
    """Write to the terminal without breaking the bar."""
    tqdm.write(text, file=sys.stderr)
