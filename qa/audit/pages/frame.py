"""What stands around every page: the sentence, what was written, and what is said of the model."""

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import says
from qa.audit.page_reader import Seen
from qa.audit.truth import Truth

_SIDEBAR = "[data-testid=stSidebar]"
_ABOUT = ".st-key-about_model details"


def check_frame(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    """Hold the sentence bar and the sidebar against the files and the reference."""
    for error in seen.has_errors():
        ledger.holds("no error on the page", error, holds=False)
    if truth.translates:
        written = seen.text(".loupe-sentence")
        if written:
            ledger.same("what was written", written, truth.text or written)
    seen.page.locator(_ABOUT).evaluate("about => { about.open = true; }")
    notes = seen.text(_SIDEBAR)
    config, files = truth.files.config, truth.files
    ids, layers = truth.source_ids or truth.prompt, ("layers", config["n_encoder_layers"])
    says(ledger, notes, "has <#> of at most <#> tokens", ("tokens of the sentence", len(ids)))
    if not config["n_encoder_layers"]:
        layers = ("layers", config["n_decoder_layers"])
    says(
        ledger,
        notes,
        r"<#>(?: \+ <#>)? layers?, <#> heads?, <#> parameters",
        layers,
        ("layers", config["n_decoder_layers"]),
        ("heads", config["n_heads"]),
        ("parameters", sum(int(np.prod(t.shape)) for t in files.tensors.values())),
        missing="what the model is",
    )
    scores = files.about.get("scores") or {}
    if not scores.get("sentences"):
        return
    right = ("held-out texts", scores["sentences"]), ("held-out score", scores["exact_match"])
    says(ledger, notes, "Of <#> texts that it never saw, it writes <%>", *right)
    kinds = scores.get("constructions", [])
    least = min((kind["exact_match"] for kind in kinds), default=0.0)
    names = [kind["name"] for kind in kinds if kind["exact_match"] == least]
    weakest = ("weakest kind of sentence", names), ("weakest kind of sentence", least)
    says(ledger, notes, "weakest kind of sentence is “([^”]*)”: <%>", *weakest)
