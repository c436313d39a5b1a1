"""What a model writes by itself, greedily, under edits."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import torch
from torch import Tensor, nn

from loupe.foreign import is_of_transformers, on_device
from loupe.from_module import GivenWords, words_around
from loupe.native import MOST_WRITTEN, Opened, write_own
from loupe.texts import read_text, sort_out
from loupe.tracing import NO_TEXT, opened, trace
from model.edits import Edits
from model.foreign.imports.writing_rules import ends_of, read_rules
from model.text.words import Specials
from model.writing import Allow, ending

_Edits = Mapping[str, Callable[[Tensor], Tensor]]


def write(
    model: Opened | nn.Module,
    tokenizer: object = None,
    text: str | None = None,
    *,
    edits: _Edits | None = None,
    most: int | None = None,
) -> str:
    """Let a model write greedily what follows a text, or a translator its translation.

    Gives the text of the new tokens alone, without special ones such as the one that ends it.

    Args:
        model: As in `loupe.trace`. Of code that is not Loupe's, what gives logits (batch position
            vocab) of the ids of one text; each step runs it on the whole text so far.
        tokenizer: As in `loupe.trace`; what it puts behind every text is left out. What is written
            ends as the model's `generation_config` says; without one, by the tokenizer's
            `eos_token_id`, or by what it puts behind every text.
        text: What the model reads.
        edits: As in `loupe.trace`, in force at each step. A model of Loupe computes only the rows
            that are new, so an edit that counts positions is an `OnRows` of `loupe.model.edits`.
        most: Tokens that it writes at most: 64, of a translator twice its source where that is
            more. Learned positions of what `loupe.load` gives may end before.

    Raises:
        TypeError: On a module that gives no such logits.
        ValueError: On a text without a token or as long as may be, a model that writes nothing, a
            name in the edits that nothing has.
    """
    tokenizer, text = sort_out(tokenizer, text, None)
    if text is None:
        raise TypeError(NO_TEXT)
    whose = opened(model, tokenizer)
    if isinstance(whose, nn.Module):
        return _write_on(whose, tokenizer, text, edits, MOST_WRITTEN if most is None else most)
    return write_own(whose, text, Edits(edits or {}), most)


def _write_on(
    module: nn.Module, tokenizer: object, text: str, edits: _Edits | None, most: int
) -> str:
    """Go on with a text by a module's own code: the best token of the last row, again and again."""
    if "decoder_input_ids" in signature(module.forward).parameters:
        raise TypeError("a module must go on with the text that it reads, got one of two texts")
    before, after = words_around(tokenizer, text)
    ids = on_device(module, read_text(tokenizer, text)).ids
    ids = ids[:, : ids.size(1) - len(after)]
    name: str | None = None
    written: list[int] = []
    size, given = 0, tuple(ids[0].tolist())
    ends = _ends(module, tokenizer, after)
    allow: Allow | None = None
    while len(written) < most and (not written or written[-1] not in ends):
        run = trace(module, inputs=ids, edits=edits, check=False, names=name)
        if run.names("encoder.*"):
            raise ValueError("a model whose rows read later ones writes nothing")
        name = "logits" if "logits" in run else "output"
        logits = run.get(name)
        if logits is None or logits.dim() != 3 or logits.size(1) != ids.size(1):
            raise TypeError("a module that writes gives logits (batch position vocab) of its ids")
        size = logits.size(-1)
        if allow is None:
            said = _said(module)
            allow = read_rules(said, vocab_size=size).begin(given, len(given) + most)
        best = allow(logits[:, -1].float(), ids).argmax(dim=-1, keepdim=True)
        written.append(int(best))
        ids = torch.cat([ids, best.to(ids)], dim=1)
    known = Specials(stops=tuple(ends), around=(before, after))
    return GivenWords(tokenizer=tokenizer, vocab_size=size, specials=known).decode(written)


def _said(module: nn.Module) -> Mapping[str, Any]:
    """Return the fields by which a model of transformers writes; for other code, none."""
    config = getattr(module, "generation_config", None)
    return config.to_dict() if is_of_transformers(module) and config is not None else {}


def _ends(module: nn.Module, tokenizer: object, after: tuple[int, ...]) -> frozenset[int]:
    """Return the ids that end a text: those of the model, or else the tokenizer's."""
    size = getattr(getattr(module, "config", None), "vocab_size", 1 << 31)
    if own := ends_of(_said(module), vocab_size=size):
        return ending(own)
    end = getattr(tokenizer, "eos_token_id", None)
    return ending(after[:1] if end is None else end)
