"""What held-out texts lose without each head of a model of one text."""

from collections.abc import Sequence

import torch

from model.attribution.cuts import Part
from model.attribution.text_ablation import mean_heads, score_cut, text_heads
from model.checkpoints.checkpoint import Checkpoint
from model.training.text_evaluation import TextEvaluation
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
    means = mean_heads(model, others)
    heads = text_heads(model)
    layers = [
        heads[i : i + model.config.n_heads] for i in range(0, len(heads), model.config.n_heads)
    ]
    groups = [[(head,) for head in heads], layers if model.config.n_heads > 1 else []]

    def score(cut: Sequence[Part]) -> HeadCut:
        return _as_record(cut, score_cut(model, examples, cut, means))

    cuts = [sorted(map(score, group), key=lambda cut: cut.right) for group in groups]
    whole = score_cut(model, examples, (), means)
    return HeadTable(
        weights=weights,
        texts=len(examples),
        mean_texts=len(others),
        chance=whole.chance,
        whole=_as_record((), whole),
        cuts=tuple(cut for group in cuts for cut in group),
    )


def _as_record(cut: Sequence[Part], scores: TextEvaluation) -> HeadCut:
    return HeadCut(
        cut=tuple((int(part.sublayer.split(".")[2]), part.head or 0) for part in cut),
        right=scores.right,
        loss=scores.loss,
        kinds={kind.name: kind.right for kind in scores.kinds},
        readings=tuple(Reading(h.layer, h.head, h.looks, h.previous) for h in scores.heads),
    )
