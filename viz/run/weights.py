"""The weights of checkpoints for the browser, each file under a name made of its contents."""

import dataclasses
import hashlib
from collections import OrderedDict
from pathlib import Path
from threading import Lock

from model.config import TransformerConfig
from model.writing import NO_RULES, WritingRules
from viz.pictures.browser_modules import base_path
from viz.run.result_cache import cached
from viz.run.session import Stamp, stamp

FOLDER = "weights"
"""What the path of a file begins with."""
MOST_BYTES = 6_000_000
"""Of a file that is offered: a larger model is too slow in a browser to follow a hand."""

_MOST = 64
_offered: OrderedDict[str, Stamp] = OrderedDict()
_lock = Lock()


_KNOWN_POSITIONS = ("sinusoidal", "double_sine", "single_frequency", "learned", "none")
_AS_IN_THE_PAPER = (
    "n_kv_heads", "score_scale", "window", "activation", "gated", "feed_forward_bias",
    "attention_output_bias", "position_offset", "segments", "embedding_norm", "head",
    "generator_bias", "scale_logits",
)  # fmt: skip
"""Fields of which the browser knows the paper's choice alone."""


def runs_in_browser(config: TransformerConfig, rules: WritingRules = NO_RULES) -> bool:
    """Return whether the model's twin in the browser computes and writes all that this one does."""
    usual = {field.name: field.default for field in dataclasses.fields(config)}
    return (
        config.has_cross_attention
        and rules == NO_RULES
        and config.d_ff > 0
        and config.positions in _KNOWN_POSITIONS
        and config.norm != "rms"
        and config.norm_placement != "parallel"
        and all(getattr(config, name) == usual[name] for name in _AS_IN_THE_PAPER)
    )


def offer_weights(checkpoint: str) -> tuple[str, str] | None:
    """Return the name of a checkpoint's weights and the path at which the server has them.

    None where there are too many. Nothing is served that was not offered.
    """
    found = stamp(checkpoint)
    if _file(found).stat().st_size > MOST_BYTES:
        return None
    key = _digest(found)
    with _lock:
        _offered[key] = found
        _offered.move_to_end(key)
        if len(_offered) > _MOST:
            _offered.popitem(last=False)
    return key, f"{base_path()}/{FOLDER}/{key}"


def find_weights(key: str) -> bytes | None:
    """Return the file that was offered under a name, if it is still the same."""
    with _lock:
        found = _offered.get(key)
    if found is None:
        return None
    try:
        contents = _file(found).read_bytes()
    except OSError:
        return None
    return contents if hashlib.sha256(contents).hexdigest() == key else None


@cached
def _digest(found: Stamp) -> str:
    return hashlib.sha256(_file(found).read_bytes()).hexdigest()


def _file(found: Stamp) -> Path:
    path = Path(found.path)
    return path.with_name(f"{path.name}.safetensors")
