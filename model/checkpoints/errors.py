"""The error raised if a checkpoint cannot be written or read."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be written or read; the message has the reason and a remedy."""
