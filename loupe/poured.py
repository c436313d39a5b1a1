"""A model of transformers in this process as one of Loupe's: what the pages of the app show.

Nothing goes by the disk, and weights that both keep alike are one in memory.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import tokenizers
import torch

from loupe.foreign import model_name
from model.checkpoint import Checkpoint
from model.checkpoint_json import CheckpointInfo
from model.config import TransformerConfig
from model.held import evaluating
from model.imports.family import importers
from model.imports.load import fill
from model.imports.plan import check_taken, model_without_numbers
from model.imports.settings import Settings
from model.imports.words import ForeignWords, read_words
from model.tokenizer import Tokenizers
from model.transformer import Transformer

_LARGEST_SHARE = 1e-3
"""Of the largest number that transformers gives, by which Loupe's may differ."""
_PROBED = 8
_SPECIALS = ("pad", "bos", "eos", "unk", "mask")


def poured(model: Any, tokenizer: object) -> Checkpoint:  # noqa: ANN401 - a PreTrainedModel
    """Make Loupe's own model of one of transformers, and hold what it gives against that.

    Raises ValueError where Loupe has no such model, or it gives something else, and TypeError where
    the rules of the tokenizer cannot be read.
    """
    values = json.loads(model.config.to_json_string(use_diff=True))
    family = importers().get(str(values.get("model_type")))
    if family is None:
        known = sorted({one.title for one in importers().values()})
        raise ValueError(
            f"the app shows models that Loupe has of its own: {', '.join(known)}; of "
            f"{type(model).__name__} loupe.trace gives a run"
        )
    weights = {name: tensor.detach() for name, tensor in model.state_dict().items()}
    settings = Settings(values)
    config = family.read_config(settings, weights.keys())
    settings.refuse_unread()
    words = _words(tokenizer, values, config)
    if not config.has_encoder:
        config = replace(config, pad_id=words.specials.pad or 0)
    taken = family.take(weights, config)
    own = model_without_numbers(config)
    check_taken(taken, own)
    fill(own, taken)
    _check_alike(own, model)
    name = model_name(model)
    info = CheckpointInfo(
        name=name,
        title=f"{name} ({family.title})",
        variant="custom",
        task="",
        config=config,
        tokenizers=Tokenizers(words, words, shared=True),
        training={},
        scores={},
    )
    return Checkpoint(info, own)


def _words(tokenizer: object, values: Mapping[str, Any], config: TransformerConfig) -> ForeignWords:
    rules = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not isinstance(rules, tokenizers.Tokenizer):
        raise TypeError(
            "the app reads texts by a fast tokenizer of transformers, or one of tokenizers, got "
            f"{type(tokenizer).__name__}; loupe.trace takes any"
        )
    about = {f"{name}_token": getattr(tokenizer, f"{name}_token", None) for name in _SPECIALS}
    words = read_words(
        rules.to_str().encode(), about, values, vocab_size=config.predicted_vocab_size
    )
    if config.has_encoder:
        words = replace(words, specials=replace(words.specials, pad=config.pad_id))
    return words


@torch.no_grad()
def _check_alike(own: Transformer, model: Any) -> None:  # noqa: ANN401
    """Raise ValueError unless both give the same for a few ids."""
    config = own.config
    size = min(_PROBED, config.predicted_vocab_size - 1, config.max_length)
    ids = torch.tensor([[i for i in range(size + 1) if i != config.pad_id]], device=own.device)
    given = {"input_ids": ids}
    if config.has_encoder and config.has_decoder:
        given["decoder_input_ids"] = ids
    with evaluating(model.modules()):
        usual = model(**given, return_dict=True).get("logits")
    found = own(ids if config.has_encoder else None, ids if config.has_decoder else None).logits
    if usual is None or found is None:
        return
    apart = (usual - found).abs().max().item()
    if apart > _LARGEST_SHARE * usual.abs().max().item():
        raise ValueError(
            f"Loupe's own model gives logits up to {apart:.1g} from those of transformers, so that "
            "its pages would show another model; loupe.trace records transformers' own"
        )
