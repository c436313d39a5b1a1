"""Models in a Hugging Face cache, laid out as Hugging Face's own client does."""

import shutil
from pathlib import Path

from tests.model.foreign.hub.stand_in import COMMIT

FILES = {"config.json": b"{}", "model.safetensors": b"", "tokenizer.json": b"{}"}


def write_entry(
    root: Path,
    repo: str,
    *,
    folder: Path | None = None,
    commit: str = COMMIT,
    refs: tuple[str, ...] = ("main",),
    without: tuple[str, ...] = (),
) -> Path:
    """Put a model into a cache, from a folder or as files that only look like a model.

    Return the snapshot, whose files are links to blobs.
    """
    entry = root / ("models--" + repo.replace("/", "--"))
    snapshot = entry / "snapshots" / commit
    snapshot.mkdir(parents=True, exist_ok=True)
    (entry / "blobs").mkdir(exist_ok=True)
    files = {path.name: path for path in folder.iterdir()} if folder else dict.fromkeys(FILES)
    for name, path in files.items():
        if name in without:
            continue
        blob = entry / "blobs" / f"{commit[:6]}{len(name)}{name[0]}"
        if path:
            shutil.copy(path, blob)
        else:
            blob.write_bytes(FILES[name])
        (snapshot / name).symlink_to(Path("..") / ".." / "blobs" / blob.name)
    for ref in refs:
        (entry / "refs" / ref).parent.mkdir(parents=True, exist_ok=True)
        (entry / "refs" / ref).write_text(commit)
    return snapshot
