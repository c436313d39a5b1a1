"""Runs third-party modules under edits: every number comes from the module's own code."""

import contextlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from loupe.asked import asked_of, on_device, with_mask
from loupe.foreign import is_of_transformers
from loupe.ids import vocabulary_of
from loupe.native import Reading
from loupe.options import EditsByName
from loupe.records import Tokens
from loupe.run import Run
from loupe.runners import Found, Numbers, Runner, Token, chunked, logits_in
from loupe.texts import name_tokens, read_text, token_namer
from loupe.tracing import trace
from model.attribution.patched_cells import is_of_source, stages_among
from model.config import Side
from model.edits import NO_EDITS, Edits

_NO_NAMES = Tokens((), ())
_SPECIALS = ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id")
_CHUNK_BYTES = 64_000_000
"""The approximate memory that the logits and states of one batch may take."""


class ModuleRunner(Runner):
    """A transformers model, or any module that returns logits of ids."""

    def __init__(self, module: nn.Module, tokenizer: object) -> None:
        self._module: Any = module
        self._tokenizer = tokenizer
        self._kept: str | None = None
        self._encodes: bool | None = None

    @property
    def weights(self) -> object:
        """The object that holds the model's parameters."""
        return self._module

    def read(
        self,
        text: str | Tensor,
        target: str | Tensor | None = None,
        edits: Edits = NO_EDITS,  # noqa: ARG002 - a plain pass writes the target
    ) -> Reading:
        """Read a text, and the target given to the module or written by it."""
        if isinstance(text, str) and self._tokenizer is None:
            raise TypeError(
                "this module needs tokenizer=... to read a text; or give the ids of its tokens"
            )
        read = on_device(self._module, read_text(self._tokenizer, text))
        if is_of_transformers(self._module):
            asked = asked_of(self._module, self._tokenizer, read, target, {})
            rows = asked.inputs.get("decoder_input_ids")
            tokens = asked.names
        else:
            aim = None
            if target is not None:
                aim = on_device(self._module, read_text(self._tokenizer, target, as_target=True))
            rows = None if aim is None else aim.ids
            tokens = Tokens(read.tokens, () if aim is None else aim.tokens)
        ids = tuple(read.ids[0].tolist())
        if rows is not None:
            written = tuple(rows[0].tolist())
            # No row reads the token that the last row writes.
            return Reading(ids, (*written, written[-1]), tokens, "", target is not None)
        names = tokens.source or tokens.target
        if self._reads_both_ways(ids):
            return Reading(ids, None, Tokens(names, ()), "", is_given=False)
        return Reading(None, ids, Tokens((), names), "", is_given=False)

    def run(
        self, reading: Reading, edits: Edits = NO_EDITS, copies: int = 1, *, grad: bool = False
    ) -> Found:
        """Run the module on copies of a text, and keep the whole record."""
        return self._run(reading, edits, copies, grad=grad)

    def states(self, found: Found, side: Side | None) -> tuple[str, ...]:
        """Name the residual stream, or the output of each layer if no stream was proven.

        Raises ValueError if neither was recorded, or the model has no such side.
        """
        names = self.names(found)
        if stages_among(names):
            return super().states(found, side)
        assert isinstance(found, Run)
        sizes = {x.size(-2) for name, x in found.items() if name.endswith(".heads")}
        layers = (name for name, x in found.outputs.items() if x.dim() == 3)
        kept = tuple(n for n in layers if n != "output" and found[n].size(1) in sizes)
        if not kept:
            raise ValueError(
                f"no residual stream of {found.model} was recorded, so it cannot be patched; use "
                'of="heads" or of="weights"'
            )
        return kept

    def logits(
        self, reading: Reading, edits: Edits = NO_EDITS, copies: int = 1
    ) -> Float[Tensor, "batch position vocab"]:
        """Run the module on copies of a text, and keep the logits alone."""
        return logits_in(self._run(reading, edits, copies, self._logits_name(reading)))

    @property
    def pad_id(self) -> int | None:
        """The id that fills up texts, if the module's config names one."""
        found = getattr(getattr(self._module, "config", None), "pad_token_id", None)
        return found if type(found) is int else None

    @property
    def specials(self) -> frozenset[int]:
        """The ids of special tokens that the config or the tokenizer names."""
        return frozenset(id for name in _SPECIALS if (id := self._named(name)) is not None)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The texts that the module reads; for a single text, a pass shows which side it is."""
        if self._translates:
            return "source", "target"
        return ("source",) if self._reads_both_ways(self._probe()) else ("target",)

    @property
    def room(self) -> int | None:
        """The largest number of tokens that it reads, from its config."""
        config = getattr(self._module, "config", None)
        found = getattr(config, "max_position_embeddings", None)
        return found if type(found) is int and found > 0 else None

    def before(self, side: Side) -> tuple[int, ...]:
        """Return the token that begins texts, if the config or the tokenizer names one."""
        name = "decoder_start_token_id" if self._translates else "bos_token_id"
        found = None if self._translates and side == "source" else self._named(name)
        size = vocabulary_of(self._module)  # a config names an id even if the model lacks it
        return () if found is None or not 0 <= found < (size or found + 1) else (found,)

    def vocabulary(self, side: Side) -> int:  # noqa: ARG002 - it has one
        """Return the number of ids in its table of token embeddings.

        Raises ValueError if several tables could be that one.
        """
        if size := vocabulary_of(self._module):
            return size
        tables = [x for x in self._module.modules() if isinstance(x, nn.Embedding)]
        sizes = {table.num_embeddings for table in tables}
        run = self._run(Reading(None, (0, 1), _NO_NAMES, "", is_given=False), NO_EDITS, 1)
        with contextlib.suppress(LookupError):
            predicted = logits_in(run).size(-1)
            if not tables or predicted in sizes:
                return predicted
        if len(sizes) == 1:
            return sizes.pop()
        raise ValueError(
            "the size of the module's vocabulary is unknown: give vocabulary=, the ids from which "
            "to draw tokens, or their number"
        )

    @torch.no_grad()
    def numbers(
        self,
        reading: Reading,
        items: Sequence,
        edits_of: Callable[[Sequence], Edits],
        measure: Numbers,
    ) -> Float[Tensor, " item"]:
        """Measure a run for each item, in batches if rows of a batch do not affect one another."""
        plain = self.logits(reading)[0]
        size = max(1, _CHUNK_BYTES // (32 * plain.numel()))
        found: list[float] = []
        chunks = list(chunked(items, size)) if size > 1 else [[item] for item in items]
        while chunks:
            chunk = chunks.pop(0)
            is_first = not found and len(chunk) > 1
            # A row without a change shows whether the other rows affect it.
            rows = self.logits(reading, edits_of(chunk), len(chunk) + is_first)
            if is_first and not _is_close(rows[-1], plain):
                chunks = [[item] for item in items]
                continue
            found += [float(measure(logits)) for logits in rows[: len(chunk)]]
        return torch.tensor(found, dtype=torch.float64)

    def id_of(self, token: Token) -> int:
        """Find the id of a predicted token. Raises ValueError if there is none."""
        if isinstance(token, int):
            return token
        if self._tokenizer is None:
            raise ValueError(f"a token as text needs tokenizer=..., or give its id, got {token!r}")
        ids = _ids_alone(self._tokenizer, token)
        if len(ids) != 1:
            pieces = ", ".join(map(repr, name_tokens(self._tokenizer, ids)))
            raise ValueError(f"a token must be in the vocabulary, got {token!r}: {pieces}")
        return ids[0]

    def token(self, id: int) -> str:
        """Name a predicted token."""
        return token_namer(self._tokenizer)(id)

    def _run(
        self,
        reading: Reading,
        edits: Edits,
        copies: int,
        names: str | None = None,
        *,
        grad: bool = False,
    ) -> Run:
        rows = [None if ids is None else self._row(ids, copies) for ids in _texts(reading)]
        given = [row for row in rows if row is not None]
        inputs: Any = given
        if is_of_transformers(self._module):
            keys = ("input_ids", "decoder_input_ids")
            inputs = with_mask(self._module, dict(zip(keys, given, strict=False)))
        return trace(
            self._module,
            inputs=inputs,
            edits=cast(EditsByName, edits.by_name),
            check=False,
            names=names,
            grad=grad,
        )

    @property
    def _translates(self) -> bool:
        return "decoder_input_ids" in inspect.signature(self._module.forward).parameters

    def _named(self, name: str) -> int | None:
        """Return the id of a special token, by its name in a config or a tokenizer."""
        for holder in (self._tokenizer, getattr(self._module, "config", None)):
            if type(found := getattr(holder, name, None)) is int:
                return found
        return None

    def _probe(self) -> tuple[int, ...]:
        """Return ids that every model knows, none of them padding."""
        ids = tuple(i for i in (1, 0, 2) if i != self.pad_id)[:2]
        return ids * 2

    def _row(self, ids: tuple[int, ...], copies: int) -> Tensor:
        first = next(iter(self._module.parameters()), None)
        device = None if first is None else first.device
        return torch.tensor([ids], device=device).expand(copies, -1)

    def _logits_name(self, reading: Reading) -> str:
        if self._kept is None:
            run = self._run(reading, NO_EDITS, 1)
            logits_in(run)
            self._kept = "logits" if "logits" in run else "output"
        return self._kept

    def _reads_both_ways(self, ids: tuple[int, ...]) -> bool:
        """Return whether the module is an encoder alone, by the names that its pass has."""
        if self._encodes is None:
            run = self._run(Reading(None, ids, Tokens((), ()), "", is_given=False), NO_EDITS, 1)
            self._encodes = any(map(is_of_source, run))
        return self._encodes


def _texts(reading: Reading) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    return reading.source, reading.rows


def _is_close(found: Tensor, expected: Tensor) -> bool:
    most = torch.finfo(expected.dtype).eps ** 0.5 * expected.abs().max()
    return bool(((found - expected).abs() <= most).all())


def _ids_alone(tokenizer: object, token: str) -> list[int]:
    """Return the ids of a text without the special tokens around every text."""
    rules: Any = tokenizer
    try:
        found = rules.encode(token, add_special_tokens=False)
    except (AttributeError, TypeError):  # a function, or an `encode` with fewer arguments
        return read_text(tokenizer, token).ids[0].tolist()
    return list(getattr(found, "ids", found))
