"""The training loop (section 5 of the paper), its state, and warnings about unsuitable recipes."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float, Int
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.nn import functional

from model.config import TransformerConfig
from model.files.durable import write_whole
from model.text.corpus import Batches, Example
from model.text.text_corpus import TextBatches, TextExample
from model.text.tokenizer import PAD_ID
from model.traces import present
from model.transformer import Transformer


def noam_rate(step: int, *, d_model: int, warmup: int, factor: float = 1.0) -> float:
    """Compute the learning rate of optimiser step `step`, counted from 1.

    This is equation 3 of section 5.3 of the paper, times a factor. It grows linearly
    for `warmup` steps and then falls with the inverse square root of the step.
    """
    if step < 1 or warmup < 1:
        raise ValueError(f"step and warmup count from 1, got {step} and {warmup}")
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def peak_rate(*, d_model: int, warmup: int, factor: float = 1.0) -> float:
    """Return the highest rate of the schedule, reached at step `warmup`."""
    return noam_rate(warmup, d_model=d_model, warmup=warmup, factor=factor)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A training recipe. The defaults suit a small model; the optimiser is the paper's."""

    steps: int = 3000
    batch_size: int = 128
    """The number of sentence pairs in a batch."""
    warmup: int = 400
    factor: float = 1.0
    """The factor of the Noam schedule's rate."""
    label_smoothing: float = 0.1
    seed: int = 0
    cooldown: int = 0
    """The number of last steps over which the rate falls linearly to 0; 0 for the paper's schedule.
    A cooldown gains at least as much as averaging checkpoints (section 6.1)."""

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "warmup"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not self.factor > 0:
            raise ValueError(f"factor must be positive, got {self.factor}")
        if not 0 <= self.cooldown <= self.steps:
            raise ValueError(
                f"cooldown must be at least 0 and at most {self.steps} steps, got {self.cooldown}"
            )
        if not 0 <= self.label_smoothing < 1:
            raise ValueError(
                f"label_smoothing must be at least 0 and below 1, got {self.label_smoothing}"
            )

    def rate(self, step: int, d_model: int) -> float:
        """Return the learning rate of a step, counted from 1: Noam's schedule with the cooldown."""
        noam = noam_rate(step, d_model=d_model, warmup=self.warmup, factor=self.factor)
        left = self.steps - step + 1
        return noam * left / self.cooldown if left < self.cooldown else noam


@dataclass(frozen=True)
class Progress:
    """The result of one training step."""

    step: int
    """The number of the step, from 1."""
    loss: float
    """The smoothed cross-entropy of a target token, in nats."""
    learning_rate: float


class Trainer:
    """Trains one model, a step at a time, and can be saved and resumed."""

    def __init__(
        self,
        model: Transformer,
        examples: Sequence[Example] | Sequence[TextExample],
        recipe: Recipe,
    ) -> None:
        self.model = model.train()
        self.recipe = recipe
        self.step_count = 0
        self.batches = _batches(examples, recipe)
        self.device = model.device
        self.optimizer = torch.optim.Adam(
            model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, foreach=True
        )

    def step(self) -> Progress:
        """Take one step of the optimiser on the next batch."""
        batch = self.batches[self.step_count]
        self.step_count += 1
        rate = self.recipe.rate(self.step_count, self.model.config.d_model)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        source, target = (ids if ids is None else ids.to(self.device) for ids in batch.inputs)
        logits = present(self.model(source, target).logits)
        predicted = batch.predicted.to(self.device)
        loss = smoothed_loss(logits, predicted, self.recipe.label_smoothing)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return Progress(self.step_count, loss.item(), rate)

    def save(self, path: Path) -> None:
        """Write everything needed to resume, so that an interruption changes nothing."""
        state = {f"model.{n}": t for n, t in self.model.state_dict().items()}
        for name, parameter in self.model.named_parameters():
            for key, value in self.optimizer.state.get(parameter, {}).items():
                state[f"optimizer.{key}.{name}"] = value
        state["rng"] = torch.get_rng_state()
        if self.device.type == "cuda":  # the generator of dropout
            state["cuda_rng"] = torch.cuda.get_rng_state(self.device)
        state["step"] = torch.tensor(self.step_count)
        # Copies: tied parameters share memory, which the format does not allow.
        write_whole({path: save({n: t.detach().cpu().clone() for n, t in state.items()})})

    def load(self, path: Path) -> None:
        """Resume a training from the state that `save` wrote."""
        with safe_open(path, framework="pt", device=str(self.device)) as file:
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        prefix = "model."
        self.model.load_state_dict(
            {n.removeprefix(prefix): t for n, t in state.items() if n.startswith(prefix)}
        )
        for name, parameter in self.model.named_parameters():
            self.optimizer.state[parameter] = {
                key: state[f"optimizer.{key}.{name}"] for key in ("step", "exp_avg", "exp_avg_sq")
            }
            self.optimizer.state[parameter]["step"] = state[f"optimizer.step.{name}"].cpu()
        torch.set_rng_state(state["rng"].cpu())
        if self.device.type == "cuda" and "cuda_rng" in state:
            torch.cuda.set_rng_state(state["cuda_rng"].cpu(), self.device)
        self.step_count = int(state["step"])


