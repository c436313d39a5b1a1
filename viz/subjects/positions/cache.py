"""Reruns with changed positions, once for each choice; and checkpoints with learned positions."""

from model.checkpoints.checkpoint import CheckpointError
from viz.run import session
from viz.run.view import View, per_view
from viz.subjects.positions.lengths import Text
from viz.subjects.positions.reruns import Change, Rerun, Where, order_gap, rerun
from viz.subjects.positions.table import PositionTable


@per_view
def changed_run(view: View, change: Change, where: Where, seed: int) -> Rerun:
    """Run the view's sentence with changed positions."""
    return rerun(view.run, view.model, change, where, seed)


@per_view
def order_gaps(view: View, seed: int) -> tuple[float, float]:
    """Measure how far the encoder tells a shuffled source: with its positions, and without."""
    with_positions = order_gap(view.run, view.model, seed, zeroed=False)
    return with_positions, order_gap(view.run, view.model, seed, zeroed=True)


def learned_checkpoints() -> tuple[str, ...]:
    """List the checkpoints whose positions were learned; broken ones are left out."""
    found: list[str] = []
    for name in session.checkpoint_names():
        try:
            kind = session.read_info(name).config.positions
        except CheckpointError:
            continue
        if kind == "learned":
            found.append(name)
    return tuple(found)


def learned_sides(name: str) -> tuple[Text, ...]:
    """Name the texts that a checkpoint reads. Raises CheckpointError on a broken one."""
    config = session.read_info(name).config
    read: dict[Text, bool] = {"source": config.has_encoder, "target": config.has_decoder}
    return tuple(text for text, is_read in read.items() if is_read)


def learned_table(name: str, device: str, text: Text) -> PositionTable:
    """Take the learned positions of one side. Raises CheckpointError on a broken checkpoint."""
    model = session.load_checkpoint(name, device).model
    embedding = model.embedding_of(text)
    if embedding.learned is None:
        raise ValueError(f"the positions of {name} are not learned")
    rows = embedding.learned.weight[model.config.position_offset :]
    return PositionTable("learned", rows.detach().cpu().double().numpy())
