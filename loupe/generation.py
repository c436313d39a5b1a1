"""Greedy generation of text by a model, under edits."""

from collections.abc import Mapping
from inspect import signature
from typing import Any

import torch
from torch import Tensor, nn

from loupe.asked import on_device
from loupe.foreign import is_of_transformers
from loupe.from_module import GivenWords, words_around
from loupe.ids import Text, is_ids, texts_of
from loupe.native import MOST_WRITTEN, Opened, write_own
from loupe.options import EditsByName, edits_of
from loupe.renamed import warn_of
from loupe.texts import read_text, sort_out
from loupe.tracing import NO_TEXT, opened, trace
from model.foreign.imports.writing_rules import ends_of, read_rules
from model.text.words import Specials
from model.writing import Allow, ending


def generate(
    model: "Opened | nn.Module",
    tokenizer: object = None,
    text: Text | None = None,
    *,
    edits: EditsByName | None = None,
    max_new_tokens: int | None = None,
) -> str:
    """Let a model continue a text greedily, or a translation model translate it.

    Returns only the text of the new tokens, without special ones such as the end token.

    Args:
        model: As in `loupe.trace`. A third-party module must return logits (batch position vocab)
            for the ids of one text; each step runs it on the whole text so far.
        tokenizer: As in `loupe.trace`; tokens that it adds after every text are left out. The new
            text ends by the rules of the model's `generation_config`; without one, at the
            tokenizer's `eos_token_id`, or at a token that it adds after every text.
        text: The model's input: a string, or the ids of its tokens.
        edits: As in `loupe.trace`, in force at each step. A Loupe model computes only new rows, so
            an edit that counts positions must be an `OnRows` of `loupe.model.edits`.
        max_new_tokens: The largest number of new tokens: 64, or for a translation model twice its
            source if that is more. A model from `loupe.load` may run out of learned positions
            earlier.

    Raises:
        TypeError: If the module does not return such logits.
        ValueError: If the text has no token or fills the model's positions, if the model cannot
            write, if the edits have an unknown name, or if the number of tokens is below 0.
    """
    if max_new_tokens is not None and (type(max_new_tokens) is not int or max_new_tokens < 0):
        raise ValueError(f"max_new_tokens must be 0 or more, got {max_new_tokens!r}")
    changes = edits_of(edits)
    if text is None and is_ids(tokenizer):
        tokenizer, text = None, texts_of(tokenizer)
    tokenizer, text, _ = sort_out(tokenizer, text, None)
    if text is None:
        raise TypeError(NO_TEXT)
    whose = opened(model, tokenizer)
    if isinstance(whose, nn.Module):
        most = MOST_WRITTEN if max_new_tokens is None else max_new_tokens
        return _go_on(whose, tokenizer, text, edits, most)
    return write_own(whose, text, changes, max_new_tokens)


def write(
    model: "Opened | nn.Module",
    tokenizer: object = None,
    text: Text | None = None,
    *,
    edits: EditsByName | None = None,
    most: int | None = None,
    max_new_tokens: int | None = None,
) -> str:
    """Call `generate` by its old name; `most` is the old name of `max_new_tokens`."""
    warn_of("loupe.write", "loupe.generate")
    most = max_new_tokens if most is None else most
    return generate(model, tokenizer, text, edits=edits, max_new_tokens=most)


def _go_on(
    module: nn.Module,
    tokenizer: object,
    text: str | Tensor,
    edits: EditsByName | None,
    most: int,
) -> str:
    """Continue a text with a module's own code, one best token at a time."""
    if "decoder_input_ids" in signature(module.forward).parameters:
        raise TypeError(
            "generate needs a module that continues the text it reads, got one that reads two texts"
        )
    before, after = words_around(tokenizer, text) if isinstance(text, str) else ((), ())
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
            raise ValueError("this model cannot write: its rows read later tokens")
        name = "logits" if "logits" in run else "output"
        logits = run.get(name)
        if logits is None or logits.dim() != 3 or logits.size(1) != ids.size(1):
            raise TypeError(
                "generate needs a module that returns logits (batch position vocab) for its ids"
            )
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
    """Return the generation settings of a transformers model; none for other code."""
    config = getattr(module, "generation_config", None)
    return config.to_dict() if is_of_transformers(module) and config is not None else {}


def _ends(module: nn.Module, tokenizer: object, after: tuple[int, ...]) -> frozenset[int]:
    """Return the ids that end a text: the model's, or else the tokenizer's."""
    size = getattr(getattr(module, "config", None), "vocab_size", 1 << 31)
    if own := ends_of(_said(module), vocab_size=size):
        return ending(own)
    end = getattr(tokenizer, "eos_token_id", None)
    return ending(after[:1] if end is None else end)
