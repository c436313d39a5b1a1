"""The expected run: the sentence read, written and traced by the reference."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from qa.audit.browser import ROOT
from qa.audit.reference.changes import read_changes
from qa.audit.reference.files import Array, Files, read_files
from qa.audit.reference.layers import log_softmax
from qa.audit.reference.transformer import Pass, Reference
from qa.audit.reference.words import END, START, UNKNOWN, Words

CHECKPOINTS = ROOT / "sample_data" / "checkpoints"
_MOST_WRITTEN = 64
_MOST_CONTINUED = 16
_MOST = 512


@dataclass(frozen=True)
class State:
    """The state in view: everything that an address says of a run."""

    checkpoint: str
    source: str = ""
    target: str = ""
    changes: str = ""
    """The changes as in the link."""
    folder: Path = CHECKPOINTS

    def query(self, **more: object) -> dict[str, str]:
        """Return the parameters of the address."""
        named = {"checkpoint": self.checkpoint, "source": self.source, "target": self.target}
        named["edits"] = self.changes
        return {k: str(v) for k, v in (named | more).items() if v not in ("", None)}

    def __str__(self) -> str:
        parts = [self.checkpoint, f"“{self.source}”" if self.source else "its own sentence"]
        parts += [f"target “{self.target}”"] if self.target else []
        parts += [self.changes] if self.changes else []
        return ", ".join(parts)


class Truth:
    """The reference's run of a state."""

    def __init__(
        self, files: Files, state: State, begins: Sequence[int] = (), *, whole: bool = False
    ) -> None:
        """`begins` are the first ids of the text; for a given text, all of them."""
        self.state, self._begins, self._whole = state, begins, whole
        self.files = files
        changes = read_changes(state.changes, files.config, self._before)
        self.reference = Reference(files, changes)
        self.words = Words(files.about["tokenizers"])
        self.translates = self.reference.has("encoder") and self.reference.has("decoder")
        self.reads_only = not self.reference.has("decoder")
        side = self.words.source if self.reference.has("encoder") else self.words.target
        ids = side.encode(state.source)
        self.source_ids = [*ids, END] if self.reference.has("encoder") else []
        self.prompt = [START] if self.translates else [START, *ids]
        self.given = bool(state.target)

    @cached_property
    def target_ids(self) -> list[int]:
        """The target from `<s>` on: given, or written by the model."""
        if self.reads_only:
            return []
        if self.given:
            ends = [END] if self.translates else []
            return [*self.prompt, *self.words.target.encode(self.state.target), *ends]
        begun = [*self.prompt, *self._begins]
        if self._whole or begun[-1] == END:
            return begun
        return self.reference.greedy(self.source_ids, begun, self._most())

    def _most(self) -> int:
        limit = _MOST
        if self.files.config["positions"] == "learned":
            limit = min(limit, self.files.config["max_length"])
        if self.translates:
            return min(limit, max(_MOST_WRITTEN, 2 * len(self.source_ids)))
        return min(limit, len(self.prompt) - 1 + _MOST_CONTINUED)

    def _before(self, name: str) -> Array:
        """Return a tensor of the run without changes."""
        return self._unchanged.run.tensors[name]

    @cached_property
    def _unchanged(self) -> "Truth":
        return type(self)(self.files, replace(self.state, changes=""))

    @cached_property
    def source_tokens(self) -> list[str]:
        return self.words.source.tokens(self.source_ids)

    @cached_property
    def target_tokens(self) -> list[str]:
        return self.words.target.tokens(self.target_ids)

    @cached_property
    def text(self) -> str:
        """Return the written text."""
        return self.words.written(self.target_ids[len(self.prompt) :])

    @cached_property
    def run(self) -> Pass:
        """Return one pass over both texts; the last token is not read."""
        return self.reference.forward(self.source_ids, self.target_ids[:-1])

    @cached_property
    def log_probabilities(self) -> Array:
        """Return log-probabilities as each step saw them: (step, word)."""
        return log_softmax(self.step_logits(self.reference))

    @cached_property
    def written_log(self) -> Array:
        """Return the log-probability of each step's token."""
        steps = np.arange(len(self.target_ids) - 1)
        return self.log_probabilities[steps, self.target_ids[1:]]

    def after(self, ids: Sequence[int], *, whole: bool = False) -> "Truth":
        """Return the run of the same source whose text begins with some ids, or consists of
        them."""
        return type(self)(self.files, self.state, ids, whole=whole)

    def loss_of(self, logits: Array) -> float:
        """Return the mean loss of another model on the tokens, in nats."""
        logs = log_softmax(logits)
        return float(-logs[np.arange(len(logs)), self.target_ids[1:]].mean())

    def step_logits(self, reference: Reference) -> Array:
        """Return the log-probabilities of another model at each step of this text."""
        return reference.step_logits(self.source_ids, self.target_ids[:-1])

    def axis(self, kind: str) -> tuple[list[str], list[str]]:
        """Return the tokens of the rows and columns; a decoder row has the one that it writes."""
        source, target = self.source_tokens, self.target_tokens
        if kind == "encoder self-attention":
            return source, source
        if not self.translates:
            return target[:-1], target[:-1]
        return target[1:], source if kind == "cross-attention" else target[:-1]

    def weights(self, kind: str) -> Array:
        """(layer, head, query, key)."""
        return self.run.weights(kind)

    def read_at(self, kind: str, step: int) -> Array:
        """Return the step's weights from when no later token existed: (layer, head, key)."""
        if self.reference.config["causal_mask"]:
            return self.weights(kind)[:, :, step]
        then = self.reference.forward(self.source_ids, self.target_ids[: step + 1])
        read = then.weights(kind)[:, :, step]
        later = len(self.axis(kind)[1]) - read.shape[-1]
        return np.pad(read, ((0, 0), (0, 0), (0, later)))

    def state_at(self, name: str, step: int) -> Array:
        """Return a row of a captured state from when no later token existed."""
        if self.reference.config["causal_mask"]:
            return self.run.tensors[name][step]
        then = self.reference.forward(self.source_ids, self.target_ids[: step + 1])
        return then.tensors[name][step]

    def mask(self, kind: str) -> np.ndarray:
        """Return which cells may be read: (query, key), True if so."""
        return self.run.stacked(kind, "mask")[0].astype(bool)


_read = cache(read_files)


def truth_of(state: State) -> Truth:
    """Compute the reference's run of a state."""
    return Truth(_read(state.folder / state.checkpoint), state)


def held_out(task: str) -> list[tuple[str, str, str]]:
    """Return source, target and alignment of a task's held-out pairs; of one text, only it."""
    folder = ROOT / "sample_data" / "held_out"
    paths = (folder / f"{task}.tsv", folder / f"{task}.txt")
    lines = [line for p in paths if p.exists() for line in p.read_text("utf-8").splitlines()]
    return [(*line.split("\t"), "", "")[:3] for line in lines]  # type: ignore[misc]


def known_pairs(truth: Truth) -> list[tuple[str, str]]:
    """Return the held-out pairs of a model's task whose source words it all knows."""
    words = truth.words
    side = words.source if truth.reference.has("encoder") else words.target
    return [
        (source, target)
        for source, target, _ in held_out(truth.files.about["task"])
        if UNKNOWN not in side.encode(source)
        and not words.stand_ins & set(source.split())
        and 3 <= len(source) < 90
    ]
