"""What stands around every page: the sentence, what was written, and what is said of the model."""

import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated
from qa.audit.seen import Seen
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
    if match := re.search(rf"has ({NUMBER}) of at most ({NUMBER}) tokens", notes):
        ids = truth.source_ids or truth.prompt
        ledger.same("tokens of the sentence", int(match[1]), len(ids))
    if match := re.search(
        rf"({NUMBER})(?: \+ ({NUMBER}))? layers?, ({NUMBER}) heads?, ({NUMBER}) parameters", notes
    ):
        layers = [n for n in (config["n_encoder_layers"], config["n_decoder_layers"]) if n]
        ledger.same("layers", [int(n) for n in match.groups()[:2] if n], layers)
        ledger.same("heads", int(match[3]), config["n_heads"])
        count = sum(int(np.prod(t.shape)) for t in files.tensors.values())
        ledger.same("parameters", int(match[4].replace(",", "")), count)
    else:
        ledger.missing("what the model is")
    scores = files.about.get("scores") or {}
    if not scores.get("sentences"):
        return
    if match := re.search(rf"Of ({NUMBER}) texts that it never saw, it writes ({NUMBER} %)", notes):
        ledger.same("held-out texts", int(match[1].replace(",", "")), scores["sentences"])
        check_stated(ledger, "held-out score", match[2], scores["exact_match"])
    if match := re.search(rf"weakest kind of sentence is “([^”]*)”: ({NUMBER} %)", notes):
        kinds = scores["constructions"]
        worst = min(kinds, key=lambda kind: kind["exact_match"])
        ledger.among(
            "weakest kind of sentence",
            match[1],
            [k["name"] for k in kinds if k["exact_match"] == worst["exact_match"]],
        )
        check_stated(ledger, "weakest kind of sentence", match[2], worst["exact_match"])
