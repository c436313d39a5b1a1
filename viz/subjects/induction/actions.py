"""The buttons of the page: cut a head (ablation), or restore it."""

from model.interventions.kinds import Intervention
from sample_data.one_text.tasks import TEXT_TASKS
from viz.address import history
from viz.run.view import View


def head_cut(view: View, layer: int, head: int) -> Intervention:
    """Make the change that cuts a head: mean ablation if the task allows it, else zero ablation."""
    how = "mean" if view.run.info.task in TEXT_TASKS else "zero"
    return Intervention(how, f"decoder.layers.{layer}.self_attn.heads", head=head)


def heads_cut(view: View) -> list[tuple[int, int]]:
    """List the heads that are cut in the run in view."""
    config = view.run.info.config
    return [
        (layer, head)
        for layer in range(config.n_decoder_layers)
        for head in range(config.n_heads)
        if head_cut(view, layer, head) in view.inputs.interventions
    ]


def switch_head(view: View, layer: int, head: int) -> None:
    """Cut a head, or restore it; the change appears in the list of changes and in the link."""
    change = head_cut(view, layer, head)
    is_cut = change in view.inputs.interventions
    old, new = ((change,), ()) if is_cut else ((), (change,))
    history.exchange(old, new, view.inputs)
