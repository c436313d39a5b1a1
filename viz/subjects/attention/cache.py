"""Results for the Attention page, computed once for all sessions."""

from model.attribution.ablation import sweep
from model.attribution.sublayers import Cut, heads
from viz.address.selection import Selection
from viz.run.axes import AttentionKind
from viz.run.record import guesses
from viz.run.tensor_parcel import TensorParcel, pack_head
from viz.run.view import View, per_view
from viz.subjects.attention.scaling import Scaling, scaling

_LONGEST_CUT = 48
"""The largest number of tokens for which the page measures the ablation of each head at once."""
_MOST_PRODUCTS = 10_000_000_000
"""The largest product of weights, tokens and cuts: about a second of one core."""


@per_view
def head_damage(view: View) -> dict[str, float]:
    """Return how much the loss per token rises without each head, in nats.

    The keys are "kind layer head". One batch measures all heads. The result is empty if this would
    take too long, if the model predicts nothing, or if its heads cannot be cut.
    """
    run = view.run
    if run.anatomy.predicts is None or run.anatomy.is_recorded:
        return {}
    read = run.source.ids if run.info.config.has_encoder else ()
    length = max(len(read), len(run.steps))
    cut = heads(run.info.config)
    products = view.model.n_parameters * length * len(cut)
    if length > _LONGEST_CUT or products > _MOST_PRODUCTS:
        return {}
    cuts: list[Cut] = [(), *((one,) for one in cut)]
    hidden = {guess.position: guess.id for guess in guesses(run)}
    found = sweep(view.model, read, run.target_ids, cuts, base=run.edits, hidden=hidden)
    own, *losses = found.losses.tolist()
    kinds = {
        site.path(layer): f"{site.name} {layer}"
        for site in run.anatomy.sites
        for layer in range(site.layers)
    }
    return {
        f"{kinds[one.sublayer]} {one.head}": loss - own
        for one, loss in zip(cut, losses, strict=True)
    }


@per_view
def measured_scaling(view: View, chosen: Selection) -> Scaling:
    """Recompute every softmax of a run with other divisors, and the selected row."""
    return scaling(view.run, chosen.kind, chosen.layer, chosen.head, chosen.query)


@per_view
def packed_head(view: View, kind: AttentionKind, layer: int, head: int) -> TensorParcel:
    """Pack the tensors of a head, and everything from which the browser recomputes them."""
    model = None if view.run.anatomy.is_recorded else view.model
    return pack_head(view.run, model, kind, layer, head)
