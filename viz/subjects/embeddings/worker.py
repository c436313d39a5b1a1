"""The process that projects for a page: `python -m viz.subjects.embeddings.worker`.

Reads vectors and settings from its input, pickled; writes messages to its output, pickled.
"""

import os
import pickle
import signal
import sys
from typing import BinaryIO

from viz.subjects.embeddings.projection import project

_NICENESS = 10
"""Of the process: the pages come first."""


def main() -> None:
    """Project what comes in; tell ("progress", done, total), then ("done", projection).

    What cannot be projected is told as ("failed", why). Where nobody reads any more, it ends.
    """
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this one
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # so that no library writes among the messages
    vectors, settings = pickle.load(sys.stdin.buffer)
    try:
        projection = project(vectors, settings, lambda *done: _tell(output, "progress", *done))
    except BrokenPipeError:
        return
    except Exception as error:  # a page says what it was, of whatever kind
        _tell(output, "failed", str(error) or type(error).__name__)
        return
    _tell(output, "done", projection)


def _tell(output: BinaryIO, *message: object) -> None:
    pickle.dump(message, output)
    output.flush()


if __name__ == "__main__":
    main()
