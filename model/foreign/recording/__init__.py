"""Records third-party models while their own code runs.

    trace = record(model, input_ids=ids)
    trace.decoder.layers[1].self_attn.weights

One recorder serves models of transformers and all other torch modules. It sees each attention, in
any of the three ways to write one, and the inputs and outputs of each module. If the values of one
pass prove which parts these are, the record has Loupe's names (`record`); otherwise attentions have
the paths of their modules (`trace_module`). transformers is imported only to record its models.
"""

from model.foreign.recording.attention import RecordedAttention
from model.foreign.recording.keeping import Keep, PickedTrace
from model.foreign.recording.preparation import (
    Attached,
    ModuleTrace,
    Recorded,
    attached,
    record,
    trace_module,
)

__all__ = [
    "Attached",
    "Keep",
    "ModuleTrace",
    "PickedTrace",
    "Recorded",
    "RecordedAttention",
    "attached",
    "record",
    "trace_module",
]
