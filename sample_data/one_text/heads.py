"""The loss on held-out texts without each head of a model of one text."""

import torch

from model.attribution.cuts import cut_everywhere, mean_outputs
from model.attribution.sublayers import Cut, heads
from model.checkpoints.checkpoint import Checkpoint
from model.training.text_evaluation import TextEvaluation, evaluate_texts
from sample_data.one_text.record import HeadCut, HeadTable, Reading
from sample_data.one_text.tasks import find_text_task, load_held_out_texts, load_texts
from sample_data.one_text.training import encode_texts

_MEAN_TEXTS = 500


def measure_heads(checkpoint: Checkpoint, weights: str, held_out: int | None = None) -> HeadTable:
    """Cut each head alone and each layer of heads, over held-out texts, all or the first ones."""
    torch.set_num_threads(1)
    model, info = checkpoint.model, checkpoint.info
    task, vocabulary = find_text_task(info.task), info.tokenizers.target.vocabulary
    examples = encode_texts(load_held_out_texts(task.name)[:held_out], task, vocabulary)
    others = encode_texts(load_texts(task.name, _MEAN_TEXTS), task, vocabulary)
    means = mean_outputs(model, others)
    alone, count = heads(model.config), model.config.n_heads
    layers = [alone[i : i + count] for i in range(0, len(alone), count)]
    groups = [[(head,) for head in alone], layers if count > 1 else []]

    def score(cut: Cut) -> HeadCut:
        edits = cut_everywhere(model.config, cut, "mean", means)
        return _as_record(cut, evaluate_texts(model, examples, edits=edits))

    cuts = [sorted(map(score, group), key=lambda cut: cut.right) for group in groups]
    whole = evaluate_texts(model, examples)
    return HeadTable(
        weights=weights,
        texts=len(examples),
        mean_texts=len(others),
        chance=whole.chance,
        whole=_as_record((), whole),
        cuts=tuple(cut for group in cuts for cut in group),
    )


def _as_record(cut: Cut, scores: TextEvaluation) -> HeadCut:
    return HeadCut(
        cut=tuple((int(part.sublayer.split(".")[2]), part.head or 0) for part in cut),
        right=scores.right,
        loss=scores.loss,
        kinds={kind.name: kind.right for kind in scores.kinds},
        readings=tuple(Reading(h.layer, h.head, h.looks, h.previous) for h in scores.heads),
    )
