"""The process that projects for a page: `python -m viz.subjects.embeddings.worker`."""

import threading

from viz.subjects.embeddings.messages import pack_projection, read_request
from viz.subjects.embeddings.projection import project
from viz.work.messages import Message
from viz.work.worker import Tell, serve


def work(request: Message, tell: Tell, asked: threading.Event) -> Message:  # noqa: ARG001
    """Project what comes in, and tell the progress."""
    vectors, settings = read_request(request)
    return pack_projection(project(vectors, settings, lambda *done: tell({"progress": list(done)})))


if __name__ == "__main__":
    serve(work)
