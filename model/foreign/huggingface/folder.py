"""A local folder of a family that Loupe does not know, run by transformers' code and recorded."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, NoReturn, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.anatomy import Anatomy
from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.checkpoints.weights import check_finite
from model.config import Side, TransformerConfig
from model.devices import short_type
from model.edits import NO_EDITS, Edits
from model.files.json_fields import shorten
from model.files.plain_text import plain
from model.foreign.errors import FolderError
from model.foreign.huggingface.facts import anatomy_of_record, config_of_record
from model.foreign.huggingface.foreign_config import config_for
from model.foreign.huggingface.loading import load_model
from model.foreign.huggingface.offline import import_offline
from model.foreign.imports.folder import Files, read_config, read_files
from model.foreign.imports.folder_files import called
from model.foreign.imports.installed import has_transformers
from model.foreign.imports.load import info_of
from model.foreign.imports.memory import Estimate, estimate
from model.foreign.imports.tensor_files import FLOATS
from model.foreign.imports.writing_rules import read_rules
from model.foreign.recording import Attached, attached
from model.interruption import may_be_interrupted
from model.traces import TransformerTrace, counted, present
from model.writing import NO_RULES, ending

_PROBED = 6
"""The number of tokens in the pass by which Loupe finds a model's parts."""
_LAYER = re.compile(r"\b(encoder|decoder)\.layers\.(\d+)\.")


@dataclass(frozen=True, eq=False)
class RecordedEmbedding:
    """The embeddings of a vocabulary, as they are stored."""

    weight: Float[Tensor, "vocab d_embedding"]
    scale: float = 1.0


class RecordedModel:
    """A model of transformers that returns a trace from each pass, as Loupe's own models do."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model.eval().requires_grad_(False)
        self._rules = NO_RULES
        known = signature(model.forward).parameters
        self._takes_mask = "attention_mask" in known
        reads_two = "decoder_input_ids" in known
        self._translates = reads_two and bool(getattr(model.config, "is_encoder_decoder", False))
        pad_id = getattr(model.config, "pad_token_id", None)
        probe = torch.tensor([[i for i in range(_PROBED + 1) if i != pad_id]], device=self.device)
        inputs = self._inputs(probe, probe if self._translates else None)
        self._attachment = ExitStack()  # open as long as this model, which nothing else uses
        self._ready: Attached = self._attachment.enter_context(attached(model, **inputs))
        with torch.inference_mode():
            plan, found = self._ready.need_plan(), self._ready.run(**inputs)
        trace: Any = counted(cast(TransformerTrace, found.trace))
        assert found.difference is not None  # the run had no edits
        self.differs: float = found.difference
        """The largest difference between an output of a recorded pass and of a plain one."""
        self.missing: Mapping[str, str] = self._ready.known.missing
        """For each attention and layer that ran but is not recorded, by path, the reason."""
        numbers = plan.stacks[-1].numbers
        self.layer_numbers = () if numbers == tuple(range(len(numbers))) else numbers
        """The last stack's layer numbers in the model; empty if they are 0, 1, 2 and so on."""
        self.anatomy: Anatomy = anatomy_of_record(model, plan, trace)
        self.config: TransformerConfig = config_of_record(model, self.anatomy, trace)
        """The model's sizes as a config of Loupe, which cannot rebuild the model."""
        if writing := getattr(model, "generation_config", None):
            self._rules = read_rules(writing.to_dict(), vocab_size=self.config.target_vocab_size)

    def __reduce__(self) -> NoReturn:
        """Raise TypeError, because the hooks on a model belong to this process."""
        raise TypeError(
            "a model recorded while transformers runs it cannot be pickled: keep the path "
            "of its folder, and open it again"
        )

    @property
    def device(self) -> torch.device:
        """The device on which the model computes."""
        return next(self._model.parameters()).device

    def parameters(self) -> Iterator[nn.Parameter]:
        """Yield the learned parameters."""
        return self._model.parameters()

    @property
    def n_parameters(self) -> int:
        """The number of learned parameters."""
        return sum(parameter.numel() for parameter in self.parameters())

    @property
    def precision(self) -> str | None:
        """The name of the number type in which it computes, if shorter than float32."""
        return short_type(next(self.parameters()).dtype)

    def embedding_of(self, _side: Side) -> RecordedEmbedding:
        """Return the table of token embeddings; in transformers one serves both sides."""
        model: Any = self._model
        return RecordedEmbedding(model.get_input_embeddings().weight)

    def __call__(
        self,
        source: Int[Tensor, "batch source"] | None,
        target: Int[Tensor, "batch target"] | None,
        *,
        edits: Edits = NO_EDITS,
        numbered: bool = False,
    ) -> TransformerTrace:
        """Record one pass. A model with one stack needs one of the two texts, as Loupe's own do.

        By default the recorded layers are numbered from 0, also in the names of edits, as on the
        pages. With `numbered`, layers keep their numbers in the model, which counts unrecorded
        layers too.
        """
        may_be_interrupted()
        edits = edits if numbered else self._renumbered(edits)
        trace = self._recorded(source, target, edits)
        return trace if numbered else counted(trace)

    def _renumbered(self, edits: Edits) -> Edits:
        """Replace the layers' numbers in the names of edits by their numbers in the model."""
        plan = self._ready.need_plan()
        numbers = {stack.side: stack.numbers for stack in plan.stacks}

        def own(match: re.Match[str]) -> str:
            side, at = match[1], int(match[2])
            known = numbers.get(side, ())  # pyright: ignore[reportArgumentType, reportCallIssue]
            return f"{side}.layers.{known[at] if at < len(known) else at}."

        return Edits({_LAYER.sub(own, name): edit for name, edit in edits.by_name.items()})

    def _recorded(
        self, source: Tensor | None, target: Tensor | None, edits: Edits
    ) -> TransformerTrace:
        if self._translates:
            return self._ready.record(**self._inputs(source, target), edits=edits)
        has_decoder = self.config.has_decoder
        if (target is None) == has_decoder or (source is None) != has_decoder:
            side = "target" if has_decoder else "source"
            raise ValueError(f"this model has one stack, which reads a {side} and nothing else")
        return self._ready.record(**self._inputs(target if has_decoder else source), edits=edits)

    def _inputs(self, ids: Tensor | None, target: Tensor | None = None) -> dict[str, Any]:
        """Return the model's arguments, with a mask that marks no token as padding.

        Without a mask, some models treat each token with the padding id as padding.
        """
        inputs: dict[str, Any] = {"input_ids": ids}
        if self._takes_mask and ids is not None:
            inputs["attention_mask"] = torch.ones_like(ids)
        if target is not None:
            inputs["decoder_input_ids"] = target
        return inputs

    @torch.inference_mode()
    def write(
        self,
        source: Int[Tensor, "1 source"] | None,
        prompt: tuple[int, ...],
        *,
        most: int,
        end: int | Collection[int] | None,
        edits: Edits = NO_EDITS,
        numbered: bool = False,
    ) -> tuple[int, ...]:
        """Write the most probable token at each step, up to `most` ids in all.

        Returns the prompt and the new ids, which end with the id `end`, or one of several, or at
        the largest length.
        """
        if self.anatomy.predicts != "target":
            raise ValueError("a model without a decoder cannot write")
        ids, ends, allow = prompt, ending(end), self._rules.begin(prompt, most, source)
        while len(ids) < most and (len(ids) == len(prompt) or ids[-1] not in ends):
            read = torch.tensor([ids], device=self.device)
            logits = present(self(source, read, edits=edits, numbered=numbered).logits)
            ids = (*ids, int(allow(logits[:, -1].float(), read).argmax()))
        return ids


