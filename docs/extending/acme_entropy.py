"""A page: how evenly each head spreads its attention, and a button that switches one head off."""

from collections.abc import Mapping

import streamlit as st
import torch

from loupe.plugins import (
    VERSION,
    Intervention,
    View,
    add_changes,
    bound,
    language,
    run_of,
    running_again,
)

assert VERSION == 1, f"written for version 1 of loupe.plugins, found {VERSION}"

URL = "acme-entropy"
TITLE = {"en": "Entropy", "fr": "Entropie"}
PLACE = "measure"
NEEDS = running_again  # a model of Loupe's own, as its heads can be switched off

TEXTS = {
    "en": {"least": "Heads above (bits)", "head": "head", "off": "Switch off the first"},
    "fr": {
        "least": "Têtes au-dessus de (bits)",
        "head": "tête",
        "off": "Couper la 1re",
    },
}


def entropies(weights: Mapping[str, torch.Tensor]) -> dict[tuple[str, int], float]:
    """Compute the mean entropy of the rows of each head in bits, the largest first."""
    found = {}
    for name, of_heads in weights.items():
        rows = -torch.special.xlogy(of_heads, of_heads).sum(-1) / torch.log(torch.tensor(2.0))
        for head, mean in enumerate(rows.mean(-1)[0].tolist()):
            found[name.removesuffix(".weights"), head] = mean
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def render(view: View) -> None:
    """Draw the page."""
    say = TEXTS.get(language(), TEXTS["en"])
    run = run_of(view)
    least = st.slider(say["least"], key=bound("acme-least", 0.0, within=(0.0, 8.0)))
    found = entropies({name: run[name] for name in run.names("*_attn.weights")})
    shown = [each for each in found.items() if each[1] >= least]
    st.dataframe([{say["head"]: f"{name} {head}", "bits": bits} for (name, head), bits in shown])
    if shown:
        (name, head), _ = shown[0]
        off = Intervention("zero", f"{name}.heads", head=head)
        st.button(say["off"], key="acme-off", on_click=add_changes, args=(view, off))


def cards(view: View, selection: object) -> Mapping[str, str]:  # noqa: ARG001
    """Return lines of Python by heading; `checkpoint` and `text` are those of the run in view."""
    return {
        TITLE.get(language(), TITLE["en"]): "\n".join(
            [
                "from acme_entropy import entropies",
                "run = loupe.trace(checkpoint, text)",
                'print(entropies({name: run[name] for name in run.names("*_attn.weights")}))',
            ]
        )
    }
