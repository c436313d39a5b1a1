"""Evaluates a model on unseen sentences, and the alignment of its heads."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from model.decoder import DecoderCache
from model.edits import NO_EDITS, Edits
from model.text.corpus import Example, pad
from model.text.tokenizer import BOS_ID, EOS_ID
from model.transformer import Transformer
from model.writing import ending

BATCH_SIZE = 128


@dataclass(frozen=True)
class HeadScore:
    """How often one head of cross-attention looks at a gold source token.

    The row that predicts the target token counts, by the key with its largest weight.
    """

    layer: int
    head: int
    all_tokens: float
    """The share of target tokens with a gold alignment for which it does."""
    content_words: float | None
    """The same for content words and determiners, if the task marks them."""


@dataclass(frozen=True)
class ConstructionScore:
    """The score of sentences of one kind."""

    name: str
    sentences: int
    exact_match: float


@dataclass(frozen=True)
class Evaluation:
    """The scores on a held-out split."""

    sentences: int
    exact_match: float
    """The share of sentences that greedy decoding gets entirely right."""
    loss: float
    """The mean negative log-probability, in nats, of a target token given the correct prefix."""
    chance: float | None
    """The alignment score of a head that looks at all tokens with equal probability."""
    heads: tuple[HeadScore, ...]
    """Every head of cross-attention, the best first; none without gold alignments."""
    constructions: tuple[ConstructionScore, ...] = ()
    """The kinds of sentences, the weakest first; none if the examples have no kinds."""

    @property
    def right(self) -> float:
        """The share of correct answers, which are sentences here."""
        return self.exact_match

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, rounded to four decimals; constructions if there are any."""
        plain = rounded(asdict(self))
        if not self.constructions:
            del plain["constructions"]
        return {**plain, "best_head": next(iter(plain["heads"]), None)}


