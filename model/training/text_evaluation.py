"""Evaluates a model of one text on unseen texts, and measures what its heads read."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from model.edits import NO_EDITS, Edits
from model.text.corpus import pad
from model.text.text_corpus import KnownToken, TextExample
from model.traces import TransformerTrace, present
from model.training.evaluation import rounded
from model.transformer import Transformer

BATCH_SIZE = 64


@dataclass(frozen=True)
class KindScore:
    """The score of known words of one kind."""

    name: str
    words: int
    right: float


@dataclass(frozen=True)
class TextHeadScore:
    """The mean weights of one head."""

    layer: int
    head: int
    looks: float
    """The total weight on the tokens that determine a known word, in the row that predicts it."""
    previous: float
    """The weight on the token before the row's own, over all rows that have one."""


@dataclass(frozen=True)
class TextEvaluation:
    """The scores on held-out texts."""

    texts: int
    right: float
    """The share of known words for which the correct choice is the most probable."""
    loss: float
    """The mean negative log-probability, in nats, of the correct choice for a known word."""
    other_loss: float | None
    """The same for words that nothing determines; None if they are not predicted."""
    chance: float
    """The weight that a head with even weights puts on the tokens that determine a known word."""
    kinds: tuple[KindScore, ...]
    """The kinds of words, by name."""
    heads: tuple[TextHeadScore, ...]
    """Every head of self-attention, layer by layer."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, rounded to four decimals; the heads are under "looks"."""
        plain = rounded(asdict(self))
        plain["looks"] = plain.pop("heads")
        return plain


class _Case(NamedTuple):
    """A model's input, and the known tokens that its rows predict."""

    ids: tuple[int, ...]
    known: tuple[tuple[int, KnownToken], ...]
    """Pairs of a row and the token that it predicts."""
    following: tuple[int, ...]
    """The id that follows each row, if texts are predicted from left to right."""


@torch.inference_mode()
def evaluate_texts(
    model: Transformer, examples: Sequence[TextExample], *, edits: Edits = NO_EDITS
) -> TextEvaluation:
    """Score texts, each known word given those before it, or all others while it is masked.

    Only texts of equal length share a batch. Raises ValueError if there is nothing to score.
    """
    if not any(example.known for example in examples):
        raise ValueError("an evaluation needs texts with predictable words, got none")
    was_training = model.training
    model.eval()
    tally = _Tally()
    for batch in _batches(examples):
        ids = pad([case.ids for case in batch]).to(model.device)
        is_causal = batch[0].following != ()
        trace = model(*((None, ids) if is_causal else (ids, None)), edits=edits)
        tally.add(batch, present(trace.logits).cpu(), _self_weights(trace).cpu())
    model.train(was_training)
    return tally.evaluation(len(examples))


def _self_weights(trace: TransformerTrace) -> Float[Tensor, "batch layer head query key"]:
    """Stack the weights of all heads of a model of one text, the lowest layer first."""
    stack = present(trace.decoder if trace.encoder is None else trace.encoder)
    return torch.stack([layer.self_attn.weights for layer in stack.layers], dim=1)