@dataclass(frozen=True, eq=False)
class RecordedFolder:
    """An opened folder whose model is recorded; Loupe's own models have a `Checkpoint` instead."""

    info: CheckpointInfo
    model: RecordedModel

    @property
    def anatomy(self) -> Anatomy:
        """The parts of the model."""
        return self.model.anatomy


Opened = Checkpoint | RecordedFolder
"""A model in Loupe's own code, or a recorded one."""


@dataclass(frozen=True)
class Recording:
    """A description of what opening a folder for recording would load."""

    is_recorded: ClassVar[bool] = True
    """Whether transformers' code computes the model."""

    title: str
    """The kind of the model, as its config.json names it."""
    estimate: Estimate


def plan_recording(path: Path) -> Recording:
    """Describe what opening a folder would load, without loading it.

    Raises FolderError with one sentence if the folder cannot be opened or transformers is missing.
    """
    said = read_config(path)
    kind = shorten(str(said.get("model_type")))
    if not has_transformers():
        raise FolderError(
            plain(
                f"{called(path)}: Loupe does not implement this kind of model ({kind}). It "
                "can record transformers' own code, but transformers is not installed: "
                "pip install transformers"
            )
        )
    try:
        config_for(said)
        found = _estimate(read_files(path, said))
        found.check()
    except FolderError:
        raise
    except ValueError as error:
        _fail(path, str(error), error)
    return Recording(kind, found)


def record_folder(path: Path, device: str | torch.device = "cpu") -> RecordedFolder:
    """Open a folder for transformers' own code to run, and record that code while it runs.

    As in `open_folder`, everything is checked before it is used. Nothing is downloaded, and no code
    in the folder is run. Raises ImportError if transformers is missing, FolderError with one
    sentence if the folder cannot be opened.
    """
    if not has_transformers():
        raise ImportError(
            "transformers runs third-party models, and it is not installed: "
            'pip install "loupe-transformer[huggingface]", or pip install transformers'
        )
    import_offline()
    said = read_config(path)
    files = read_files(path, said)
    try:
        found = _estimate(files)
        found.check()
        model = load_model(path, said, found.dtype).to(device)
        check_finite({shorten(name): x for name, x in model.named_parameters()})
        recorded = RecordedModel(model)
        info = info_of(files, recorded.config, type(model).__name__)
        return RecordedFolder(info, recorded)
    except FolderError:
        raise
    except MemoryError as error:
        _fail(path, "there is not enough memory", error)
    except Exception as error:  # transformers raises many types of errors
        _fail(path, " ".join(str(error).split()), error)


def _estimate(files: Files) -> Estimate:
    return estimate(
        torch.empty(stored.shape, dtype=FLOATS.get(stored.dtype, torch.float32), device="meta")
        for stored in files.tensors.values()
    )


def _fail(path: Path, message: str, cause: Exception) -> NoReturn:
    raise FolderError(plain(f"{called(path)}: {message}", most=600)) from cause