def rounded(value: Any) -> Any:  # noqa: ANN401 - plain values, nested
    """Round all numbers of nested values to four decimals, and turn tuples into lists."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return round(value, 4) if isinstance(value, float) else value


def evaluate(
    model: Transformer, examples: Sequence[Example], *, max_length: int = 64
) -> Evaluation:
    """Decode and score examples.

    Only sentences of equal length share a batch, as some variants do not mask padding. Raises
    ValueError if there is nothing to score.
    """
    if not examples:
        raise ValueError("an evaluation needs at least 1 example, got 0")
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        loss, heads, chance = _teacher_forced(model, examples)
        right = _find_right(model, examples, max_length)
    model.train(was_training)
    return Evaluation(
        sentences=len(examples),
        exact_match=sum(right) / len(examples),
        loss=loss,
        chance=chance,
        heads=heads,
        constructions=_by_construction(examples, right),
    )


def greedy_batch(
    model: Transformer,
    source: Int[Tensor, "batch source"],
    *,
    max_length: int,
    edits: Edits = NO_EDITS,
    bos_id: int = BOS_ID,
    eos_id: int | Collection[int] | None = EOS_ID,
) -> list[tuple[int, ...]]:
    """Decode several sources of one length at once, each with the result of greedy decoding.

    Returns the ids after the first, up to and including the end; learned positions may end
    earlier. Raises ValueError if an edit names nothing captured.
    """
    max_length = model.config.within_positions(max_length)
    edits.check(model.config)
    ends = ending(eos_id)
    allow = model.rules.begin((bos_id,), max_length + 1, source)
    with torch.inference_mode():
        _, encoder = model.encode(source, edits=edits)
        source_mask = model.source_mask(source)
        target = source.new_full((source.size(0), 1), bos_id)
        done = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
        cache: DecoderCache | None = None
        while target.size(1) <= max_length and not done.all():
            memory = encoder.output if cache is None else None
            _, decoder = model.decode(
                target, memory, source_mask=source_mask, cache=cache, edits=edits
            )
            if model.config.causal_mask and not edits.need_all_rows:
                cache = DecoderCache.of(decoder)
            logits, _ = model.generate(decoder.output[:, -1:], edits=edits)
            chosen = allow(logits[:, 0].float(), target).argmax(dim=-1)
            target = torch.cat([target, chosen[:, None]], dim=1)
            done |= torch.isin(chosen, torch.tensor([*ends], device=chosen.device))
    return [_until_end(row, ends) for row in target[:, 1:].tolist()]


def _find_right(model: Transformer, examples: Sequence[Example], max_length: int) -> list[bool]:
    """Return for each example whether greedy decoding gets it entirely right."""
    device = model.device
    right: dict[int, bool] = {}
    for group in groups_of_one_size(examples, by_target=False):
        source = pad([e.source for e in group]).to(device)
        written = greedy_batch(model, source, max_length=max_length)
        right |= {id(e): w == e.target[1:] for w, e in zip(written, group, strict=True)}
    return [right[id(example)] for example in examples]


def _by_construction(
    examples: Sequence[Example], right: Sequence[bool]
) -> tuple[ConstructionScore, ...]:
    found: dict[str, list[bool]] = defaultdict(list)
    for example, is_right in zip(examples, right, strict=True):
        if example.construction is not None:
            found[example.construction].append(is_right)
    scores = [ConstructionScore(name, len(r), sum(r) / len(r)) for name, r in found.items()]
    return tuple(sorted(scores, key=lambda score: (score.exact_match, score.name)))


def _teacher_forced(
    model: Transformer, examples: Sequence[Example]
) -> tuple[float, tuple[HeadScore, ...], float | None]:
    """Compute the loss of a target token, and the alignment score of each head."""
    device = model.device
    shape = (model.config.n_decoder_layers, model.config.n_heads)
    hits, content_hits = torch.zeros(shape), torch.zeros(shape)
    loss, tokens, aligned, content, chance = 0.0, 0, 0, 0, 0.0
    for group in groups_of_one_size(examples):
        source = pad([e.source for e in group]).to(device)
        target = pad([e.target for e in group]).to(device)
        trace = model(source, target[:, :-1])
        log_probabilities = trace.logits.log_softmax(dim=-1)
        loss -= log_probabilities.gather(2, target[:, 1:, None]).sum().item()
        tokens += target[:, 1:].numel()
        looked = torch.stack([x.cross_attn.weights.argmax(-1) for x in trace.decoder.layers])
        looked = looked.permute(1, 3, 0, 2).cpu()  # batch, query, layer, head
        for row, example in enumerate(group):
            for index, gold in _gold(example).items():
                hit = torch.isin(looked[row, index - 1], torch.tensor(gold))
                hits += hit
                aligned += 1
                chance += len(gold) / len(example.source)
                if index in example.scored:
                    content_hits += hit
                    content += 1
    if not aligned:
        return loss / tokens, (), None
    heads = [
        HeadScore(
            layer,
            head,
            hits[layer, head].item() / aligned,
            content_hits[layer, head].item() / content if content else None,
        )
        for layer in range(shape[0])
        for head in range(shape[1])
    ]
    heads.sort(key=lambda h: h.all_tokens, reverse=True)
    return loss / tokens, tuple(heads), chance / aligned


def groups_of_one_size(
    examples: Sequence[Example], *, by_target: bool = True
) -> Iterator[list[Example]]:
    """Split examples into batches of one source length and, by default, one target length."""
    groups: dict[tuple[int, int], list[Example]] = defaultdict(list)
    for example in examples:
        groups[len(example.source), len(example.target) if by_target else 0].append(example)
    for group in groups.values():
        for start in range(0, len(group), BATCH_SIZE):
            yield group[start : start + BATCH_SIZE]


def _gold(example: Example) -> dict[int, list[int]]:
    """Return the gold source indices of each target index that has any."""
    gold: dict[int, list[int]] = defaultdict(list)
    for source, target in example.alignment:
        gold[target].append(source)
    return gold


def _until_end(ids: list[int], ends: Collection[int]) -> tuple[int, ...]:
    last = next((at for at, id in enumerate(ids) if id in ends), len(ids))
    return tuple(ids[: last + 1])
