"""Records of models that transformers computes, made while its own code runs.

    trace = record(model, input_ids=ids)
    trace.decoder.layers[1].self_attn.weights

Nothing is computed twice or rewritten here: what a record holds are the tensors that the model
itself made. transformers is imported when a model is recorded, and only in this package.
"""

from model.huggingface.attached import Attached, attached, record
from model.huggingface.folder import (
    Opened,
    RecordedFolder,
    RecordedModel,
    Recording,
    plan_recording,
    record_folder,
)

__all__ = [
    "Attached",
    "Opened",
    "RecordedFolder",
    "RecordedModel",
    "Recording",
    "attached",
    "plan_recording",
    "record",
    "record_folder",
]
