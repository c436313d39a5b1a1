"""Runs models under edits, many copies at a time, for patching, ablation and the logit lens."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from loupe.native import Opened, Reading, own_edits, read_own, run_own
from loupe.run import Run
from loupe.tracing import opened
from model.attribution.patched_cells import stages_among
from model.attribution.sublayers import Part
from model.checkpoints.checkpoint import Checkpoint
from model.config import Side, TransformerConfig
from model.edits import NO_EDITS, Edits
from model.memory.chunks import chunks_of
from model.text.partners import partners
from model.text.words import Words, single_id
from model.traces import TransformerTrace, find_tensor, names_in, present

Token = str | int
"""A token's text, with the space before it if it has one, or its id."""
Numbers = Callable[[Float[Tensor, "position vocab"]], Tensor]
"""A function from the logits of one text to one number."""
Found = TransformerTrace | Run
_SUBLAYER = re.compile(r"(?P<path>.+\.(self_attn|cross_attn|feed_forward))\.output")


class Runner(ABC):
    """A model that runs on a text under edits."""

    @property
    @abstractmethod
    def weights(self) -> object:
        """What has the model's parameters."""

    @property
    def config(self) -> TransformerConfig | None:
        """The config of a model whose parts are Loupe's; None for others."""
        return None

    @abstractmethod
    def read(
        self, text: str | Tensor, target: str | Tensor | None = None, edits: Edits = NO_EDITS
    ) -> Reading:
        """Read a text and its target. Raises ValueError on a text that cannot be read."""

    @abstractmethod
    def run(
        self, reading: Reading, edits: Edits = NO_EDITS, copies: int = 1, *, grad: bool = False
    ) -> Found:
        """Run the model on several copies of a text, each a row of the batch."""

    @abstractmethod
    def logits(
        self, reading: Reading, edits: Edits = NO_EDITS, copies: int = 1
    ) -> Float[Tensor, "batch position vocab"]:
        """Run the model on copies of a text, and keep the logits alone."""

    @property
    @abstractmethod
    def pad_id(self) -> int | None:
        """The id that fills up texts, if there is one."""

    @property
    @abstractmethod
    def specials(self) -> frozenset[int]:
        """The ids of special tokens."""

    @property
    @abstractmethod
    def sides(self) -> tuple[Side, ...]:
        """The texts that the model reads."""

    @property
    @abstractmethod
    def room(self) -> int | None:
        """The largest number of tokens that it reads; None if unknown or without limit."""

    @abstractmethod
    def before(self, side: Side) -> tuple[int, ...]:
        """Return the ids with which a text of a side begins."""

    @abstractmethod
    def vocabulary(self, side: Side) -> int:
        """Return how many ids a side has. Raises ValueError if the number is unknown."""

    @abstractmethod
    def numbers(
        self,
        reading: Reading,
        items: Sequence,
        edits_of: Callable[[Sequence], Edits],
        measure: Numbers,
    ) -> Float[Tensor, " item"]:
        """Measure a run for each item, in float64 because small differences follow."""

    @abstractmethod
    def id_of(self, token: Token) -> int:
        """Find the id of a predicted token. Raises ValueError if there is none."""

    @abstractmethod
    def token(self, id: int) -> str:
        """Name a predicted token."""

    def names(self, found: Found) -> tuple[str, ...]:
        """List the names of a pass."""
        return tuple(found) if isinstance(found, Run) else tuple(names_in(found))

    def states(self, found: Found, side: Side | None) -> tuple[str, ...]:
        """Name the residual stream of a side, the embeddings first; by default that of the text.

        Raises ValueError if the model has no such side.
        """
        names = self.names(found)
        if side is None:
            encodes = any(name.startswith("encoder.") for name in names)
            side = "source" if encodes else "target"
        begins = (f"{side}_", "encoder." if side == "source" else "decoder.")
        stages = tuple(name for name in stages_among(names) if name.startswith(begins))
        if not stages:
            raise ValueError(f"this model reads no {side}")
        return stages

    def sublayers(self, found: Found) -> tuple[str, ...]:
        """Name the sublayers of a pass by their paths."""
        matches = (_SUBLAYER.fullmatch(name) for name in self.names(found))
        return tuple(match["path"] for match in matches if match)

    def attentions(self, found: Found) -> tuple[str, ...]:
        """Name the attentions of a pass."""
        names = self.names(found)
        return tuple(name.removesuffix(".heads") for name in names if name.endswith(".heads"))

    def heads(self, found: Found) -> tuple[Part, ...]:
        """List the heads of a pass, in the order in which they compute."""
        return tuple(
            Part(path, head)
            for path in self.attentions(found)
            for head in range(tensor_in(found, f"{path}.heads").size(1))
        )

    def pairs(self, ours: Reading, theirs: Reading) -> tuple[int | None, ...]:
        """Pair the positions of the second source with those of the first."""
        return partners(ours.source or (), theirs.source or ())


