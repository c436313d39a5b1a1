"""What a model writes by itself, greedily, under edits."""

from collections.abc import Callable, Mapping
from inspect import signature

import torch
from torch import Tensor, nn

from loupe.asked import on_device
from loupe.from_module import GivenWords, words_around
from loupe.native import MOST_WRITTEN, Opened, write_own
from loupe.texts import read_text, sort_out
from loupe.tracing import NO_TEXT, opened, trace
from model.edits import Edits
from model.text.words import Specials

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

    Gives the text of the new tokens alone, without the one that ends it.

    Args:
        model: As in `loupe.trace`. Of code that is not Loupe's, what gives logits (batch position
            vocab) of the ids of one text; each step runs it on the whole text so far.
        tokenizer: As in `loupe.trace`; what it puts behind every text is left out, and ends what is
            written, as does its `eos_token_id`.
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
