"""Steps of training a second, against torch's own stack: `python -m qa.benchmarks.train`.

Both loops see the same batches, with the same loss, optimiser and sizes (2+2 layers, d_model 64, 4
heads, d_ff 256, batch 128), and take turns. torch.nn.Transformer stands between the same
embeddings and the same last linear layer. It applies dropout in more places than the paper, so ours
is also measured with dropout at all of them.
"""

import argparse
import statistics
import time
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from model.corpus import Batches, make_example
from model.masks import causal_mask, padding_mask
from model.presets import preset
from model.tokenizer import PAD_ID, Tokenizers
from model.training import Recipe, new_model, smoothed_loss
from model.transformer import Transformer
from qa.benchmarks.rows import Row, show
from qa.benchmarks.turns import ratio
from sample_data.tasks import load_training

WARM = 5
"""Steps that are not counted."""
EVERYWHERE = ("embedding", "attention_weights", "feed_forward_hidden", "sublayer_output")


class TorchTransformer(nn.Module):
    """torch.nn.Transformer between the embeddings and the generator of one of ours."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        config = model.config
        self.source_embedding = model.source_embedding
        self.target_embedding = model.target_embedding
        self.stack = nn.Transformer(
            config.d_model,
            config.n_heads,
            config.n_encoder_layers,
            config.n_decoder_layers,
            config.d_ff,
            config.dropout,
            batch_first=True,
        )
        self.generator = model.generator

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Give the logits, with the same masks as ours."""
        source_padding = ~padding_mask(source, PAD_ID)[:, 0]
        hidden = self.stack(
            self.source_embedding(source).output,
            self.target_embedding(target).output,
            tgt_mask=~causal_mask(target.size(1))[0],
            src_key_padding_mask=source_padding,
            memory_key_padding_mask=source_padding,
            tgt_key_padding_mask=~padding_mask(target, PAD_ID)[:, 0],
            tgt_is_causal=True,
        )
        return self.generator(hidden)


class Loop:
    """A model and its optimiser, timed step by step."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model.train()
        self.optimizer = torch.optim.Adam(
            model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9, foreach=True
        )
        self.times: list[float] = []

    def step(self, source: Tensor, target: Tensor) -> None:
        """Take one step and note how long it took."""
        start = time.process_time()
        result = self.model(source, target[:, :-1])
        logits = result if isinstance(result, Tensor) else result.logits
        loss = smoothed_loss(logits, target[:, 1:], Recipe().label_smoothing)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.times.append(time.process_time() - start)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=60)
    args = parser.parse_args()
    print(f"2+2 layers, d_model 64, 4 heads, d_ff 256, batch 128, {args.threads} thread(s)")
    show(rows(args.steps, threads=args.threads))


def rows(steps: int, *, threads: int = 1) -> Iterator[Row]:
    """Compare a step with one of the same loop around torch.nn.Transformer."""
    torch.set_num_threads(threads)
    pairs = load_training("english-french", 10_000)
    tokenizers = Tokenizers.train(
        [p.source for p in pairs],
        [p.target for p in pairs],
        source_kind="word",
        target_kind="word",
        shared=True,
    )
    examples = [make_example(tokenizers, p.source, p.target) for p in pairs]
    batches = Batches(examples, batch_size=128, seed=0)
    sizes = {
        "source_vocab_size": tokenizers.source.vocab_size,
        "target_vocab_size": tokenizers.target.vocab_size,
        "d_model": 64,
        "n_heads": 4,
        "d_ff": 256,
        "n_encoder_layers": 2,
        "n_decoder_layers": 2,
    }
    loops = {
        "torch": Loop(TorchTransformer(new_model(preset("paper", **sizes), 0))),
        "a training step": Loop(new_model(preset("paper", **sizes), 0)),
        "a training step, dropout wherever torch has it": Loop(
            new_model(preset("paper", **sizes, dropout_at=EVERYWHERE), 0)
        ),
    }
    for step in range(steps):
        source, target = batches[step]
        for loop in loops.values():
            loop.step(source, target)
    theirs = loops.pop("torch").times[WARM:]
    for name, loop in loops.items():
        ours = loop.times[WARM:]
        middle, against = (1e3 * statistics.median(times) for times in (ours, theirs))
        yield Row(name, middle, "ms", against, "torch.nn.Transformer", ratio(ours, theirs), 1.0)


if __name__ == "__main__":
    main()
