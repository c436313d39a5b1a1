"""The models that the worker beside a page runs, and the reasons why some cannot be run there."""

from typing import Any

from model.checkpoints.metadata import CheckpointInfo
from model.text.tokenizer import Tokenizer
from model.transformer import Transformer
from texts import say_of
from viz.models.browser_inputs import model_of
from viz.models.browser_weights import MOST_BYTES, BrowserModelError, browser_bytes
from viz.models.large_models import offer_in_parts
from viz.models.opening import load_stamped
from viz.models.weights import runs_in_browser
from viz.pictures.component import picture
from viz.pictures.served import address
from viz.run.inputs import Stamp
from viz.run.view import View
from viz.run.wire import WireModel

_opened = picture("opened", "pictures/browser/live/opened.js")
_READER = "pictures/browser/twin/text/foreign_reader.js"


def running_model(view: View) -> WireModel | None:
    """Return where the browser finds a model that answers while the user types; else None."""
    return model_of(view) or model_beside(view)


def model_beside(view: View) -> WireModel | None:
    """Return where the worker beside a page finds a model that the page itself does not run.

    None if the page runs it, or the browser cannot. Slow steps wait until the browser asks.
    """
    if why_at_enter(view) is not None or model_of(view) is not None:
        return None
    info, stamp, device = view.run.info, view.stamp, view.inputs.device
    found = offer_in_parts(stamp, lambda: _open(stamp, device))
    return found if _is_own(info) else {**found, "tokenizers": address(_READER)}


def why_at_enter(view: View) -> str | None:
    """Explain why a model answers only after Enter; None if it can answer while the user types."""
    if view.run.anatomy.is_recorded:
        return say_of("frame.at_enter", "recorded")
    config, rules = view.run.info.config, view.model.rules
    if not runs_in_browser(config, rules):
        return say_of("frame.at_enter", "rules" if rules.more else "silent")
    if (size := browser_bytes(view.model)) > MOST_BYTES:
        return say_of("frame.at_enter", "large", size=size / 1e6, most=MOST_BYTES / 1e6)
    return None


def _open(stamp: Stamp, device: str) -> tuple[Transformer, dict[str, Any]]:
    """Open a model and describe it for the browser, without its weights."""
    opened = load_stamped(stamp, device)
    info, rules = opened.info, opened.model.rules
    return opened.model, {
        "config": info.config.to_dict(),
        "tokenizers": info.tokenizers.to_dict() if _is_own(info) else _pack(info),
        "rules": {"first": rules.first, "last": rules.last, "never": [*rules.never]},
        "training": {"label_smoothing": info.training.get("label_smoothing", 0)},
    }


def _pack(info: CheckpointInfo) -> dict[str, Any]:
    from model.foreign.imports.portable import pack_tokenizers  # as slow to import as the app
    from model.foreign.imports.portable_rules import NotPortableError

    try:
        return pack_tokenizers(info.tokenizers, info.config)
    except NotPortableError as error:
        raise BrowserModelError(str(error), "tokenizer") from error


def _is_own(info: CheckpointInfo) -> bool:
    return isinstance(info.tokenizers.source, Tokenizer)


def send_opened(view: View) -> None:
    """Let a page ask the worker for the parameters of the opened head while the user types."""
    if model := model_beside(view):
        _opened(key="opened", data={"model": model})
