"""Folders of unknown families: run by transformers' own code, and recorded while it runs."""

from model.foreign.huggingface.folder import (
    Opened,
    RecordedFolder,
    RecordedModel,
    Recording,
    plan_recording,
    record_folder,
)

__all__ = [
    "Opened",
    "RecordedFolder",
    "RecordedModel",
    "Recording",
    "plan_recording",
    "record_folder",
]
