"""Loads a folder into the class of transformers that it names, if all its weights belong there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from model.files.json_fields import shorten
from model.foreign.huggingface.foreign_config import config_for


def load_model(path: Path, said: Mapping[str, Any], dtype: torch.dtype) -> nn.Module:
    """Load a folder into the class that it names. Raises ValueError on weights that do not fit."""
    config = config_for(said)
    kind, is_bare = _class_for(said, config)
    model, about = kind.from_pretrained(
        str(path.resolve()),
        config=config,
        dtype=dtype,
        local_files_only=True,
        output_loading_info=True,
        trust_remote_code=False,
        use_safetensors=True,
    )
    for which, words in (
        ("missing_keys", "its weights have no {}, which its config describes"),
        ("unexpected_keys", "its weights have {}, which its config does not describe"),
        ("mismatched_keys", "{} does not have the shape that its config describes"),
        ("error_msgs", "transformers could not load it: {}"),
    ):
        found = sorted(map(str, about.get(which) or ()))
        if found := [name for name in found if not (is_bare and _is_of_a_head(model, name))]:
            raise ValueError(words.format(shorten(found[0])))
    return model


def _is_of_a_head(model: Any, name: str) -> bool:  # noqa: ANN401 - a PreTrainedModel
    """Return whether a weight belongs to a head on the hidden states of a bare model.

    Such a head is not part of the bare model, or is its pooler, which many folders leave out.
    """
    first = name.removeprefix(f"{model.base_model_prefix}.").split(".")[0]
    return first == "pooler" or first not in dict(model.named_children())


def _class_for(said: Mapping[str, Any], config: Any) -> tuple[Any, bool]:  # noqa: ANN401
    """Choose a class of transformers, and return it with whether it is the model without a head.

    That bare model is chosen if the folder names no class, or one that predicts no tokens, such as
    a classifier.
    """
    import transformers
    from transformers.models.auto import modeling_auto as auto

    kind = config.model_type
    bare = auto.MODEL_MAPPING_NAMES.get(kind)
    bare = bare[0] if isinstance(bare, list | tuple) else bare
    offered = [
        names[kind]
        for names in (
            auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
            auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
            auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
            auto.MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES,
        )
        if isinstance(names.get(kind), str)
    ]
    others = [
        names.get(kind)
        for name, names in vars(auto).items()
        if name.startswith("MODEL_FOR_") and name.endswith("_MAPPING_NAMES")
    ]
    if bare is None:
        raise ValueError(f"transformers has no text model for {shorten(kind)}")
    asked = said.get("architectures")
    wanted = asked[0] if isinstance(asked, list) and asked else bare
    if wanted in offered and wanted != bare:
        return getattr(transformers, wanted), False
    if wanted != bare and wanted not in others:
        known = ", ".join(dict.fromkeys((*offered, bare)))
        raise ValueError(
            f"architectures of config.json must be one of {known} to be recorded, got "
            f"{shorten(wanted)}"
        )
    return getattr(transformers, bare), True