class _Tally:
    """Adds up the results of batches."""

    def __init__(self) -> None:
        self.right: defaultdict[str, int] = defaultdict(int)
        self.words: defaultdict[str, int] = defaultdict(int)
        self.loss = self.other_loss = self.chance = 0.0
        self.others = self.rows = 0
        self.looks = self.previous = torch.zeros(())

    def add(
        self,
        batch: Sequence[_Case],
        logits: Float[Tensor, "batch query vocabulary"],
        weights: Float[Tensor, "batch layer head query key"],
    ) -> None:
        """Take the logits and the weights of a batch."""
        told = [(i, row, token) for i, case in enumerate(batch) for row, token in case.known]
        log_probabilities = logits.log_softmax(dim=-1)
        self._add_words(told, log_probabilities)
        self._add_others(batch, told, log_probabilities)
        if told:
            places = torch.tensor([(i, row) for i, row, _ in told])
            gold = torch.zeros(len(told), weights.size(-1))
            for number, (_, row, token) in enumerate(told):
                gold[number, list(token.looks)] = 1
                keys = row + 1 if batch[0].following else weights.size(-1)
                self.chance += len(token.looks) / keys
            of_row = weights[places[:, 0], :, :, places[:, 1]]
            self.looks = self.looks + torch.einsum("nlhk,nk->lh", of_row, gold)
        before = weights.diagonal(offset=-1, dim1=-2, dim2=-1)
        self.previous = self.previous + before.sum(dim=(0, -1))
        self.rows += before.size(0) * before.size(-1)

    def _add_words(
        self, told: list[tuple[int, int, KnownToken]], log_probabilities: Tensor
    ) -> None:
        for choices in {token.choices for _, _, token in told}:
            alike = [each for each in told if each[2].choices == choices]
            places = torch.tensor([(i, row) for i, row, _ in alike])
            found = log_probabilities[places[:, 0], places[:, 1]]
            if choices:
                sets = [found[:, list(ids)].logsumexp(dim=1) for ids in choices]
                found = torch.stack(sets, dim=1).log_softmax(dim=1)
            right = torch.tensor([token.right for _, _, token in alike])
            self.loss -= found.gather(1, right[:, None]).sum().item()
            is_right = (found.argmax(dim=1) == right).tolist()
            for (_, _, token), hit in zip(alike, is_right, strict=True):
                self.words[token.kind] += 1
                self.right[token.kind] += hit

    def _add_others(
        self,
        batch: Sequence[_Case],
        told: list[tuple[int, int, KnownToken]],
        log_probabilities: Tensor,
    ) -> None:
        """Add the words that nothing determines, the end of a text among them."""
        if not batch[0].following:
            return
        following = torch.tensor([case.following for case in batch])
        losses = -log_probabilities.gather(2, following[..., None])[..., 0]
        decided = torch.zeros_like(losses, dtype=torch.bool)
        for i, row, _ in told:
            decided[i, row] = True
        self.other_loss += losses[~decided].sum().item()
        self.others += int((~decided).sum())

    def evaluation(self, texts: int) -> TextEvaluation:
        """Return the means of all added results."""
        words = sum(self.words.values())
        looks, previous = self.looks / words, self.previous / max(self.rows, 1)
        layers, heads = looks.shape
        return TextEvaluation(
            texts=texts,
            right=sum(self.right.values()) / words,
            loss=self.loss / words,
            other_loss=self.other_loss / self.others if self.others else None,
            chance=self.chance / words,
            kinds=tuple(
                KindScore(name, count, self.right[name] / count)
                for name, count in sorted(self.words.items())
            ),
            heads=tuple(
                TextHeadScore(layer, head, looks[layer, head].item(), previous[layer, head].item())
                for layer in range(layers)
                for head in range(heads)
            ),
        )


def _batches(examples: Sequence[TextExample]) -> Iterator[list[_Case]]:
    by_length: defaultdict[int, list[_Case]] = defaultdict(list)
    for example in examples:
        for case in _cases(example):
            by_length[len(case.ids)].append(case)
    for cases in by_length.values():
        for start in range(0, len(cases), BATCH_SIZE):
            yield cases[start : start + BATCH_SIZE]


def _cases(example: TextExample) -> Iterator[_Case]:
    """Yield the inputs of a text: just one, or one for each known token, with that token masked."""
    if example.mask is None:
        known = tuple((token.index - 1, token) for token in example.known)
        yield _Case(example.ids[:-1], known, example.ids[1:])
        return
    for token in example.known:
        ids = (*example.ids[: token.index], example.mask, *example.ids[token.index + 1 :])
        yield _Case(ids, ((token.index, token),), ())
