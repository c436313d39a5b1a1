"""The process that trains the toy for the page: `python -m viz.subjects.induction.worker`."""

import threading
from typing import Any

from viz.subjects.induction.live_training import LOOK_EVERY, STEPS, Plan
from viz.work.messages import Message
from viz.work.worker import Tell, serve

_TEXTS = 8000
_HELD_OUT = 40
"""Rows that the model is scored on at each look."""
_BATCH = 32


def work(request: Message, tell: Tell, asked: threading.Event) -> Any:  # noqa: ANN401
    """Train as the plan says; tell at each look how much is copied and what the heads read."""
    import torch

    from model.training.loop import Recipe, Trainer, new_model
    from model.training.text_evaluation import evaluate_texts
    from sample_data.one_text.tasks import TEXT_TASKS
    from sample_data.one_text.training import describe_text, text_examples

    torch.set_num_threads(1)
    plan = Plan(**request)
    task = TEXT_TASKS["induction"]
    overrides = {"d_model": 64, "n_heads": plan.heads, "d_ff": 0}
    info = describe_text(task, plan.layers, overrides)
    training, held_out = text_examples(task, info.tokenizers, _TEXTS)
    recipe = Recipe(
        steps=STEPS,
        batch_size=_BATCH,
        warmup=100,
        factor=0.24,
        label_smoothing=0.0,
        seed=plan.seed,
    )
    trainer = Trainer(new_model(info.config, plan.seed), training, recipe)

    def look() -> None:
        found = evaluate_texts(trainer.model, held_out[:_HELD_OUT])
        heads = [[h.layer, h.head, h.looks, h.previous] for h in found.heads]
        tell({"step": trainer.step_count, "right": found.right, "heads": heads})
        tell({"progress": [trainer.step_count, STEPS]})

    look()
    while trainer.step_count < STEPS and not asked.is_set():
        trainer.step()
        if trainer.step_count % LOOK_EVERY == 0:
            look()
    return trainer.step_count


if __name__ == "__main__":
    serve(work)
