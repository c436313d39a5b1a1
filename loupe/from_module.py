"""A user's own module round torch's transformer as the pages of the app show it: by a copy."""

from torch import Tensor, nn

from loupe.foreign import on_device
from loupe.texts import read_text
from loupe.user_tokenizer import GivenWords, words_around
from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.foreign.imports.torch_module import pour_torch
from model.text.tokenizer import Tokenizers
from model.text.words import Specials


def poured(
    module: nn.Module, tokenizer: object, text: str | None, target: str | None
) -> Checkpoint:
    """Copy a module that has torch's transformer in it, once both gave the same for a text.

    Raises TypeError without a text, or on a tokenizer of a kind that cannot be read by, and
    ValueError where the module cannot be followed, or its copy gives something else.
    """
    if text is None:
        raise TypeError(
            "a module is run once on a text, to hold its copy against it: "
            'loupe.explore(module, tokenizer, "a text"), and target="a text" where it has a decoder'
        )
    texts = [_ids(module, tokenizer, text)]
    if target is not None:
        texts.append(_ids(module, tokenizer, target, as_target=True))
    pad_id = getattr(tokenizer, "pad_token_id", None)
    model = pour_torch(module, *texts, pad_id=pad_id if type(pad_id) is int else 0)
    config, around = model.config, words_around(tokenizer, text)
    before, after = around
    if config.has_encoder and config.has_decoder and not before:
        raise ValueError(
            "nothing says with which token this module begins to write: the tokenizer has to put "
            "one before every text, such as <s>"
        )
    specials = Specials(
        pad=config.pad_id,
        bos=before[-1] if before else None,
        eos=after[0] if after else None,
        start=before[0] if config.has_encoder and before else None,
        around=around,
        before_prompt=before,
    )
    sides = [
        GivenWords(tokenizer=tokenizer, vocab_size=size, specials=specials)
        for size in (
            config.source_vocab_size or config.target_vocab_size,
            config.target_vocab_size or config.source_vocab_size,
        )
    ]
    both = Tokenizers(*sides, shared=sides[0].vocab_size == sides[1].vocab_size)
    return Checkpoint(CheckpointInfo.of_others(type(module).__name__, config, both), model)


def _ids(module: nn.Module, tokenizer: object, text: str, *, as_target: bool = False) -> Tensor:
    return on_device(module, read_text(tokenizer, text, as_target=as_target)).ids
