"""What was measured of the cuts, once for each run, and of the models."""

from model.ablation import How, Means, mean_outputs
from model.corpus import make_example
from sample_data.atlas import MEAN_FIRST, MEAN_LAST
from sample_data.tasks import TASKS, load_held_out
from viz.run import session
from viz.run.cached import cached
from viz.run.session import Stamp
from viz.run.view import View, per_view
from viz.subjects.mattered.damage import Losses, measure_losses


def has_average(view: View) -> bool:
    """Tell whether there are other sentences to average over."""
    return view.run.info.task in TASKS


@per_view
def losses(view: View, how: How) -> Losses:
    """Cut each part of a run's model in turn, once."""
    name, device = view.inputs.checkpoint, view.inputs.device
    means = _means(session.stamp(name), device) if how == "mean" else None
    return measure_losses(view.run, view.model, how, means)


@cached
def _means(checkpoint: Stamp, device: str) -> Means:
    loaded = session.load_stamped(checkpoint, device)
    pairs = load_held_out(loaded.info.task)[MEAN_FIRST:MEAN_LAST]
    encode = loaded.info.tokenizers
    return mean_outputs(loaded.model, [make_example(encode, p.source, p.target) for p in pairs])
