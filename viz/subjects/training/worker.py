"""The process that trains for a page: `python -m viz.subjects.training.worker`."""

import threading
from pathlib import Path

from viz.work.messages import Message
from viz.work.worker import Tell, serve

GRACE = 30.0
"""The number of seconds that it may take to save the model."""


def work(request: Message, tell: Tell, asked: threading.Event) -> int:
    """Train in the given folder, until the plan is done or the page asks to stop."""
    import torch

    from viz.subjects.training.plan import Plan
    from viz.subjects.training.train import train

    torch.set_num_threads(1)
    return train(Plan(**request["plan"]), Path(request["folder"]), asked.is_set, tell)


if __name__ == "__main__":
    serve(work, grace=GRACE)
