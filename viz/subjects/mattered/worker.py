"""The process that measures for the page: `python -m viz.subjects.mattered.worker`."""

import threading
from pathlib import Path
from typing import Any

from viz.subjects.mattered.messages import asked_edges
from viz.work.messages import Message
from viz.work.worker import Tell, serve


def work(request: Message, tell: Tell, asked: threading.Event) -> Any:  # noqa: ANN401, ARG001
    """Measure what is asked for, and tell the progress."""
    import torch

    from model.checkpoints.checkpoint import load_checkpoint
    from sample_data.atlas import measure
    from sample_data.records import to_plain, weights_digest
    from sample_data.tasks import load_held_out
    from viz.subjects.mattered.damage import edge_losses

    torch.set_num_threads(1)
    path = Path(request["checkpoint"])
    checkpoint = load_checkpoint(path)

    def progress(done: int, total: int) -> None:
        tell({"progress": [done, total]})

    if request["what"] == "atlas":
        pairs = load_held_out(checkpoint.info.task)
        return to_plain(measure(checkpoint, pairs, weights_digest(path), progress))
    texts = request["source"], request["target"]
    return edge_losses(checkpoint.model, *texts, asked_edges(request), progress)


if __name__ == "__main__":
    serve(work)