class LoadedRunner(Runner):
    """A model from `loupe.load`."""

    def __init__(self, whole: Opened) -> None:
        self.whole = whole

    @property
    def weights(self) -> object:
        """What has the model's parameters."""
        return self.whole.model

    @property
    def config(self) -> TransformerConfig | None:
        """The config of a model whose parts are Loupe's; None for others."""
        return self.whole.model.config if isinstance(self.whole, Checkpoint) else None

    @property
    def words(self) -> Words:
        """The tokenizer of predicted tokens."""
        tokenizers = self.whole.info.tokenizers
        return tokenizers.target if self.whole.info.config.has_decoder else tokenizers.source

    def read(
        self, text: str | Tensor, target: str | Tensor | None = None, edits: Edits = NO_EDITS
    ) -> Reading:
        """Read a text; a translator writes a target or is given one."""
        return read_own(self.whole, text, target, own_edits(self.whole, edits))

    def run(
        self, reading: Reading, edits: Edits = NO_EDITS, copies: int = 1, *, grad: bool = False
    ) -> Found:
        """Run the model on copies of a text."""
        with torch.set_grad_enabled(grad):
            return run_own(self.whole.model, reading, own_edits(self.whole, edits), copies)

    @torch.no_grad()
    def logits(
        self, reading: Reading, edits: Edits = NO_EDITS, copies: int = 1
    ) -> Float[Tensor, "batch position vocab"]:
        """Run the model on copies of a text, and keep the logits alone."""
        return present(run_own(self.whole.model, reading, edits, copies).logits)

    @property
    def pad_id(self) -> int | None:
        """The id that fills up texts."""
        return self.whole.info.config.pad_id

    @property
    def specials(self) -> frozenset[int]:
        """The ids of special tokens."""
        both = self.whole.info.tokenizers
        return both.source.specials.all | both.target.specials.all

    @property
    def sides(self) -> tuple[Side, ...]:
        """The texts that the model reads."""
        return self.whole.anatomy.sides

    @property
    def room(self) -> int | None:
        """The number of tokens that it has positions for."""
        config = self.whole.info.config
        return config.max_length if config.positions == "learned" else None

    def before(self, side: Side) -> tuple[int, ...]:
        """Return the ids with which a text of a side begins."""
        both = self.whole.info.tokenizers
        known = both.source.specials if side == "source" else both.target.specials
        if side == "source":
            before = known.around[0]
        elif len(self.sides) == 1:
            before = known.before_prompt
        else:
            before = () if known.start is None else (known.start,)
        return tuple(id for id in before if id not in known.lacking)

    def vocabulary(self, side: Side) -> int:
        """Return how many ids a side has."""
        words = self.whole.info.tokenizers
        return (words.source if side == "source" else words.target).vocab_size

    @torch.no_grad()
    def numbers(
        self,
        reading: Reading,
        items: Sequence,
        edits_of: Callable[[Sequence], Edits],
        measure: Numbers,
    ) -> Float[Tensor, " item"]:
        """Measure a run for each item, many in a batch."""
        sizes = len(reading.source or ()), len(reading.rows or ())
        found: list[float] = []
        for chunk in chunks_of(self.whole.model.config, items, *sizes):
            rows = self.logits(reading, edits_of(chunk), len(chunk))
            found += [float(measure(logits)) for logits in rows]
        return torch.tensor(found, dtype=torch.float64)

    def id_of(self, token: Token) -> int:
        """Find the id of a predicted token."""
        if isinstance(token, int):
            if not 0 <= token < self.words.vocab_size:
                raise ValueError(f"a token must be 0 to {self.words.vocab_size - 1}, got {token}")
            return token
        return single_id(self.words, token)

    def token(self, id: int) -> str:
        """Name a predicted token."""
        return self.words.token(id)


def runner_of(model: object, tokenizer: object = None) -> Runner:
    """Return the runner of a model. Raises TypeError on anything else."""
    whose = opened(model, tokenizer)
    if isinstance(whose, nn.Module):
        from loupe.module_runner import ModuleRunner

        return ModuleRunner(whose, tokenizer)
    if tokenizer is not None and not isinstance(model, nn.Module):
        raise TypeError(
            "a model from loupe.load has its own tokenizer: tokenizer= is for other modules"
        )
    return LoadedRunner(whose)


def own(runner: Runner) -> Checkpoint:
    """Return a model that Loupe implements. Raises TypeError on others."""
    whole = runner.whole if isinstance(runner, LoadedRunner) else None
    if isinstance(whole, Checkpoint):
        return whole
    raise TypeError("this needs a model that Loupe implements")


def tensor_in(found: Found, name: str) -> Tensor:
    """Find a tensor of a pass."""
    return found[name] if isinstance(found, Run) else find_tensor(found, name)


def logits_in(found: Found) -> Float[Tensor, "batch position vocab"]:
    """Return the logits of a pass. Raises LookupError if a model predicts nothing."""
    if isinstance(found, TransformerTrace):
        return present(found.logits)
    for name in ("logits", "output"):
        if (logits := found.get(name)) is not None and logits.dim() == 3:
            return logits
    raise LookupError(f"{found.model} returns no logits (batch position vocab) to measure")


def chunked(items: Sequence, size: int) -> Iterator[Sequence]:
    """Split items into groups of at most a given size."""
    return (items[i : i + size] for i in range(0, len(items), size))
