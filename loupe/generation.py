"""What a model writes by itself, greedily, under edits."""

from inspect import signature

import torch
from torch import Tensor, nn

from loupe.foreign import on_device
from loupe.from_module import GivenWords, words_around
from loupe.ids import Text, is_ids, texts_of
from loupe.native import MOST_WRITTEN, Opened, write_own
from loupe.options import EditsByName, edits_of
from loupe.renamed import warn_of
from loupe.texts import read_text, sort_out
from loupe.tracing import NO_TEXT, opened, trace
from model.text.words import Specials


def generate(
    model: "Opened | nn.Module",
    tokenizer: object = None,
    text: Text | None = None,
    *,
    edits: EditsByName | None = None,
    max_new_tokens: int | None = None,
) -> str:
    """Let a model write greedily what follows a text, or a translator its translation.

    Gives the text of the new tokens alone, without the one that ends it.

    Args:
        model: As in `loupe.trace`. Of code that is not Loupe's, what gives logits (batch position
            vocab) of the ids of one text; each step runs it on the whole text so far.
        tokenizer: As in `loupe.trace`; what it puts behind every text is left out, and ends what is
            written, as does its `eos_token_id`.
        text: What the model reads: a string, or the ids of its tokens.
        edits: As in `loupe.trace`, in force at each step. A model of Loupe computes only the rows
            that are new, so an edit that counts positions is an `OnRows` of `loupe.model.edits`.
        max_new_tokens: Tokens that it writes at most: 64, or for a translator twice its source if
            that is more. Learned positions of what `loupe.load` gives may end before.

    Raises:
        TypeError: On a module that gives no such logits.
        ValueError: On a text without a token or as long as may be, a model that writes nothing, a
            name in the edits that nothing has, a number of tokens below 0.
    """
    if max_new_tokens is not None and (type(max_new_tokens) is not int or max_new_tokens < 0):
        raise ValueError(f"max_new_tokens must be a number from 0 on, got {max_new_tokens!r}")
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
    """Do what `generate` does: this is its old name, and `most` that of `max_new_tokens`."""
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
    """Continue a text by a module's own code: the best token of the last row, again and again."""
    if "decoder_input_ids" in signature(module.forward).parameters:
        raise TypeError("a module must go on with the text that it reads, got one of two texts")
    before, after = words_around(tokenizer, text) if isinstance(text, str) else ((), ())
    end = getattr(tokenizer, "eos_token_id", None)
    end = after[0] if end is None and after else end
    ids = on_device(module, read_text(tokenizer, text)).ids
    ids = ids[:, : ids.size(1) - len(after)]
    name: str | None = None
    written: list[int] = []
    size = 0
    while len(written) < most and (not written or written[-1] != end):
        run = trace(module, inputs=ids, edits=edits, check=False, names=name)
        if run.names("encoder.*"):
            raise ValueError("a model whose rows read later ones writes nothing")
        name = "logits" if "logits" in run else "output"
        logits = run.get(name)
        if logits is None or logits.dim() != 3 or logits.size(1) != ids.size(1):
            raise TypeError("a module that writes gives logits (batch position vocab) of its ids")
        size = logits.size(-1)
        best = logits[:, -1:].argmax(dim=-1)
        written.append(int(best))
        ids = torch.cat([ids, best.to(ids)], dim=1)
    known = Specials(eos=end, around=(before, after))
    return GivenWords(tokenizer=tokenizer, vocab_size=size, specials=known).decode(written)
