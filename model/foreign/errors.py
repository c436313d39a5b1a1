"""The errors raised if a folder cannot be opened as a model."""

from model.checkpoints.errors import CheckpointError


class FolderError(CheckpointError):
    """A folder that cannot be opened as a model; the message says why, and what would work."""


class NotPouredError(FolderError):
    """A folder of a known family that Loupe's own model cannot compute; transformers may."""
