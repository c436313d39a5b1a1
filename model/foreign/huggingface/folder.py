"""A local folder of a model that no importer knows, run and recorded by transformers' own code."""

import importlib.util
import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

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
from model.foreign.huggingface.facts import anatomy_of_record, config_of_record
from model.foreign.huggingface.foreign_config import config_for
from model.foreign.imports.folder import Files, FolderError, read_config, read_files, read_tokenizer
from model.foreign.imports.load import name_of
from model.foreign.imports.memory import Estimate, estimate
from model.foreign.imports.tensor_files import FLOATS
from model.foreign.imports.words import read_words
from model.foreign.recording import Attached, attached
from model.interruption import may_be_interrupted
from model.text.tokenizer import Tokenizers
from model.traces import TransformerTrace, present
from model.writing import NO_RULES, read_rules

_PROBED = 6
"""Tokens of the pass by which a model's parts are found."""


@dataclass(frozen=True, eq=False)
class RecordedEmbedding:
    """The vectors of a vocabulary, as they are stored."""

    weight: Float[Tensor, "vocab d_embedding"]
    scale: float = 1.0


class RecordedModel:
    """A model of transformers that gives a record whenever it runs, as our own models do."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model.eval().requires_grad_(False)
        self._rules = NO_RULES
        self._translates = bool(getattr(model.config, "is_encoder_decoder", False))
        pad_id = getattr(model.config, "pad_token_id", None)
        probe = torch.tensor([[i for i in range(_PROBED + 1) if i != pad_id]], device=self.device)
        inputs: dict[str, Any] = {"input_ids": probe}
        if self._translates:
            inputs["decoder_input_ids"] = probe
        self._attachment = ExitStack()  # for as long as this model lives, which is nobody else's
        self._ready: Attached = self._attachment.enter_context(attached(model, **inputs))
        with torch.inference_mode():
            plan, found = self._ready.need_plan(), self._ready.run(**inputs)
        trace: Any = found.trace
        assert found.difference is not None  # nothing is edited
        self.differs: float = found.difference
        """Largest distance of an output from what transformers gives unrecorded."""
        self.anatomy: Anatomy = anatomy_of_record(model, plan, trace)
        self.config: TransformerConfig = config_of_record(model, self.anatomy, trace)
        """Its sizes in our own terms; it cannot be rebuilt from them."""
        if writing := getattr(model, "generation_config", None):
            self._rules = read_rules(writing.to_dict(), vocab_size=self.config.target_vocab_size)

    def __reduce__(self) -> NoReturn:
        """Raise TypeError: what listens to a model belongs to this process."""
        raise TypeError(
            "a model recorded while transformers runs it cannot be pickled: keep the path "
            "of its folder, and open that again"
        )

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self._model.parameters()).device

    def parameters(self) -> Iterator[nn.Parameter]:
        """Yield what was learned."""
        return self._model.parameters()

    @property
    def n_parameters(self) -> int:
        """How many numbers were learned."""
        return sum(parameter.numel() for parameter in self.parameters())

    @property
    def precision(self) -> str | None:
        """Name the type of what is computed where it is shorter than float32."""
        return short_type(next(self.parameters()).dtype)

    def embedding_of(self, _side: Side) -> RecordedEmbedding:
        """Return the table by which tokens become vectors: transformers has one for both sides."""
        model: Any = self._model
        return RecordedEmbedding(model.get_input_embeddings().weight)

    def __call__(
        self,
        source: Int[Tensor, "batch source"] | None,
        target: Int[Tensor, "batch target"] | None,
        *,
        edits: Edits = NO_EDITS,
    ) -> TransformerTrace:
        """Record one pass. A model of one stack is given one of the two, as ours are."""
        may_be_interrupted()
        if self._translates:
            return self._ready.record(input_ids=source, decoder_input_ids=target, edits=edits)
        has_decoder = self.config.has_decoder
        if (target is None) == has_decoder or (source is None) != has_decoder:
            side = "target" if has_decoder else "source"
            raise ValueError(f"this model has one stack, which reads a {side} and nothing else")
        return self._ready.record(input_ids=target if has_decoder else source, edits=edits)

    @torch.inference_mode()
    def write(
        self,
        source: Int[Tensor, "1 source"] | None,
        prompt: tuple[int, ...],
        *,
        most: int,
        end: int | None,
        edits: Edits = NO_EDITS,
    ) -> tuple[int, ...]:
        """Go on from a prompt by the most probable token each time, up to `most` ids in all.

        Gives the prompt and what was written; it ends after the id `end`, or at a length.
        """
        if self.anatomy.predicts != "target":
            raise ValueError("a model without a decoder writes nothing")
        ids = prompt
        while len(ids) < most and (len(ids) == len(prompt) or ids[-1] != end):
            trace = self(source, torch.tensor([ids], device=self.device), edits=edits)
            scores = self._rules.allowed(present(trace.logits)[0, -1], len(ids) - 1)
            ids = (*ids, int(scores.argmax()))
        return ids


@dataclass(frozen=True, eq=False)
class RecordedFolder:
    """A folder opened so: what `model.checkpoints.checkpoint.Checkpoint` is to our own models."""

    info: CheckpointInfo
    model: RecordedModel

    @property
    def anatomy(self) -> Anatomy:
        """What the model has."""
        return self.model.anatomy


Opened = Checkpoint | RecordedFolder
"""A model of our own, or one that is recorded."""


@dataclass(frozen=True)
class Recording:
    """What opening a folder to be recorded would load."""

    title: str
    """Of its kind, as its config.json names it."""
    estimate: Estimate


def plan_recording(path: Path) -> Recording:
    """Describe what opening a folder would load, and load nothing.

    Raises FolderError with one sentence on what cannot be opened, and where transformers is
    missing.
    """
    said = read_config(path)
    kind = shorten(str(said.get("model_type")))
    if not has_transformers():
        raise FolderError(
            plain(
                f"{shorten(path.name)}: Loupe has no model of its own of this kind ({kind}). It "
                "can be recorded from transformers' own code, which is not installed: "
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
    """Open a folder for transformers' own code to run, which is recorded as it does.

    As `open_folder` does it, everything is checked before it is believed. Nothing is fetched, and
    no code of the folder's is run. Raises ImportError where transformers is missing, FolderError
    with one sentence on what cannot be opened.
    """
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when transformers is imported
    if not has_transformers():
        raise ImportError(
            "models of others are run by transformers, which is not installed: "
            'pip install "loupe-transformer[huggingface]", or pip install transformers'
        )
    said = read_config(path)
    files = read_files(path, said)
    try:
        found = _estimate(files)
        found.check()
        model = _load(path, said, found.dtype).to(device)
        check_finite({shorten(name): x for name, x in model.named_parameters()})
        recorded = RecordedModel(model)
        return RecordedFolder(_info(files, recorded, model), recorded)
    except FolderError:
        raise
    except MemoryError as error:
        _fail(path, "there is not enough memory", error)
    except Exception as error:  # of transformers, which has errors of many kinds
        _fail(path, " ".join(str(error).split()), error)


def has_transformers() -> bool:
    """Return whether transformers is installed, without importing it."""
    return importlib.util.find_spec("transformers") is not None


def _estimate(files: Files) -> Estimate:
    return estimate(
        torch.empty(stored.shape, dtype=FLOATS.get(stored.dtype, torch.float32), device="meta")
        for stored in files.tensors.values()
    )


def _load(path: Path, said: dict[str, Any], dtype: torch.dtype) -> nn.Module:
    config = config_for(said)
    model, about = _class_for(said, config).from_pretrained(
        str(path.resolve()),
        config=config,
        dtype=dtype,
        local_files_only=True,
        output_loading_info=True,
        trust_remote_code=False,
        use_safetensors=True,
    )
    for kind, words in (
        ("missing_keys", "its weights have no {}, which its config describes"),
        ("unexpected_keys", "its weights have {}, which its config does not describe"),
        ("mismatched_keys", "{} has another shape than its config describes"),
        ("error_msgs", "transformers could not load it: {}"),
    ):
        if found := sorted(map(str, about.get(kind) or ())):
            raise ValueError(words.format(shorten(found[0])))
    return model


def _class_for(said: dict[str, Any], config: Any) -> Any:  # noqa: ANN401 - a class of transformers
    """Choose among the classes that transformers has for this config, as the folder asks."""
    import transformers
    from transformers.models.auto import modeling_auto as auto

    offered = [
        names[config.model_type]
        for names in (
            auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
            auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
            auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
            auto.MODEL_MAPPING_NAMES,
        )
        if isinstance(names.get(config.model_type), str)
    ]
    asked = said.get("architectures")
    wanted = asked[0] if isinstance(asked, list) and asked else None
    if wanted is not None and wanted not in offered:
        raise ValueError(
            f"architectures of config.json must be one of {', '.join(offered) or 'no class'} to be "
            f"recorded, got {shorten(wanted)}"
        )
    if not offered:
        raise ValueError(f"transformers has no text model for {shorten(config.model_type)}")
    return getattr(transformers, offered[0] if wanted is None else wanted)


def _info(files: Files, recorded: RecordedModel, model: nn.Module) -> CheckpointInfo:
    sizes = dict(recorded.anatomy.vocabularies)
    words = read_words(
        read_tokenizer(files),
        files.tokenizer_config,
        files.config,
        vocab_size=min(sizes.values()),
    )
    both = Tokenizers(words, words, shared=True)
    return CheckpointInfo.of_others(
        name_of(files.path), recorded.config, both, kind=type(model).__name__
    )


def _fail(path: Path, message: str, cause: Exception) -> NoReturn:
    raise FolderError(plain(f"{shorten(path.name)}: {message}", most=600)) from cause