def _batches(
    examples: Sequence[Example] | Sequence[TextExample], recipe: Recipe
) -> Batches | TextBatches:
    texts = [example for example in examples if isinstance(example, TextExample)]
    if texts:
        return TextBatches(texts, batch_size=recipe.batch_size, seed=recipe.seed)
    pairs = [example for example in examples if isinstance(example, Example)]
    return Batches(pairs, batch_size=recipe.batch_size, seed=recipe.seed)


def smoothed_loss(
    logits: Float[Tensor, "batch target target_vocab"],
    target: Int[Tensor, "batch target"],
    smoothing: float,
) -> Float[Tensor, ""]:
    """Compute the cross-entropy with label smoothing (section 5.4), without padding.

    The target distribution puts 1 - smoothing on the right id and spreads `smoothing` over all ids.
    """
    return _SmoothedCrossEntropy.apply(logits.flatten(end_dim=1), target.flatten(), smoothing)


class _SmoothedCrossEntropy(torch.autograd.Function):
    """Computes the gradient in one tensor, where torch would add three as large as the logits.

    With 8,000 ids this saves a third of the training time.
    """

    @staticmethod
    def forward(
        ctx: BackwardCFunction,
        logits: Float[Tensor, "tokens target_vocab"],
        target: Int[Tensor, " tokens"],
        smoothing: float,
    ) -> Float[Tensor, ""]:
        log_probs = functional.log_softmax(logits, dim=-1)
        right = log_probs.gather(-1, target[:, None])[:, 0]
        losses = (smoothing - 1) * right - smoothing * log_probs.mean(-1)
        scored = (target != PAD_ID).to(logits.dtype)
        share = scored / scored.sum()
        ctx.save_for_backward(log_probs, target, share, logits.new_tensor(smoothing))
        return losses @ share

    @staticmethod
    def backward(ctx: BackwardCFunction, *grads: Tensor) -> tuple[Tensor, None, None]:
        """Return the probabilities minus the smoothed target, for each scored token."""
        log_probs, target, share, smoothing = tuple(ctx.saved_tensors)
        gradient = log_probs.exp_().sub_(smoothing / log_probs.shape[-1])
        right = (smoothing - 1).expand(len(target), 1)
        gradient.scatter_add_(-1, target[:, None], right)
        return gradient.mul_((share * grads[0])[:, None]), None, None


def new_model(config: TransformerConfig, seed: int) -> Transformer:
    """Build a model whose first weights, and all later random numbers, follow from a seed."""
    torch.manual_seed(seed)
    return Transformer(config)


def unigram_loss(examples: Sequence[Example], smoothing: float, config: TransformerConfig) -> float:
    """Compute the smoothed loss, in nats, of a model that knows only token frequencies.

    A training that stays at this loss has learned nothing from the source or from earlier words.
    """
    counts = Counter(token for e in examples for token in e.target[1:])
    total, size = sum(counts.values()), config.target_vocab_size
    # The best distribution for the smoothed targets is the mean of those targets.
    mean = {t: (1 - smoothing) * counts[t] / total + smoothing / size for t in range(size)}
    return -sum(p * math.log(p) for p in mean.values() if p > 0)


def concerns(config: TransformerConfig, recipe: Recipe) -> list[str]:
    """Return warnings, before the first step, that a training may fail, each with a remedy."""
    found: list[str] = []
    depth = max(config.n_encoder_layers, config.n_decoder_layers)
    peak = peak_rate(d_model=config.d_model, warmup=recipe.warmup, factor=recipe.factor)
    if config.norm_placement == "post" and depth >= 6:
        found.append(
            f"{depth} layers with the norm after the residual had not begun to learn after 1600 "
            "steps, when 6 layers with the norm before it were at 97%: use norm_placement=pre, or "
            "fewer layers."
        )
    elif config.norm_placement == "post" and depth >= 4 and peak > 0.002:
        found.append(
            f"{depth} layers with the norm after the residual do not learn at a rate that peaks at "
            f"{peak:.4f}: use --warmup 1200 --factor 0.5, or norm_placement=pre."
        )
    if recipe.steps < recipe.warmup:
        found.append(
            f"{recipe.steps} steps end before the {recipe.warmup} steps of warm-up do: "
            f"use more --steps or a shorter --warmup."
        )
    if not config.causal_mask:
        found.append(
            "without a causal mask each position sees the token that it should predict: the loss "
            "will fall to almost 0 and decoding will not work."
        )
    return found


def is_stuck(losses: Sequence[float], recipe: Recipe, unigram: float) -> bool:
    """Return whether a training after its warm-up has learned only token frequencies."""
    window = 50
    if len(losses) < max(recipe.warmup + window, 2 * window):
        return False
    return sum(losses[-window:]) / window > 0.97 * unigram
