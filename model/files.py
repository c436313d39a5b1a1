"""Files that an interruption never leaves half written."""

import os
from collections.abc import Mapping
from pathlib import Path


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write all files beside their places, then move each to its own, in the order given."""
    temporary = {path: path.with_name(f".{path.name}.{os.getpid()}.tmp") for path in contents}
    try:
        for path, data in contents.items():
            with temporary[path].open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for path in contents:
            temporary[path].replace(path)
    finally:
        for path in temporary.values():
            path.unlink(missing_ok=True)
