"""Loupe from Python: look inside a transformer, in a notebook, in a script, or in the app.

run = loupe.trace(model, tokenizer, "a text")
run["decoder.layers.1.self_attn.weights"]
"""

from importlib import import_module
from typing import TYPE_CHECKING

from loupe.module_finder import move_in

if TYPE_CHECKING:
    from loupe.ablation import ablate
    from loupe.direct_logits import logit_attribution
    from loupe.effects import Effects
    from loupe.generation import generate, write
    from loupe.induction import HeadScores, induction_scores, previous_token_scores
    from loupe.listing import models
    from loupe.loading import load, save
    from loupe.logit_lens import Lens, lens
    from loupe.patching import patch
    from loupe.path_patching import path_patch
    from loupe.run import Run
    from loupe.saved_runs import load_run
    from loupe.serving import explore
    from loupe.tracing import trace

__all__ = [
    "Effects",
    "HeadScores",
    "Lens",
    "Run",
    "ablate",
    "explore",
    "generate",
    "induction_scores",
    "lens",
    "load",
    "load_run",
    "logit_attribution",
    "models",
    "patch",
    "path_patch",
    "previous_token_scores",
    "save",
    "trace",
    "write",
]

_MODULES = {
    "__version__": "about",
    "Effects": "effects",
    "Lens": "logit_lens",
    "Run": "run",
    "ablate": "ablation",
    "explore": "serving",
    "generate": "generation",
    "HeadScores": "induction",
    "induction_scores": "induction",
    "previous_token_scores": "induction",
    "lens": "logit_lens",
    "load": "loading",
    "load_run": "saved_runs",
    "logit_attribution": "direct_logits",
    "models": "listing",
    "patch": "patching",
    "path_patch": "path_patching",
    "save": "loading",
    "trace": "tracing",
    "write": "generation",
}

move_in()


def __getattr__(name: str) -> object:
    """Import a name on first use, because torch takes seconds and the command does not need it."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", *filter(_is_special, globals())])


def _is_special(name: str) -> bool:
    return name.startswith("__")
