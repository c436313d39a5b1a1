"""Typical hand-written attentions, each with taps that record and edit tensors without Loupe."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

TEXTS, LENGTH, HEADS, SIZE = 2, 5, 4, 6
WIDTH = HEADS * SIZE
CAUSAL = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()


class Taps:
    """Records a module's tensors under Loupe's names, and applies the edits made by hand."""

    def __init__(self) -> None:
        self.seen: dict[str, list[Tensor]] = {}
        self.changes: dict[str, Callable[[Tensor], Tensor]] = {}

    def __call__(self, name: str, x: Tensor) -> Tensor:
        """Record a tensor, and return it with its edit applied."""
        self.seen.setdefault(name, []).append(x.detach().clone())
        return self.changes[name](x) if name in self.changes else x


tap = Taps()


def split(x: Tensor) -> Tensor:
    return x.unflatten(-1, (HEADS, -1)).transpose(1, 2)


def merge(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


class Own(nn.Module):
    """An attention between projections; subclasses change how weights and heads are computed."""

    refuses: frozenset[str] = frozenset()
    """Names that may not be edited."""
    sequence_first = False
    scale = SIZE**-0.5

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.gate = nn.Parameter(torch.rand(1, HEADS, LENGTH, 1) + 0.3)
        self.table = nn.Parameter(torch.randn(LENGTH, SIZE))
        self.relative = nn.Parameter(torch.randn(LENGTH, LENGTH, SIZE))

    def forward(self, x: Tensor) -> Tensor:
        return self.o(self.attend(x))

    def attend(self, x: Tensor) -> Tensor:
        q, k = tap("query", split(self.q(x))), tap("key", split(self.k(x)))
        v = tap("value", split(self.v(x)))
        return merge(tap("heads", tap("weights", self.weights(q, k)) @ v))

    def weights(self, q: Tensor, k: Tensor) -> Tensor:
        return self.softmax(tap("scores", q @ k.mT * self.scale))

    def softmax(self, scores: Tensor) -> Tensor:
        mask = tap("mask", CAUSAL.to(scores.device))
        return scores.masked_fill(~mask, -1e9).softmax(-1)

    def four(self, name: str, x: list[Tensor]) -> Tensor:  # noqa: ARG002
        return x[0]


class GatePerHead(Own):
    def softmax(self, scores: Tensor) -> Tensor:
        return super().softmax(scores) * self.gate[:, :, :1].sigmoid()


class GatePerQuery(Own):
    def softmax(self, scores: Tensor) -> Tensor:
        made = super().softmax(scores)
        made *= self.gate
        return made


class QueryMask(Own):
    def softmax(self, scores: Tensor) -> Tensor:
        kept = torch.ones(LENGTH).index_fill(0, torch.tensor([1, 4]), 0).bool()
        return super().softmax(scores).masked_fill(~kept[:, None], 0.0)


class KeyFactor(Own):
    """Rows that are scaled to sum to one again after some weights were reduced."""

    def softmax(self, scores: Tensor) -> Tensor:
        made = super().softmax(scores) * torch.linspace(0.2, 1, LENGTH)
        return made / made.sum(-1, keepdim=True)


class GateOfQuery(Own):
    """A gate that is computed from the query itself."""

    def weights(self, q: Tensor, k: Tensor) -> Tensor:
        return super().weights(q, k) * q.mean(-1, keepdim=True).sigmoid()


class Dropped(Own):
    """A dropout with a fixed pattern, active in evaluation too."""

    def softmax(self, scores: Tensor) -> Tensor:
        kept = torch.rand(scores.shape, generator=torch.Generator().manual_seed(3)) > 0.3
        return super().softmax(scores) * kept / 0.7


class DroppedAnew(Own):
    """A random dropout that is active in evaluation too."""

    def softmax(self, scores: Tensor) -> Tensor:
        return functional.dropout(super().softmax(scores), 0.3, training=True)


class Strongest(Own):
    def softmax(self, scores: Tensor) -> Tensor:
        made = super().softmax(scores)
        return torch.where(made >= made.topk(2, -1).values[..., -1:], made, 0.0)


class LearnedLast(Own):
    def weights(self, q: Tensor, k: Tensor) -> Tensor:
        return self.softmax(tap("scores", (q @ k.mT + q @ self.table.T) * self.scale))


class LearnedFirst(Own):
    def weights(self, q: Tensor, k: Tensor) -> Tensor:
        return self.softmax(tap("scores", (q @ self.table.T + q @ k.mT) * self.scale))


class LearnedAdded(Own):
    """Positions added by `baddbmm`, with texts and heads in one axis."""

    def attend(self, x: Tensor) -> Tensor:
        def folded(name: str, y: Tensor) -> Tensor:
            return tap(name, split(y).flatten(0, 1))

        q, k, v = folded("query", self.q(x)), folded("key", self.k(x)), folded("value", self.v(x))
        added = torch.bmm(q, self.table.T.expand(len(q), -1, -1))
        weights = self.softmax(tap("scores", torch.baddbmm(added, q, k.mT) * self.scale))
        heads = tap("heads", torch.bmm(tap("weights", weights), v))
        return merge(heads.view(TEXTS, HEADS, LENGTH, SIZE))

    def four(self, name: str, x: list[Tensor]) -> Tensor:
        return x[0] if name == "mask" else x[0].view(TEXTS, HEADS, *x[0].shape[1:])


class RelativeFirst(Own):
    def weights(self, q: Tensor, k: Tensor) -> Tensor:
        places = torch.einsum("bhqd,qkd->bhqk", q, self.relative)
        return self.softmax(tap("scores", (places + torch.einsum("bhqd,bhkd->bhqk", q, k)) / 3))


class RelativeLast(Own):
    def weights(self, q: Tensor, k: Tensor) -> Tensor:
        places = torch.einsum("bhkd,qkd->bhqk", k, self.relative)
        return self.softmax(tap("scores", (torch.einsum("bhqd,bhkd->bhqk", q, k) + places) / 3))


class SequenceFirst(Own):
    """Texts in the second axis, as in fairseq: (T, B) becomes (B·H, T, d)."""

    sequence_first = True

    def attend(self, x: Tensor) -> Tensor:
        length, texts, _ = x.shape
        q, k, v = (
            tap(name, f(x).view(length, texts * HEADS, SIZE).transpose(0, 1))
            for name, f in (("query", self.q), ("key", self.k), ("value", self.v))
        )
        weights = self.softmax(tap("scores", torch.bmm(q, k.transpose(1, 2)) * self.scale))
        heads = tap("heads", torch.bmm(tap("weights", weights), v))
        return heads.transpose(0, 1).contiguous().view(length, texts, WIDTH)

    def softmax(self, scores: Tensor) -> Tensor:
        size = scores.size(-1)
        mask = tap("mask", torch.ones(size, size, dtype=torch.bool).tril())
        return scores.masked_fill(~mask, -torch.inf).softmax(-1)

    def four(self, name: str, x: list[Tensor]) -> Tensor:
        return x[0] if name == "mask" else x[0].unflatten(0, (-1, HEADS))


class HeadsOutside(SequenceFirst):
    """Heads before texts in one axis: (H·B, T, d)."""

    sequence_first = False

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = (
            tap(name, torch.cat(f(x).chunk(HEADS, -1), 0))
            for name, f in (("query", self.q), ("key", self.k), ("value", self.v))
        )
        weights = self.softmax(tap("scores", torch.bmm(q, k.transpose(1, 2)) * self.scale))
        heads = tap("heads", torch.bmm(tap("weights", weights), v))
        return heads.view(HEADS, -1, *heads.shape[1:]).permute(1, 2, 0, 3).flatten(2)

    def four(self, name: str, x: list[Tensor]) -> Tensor:
        return x[0] if name == "mask" else x[0].unflatten(0, (HEADS, -1)).transpose(0, 1)


class Unbatched(SequenceFirst):
    """One text without a batch axis: (T,) becomes (H, T, d)."""

    sequence_first = False

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = (
            tap(name, f(x).view(-1, HEADS, SIZE).transpose(0, 1))
            for name, f in (("query", self.q), ("key", self.k), ("value", self.v))
        )
        weights = self.softmax(tap("scores", q @ k.mT * self.scale))
        heads = tap("heads", tap("weights", weights) @ v)
        return heads.transpose(0, 1).reshape(-1, WIDTH)

    def four(self, name: str, x: list[Tensor]) -> Tensor:
        return x[0] if name == "mask" else x[0][None]


class LoopOfHeads(Own):
    """Heads computed one by one, then concatenated."""

    def attend(self, x: Tensor) -> Tensor:
        queries, keys, values = self.q(x), self.k(x), self.v(x)
        made = []
        for i in range(HEADS):
            here = slice(i * SIZE, (i + 1) * SIZE)
            q, k = tap("query", queries[..., here]), tap("key", keys[..., here])
            weights = self.softmax(tap("scores", q @ k.transpose(-2, -1) * self.scale))
            made.append(tap("heads", tap("weights", weights) @ tap("value", values[..., here])))
        return self.together(made)

    def together(self, made: list[Tensor]) -> Tensor:
        return torch.cat(made, dim=-1)

    def four(self, name: str, x: list[Tensor]) -> Tensor:
        return x[0] if name == "mask" else torch.stack(x, 1)


class StackOfHeads(LoopOfHeads):
    def together(self, made: list[Tensor]) -> Tensor:
        return torch.stack(made, dim=1).transpose(1, 2).reshape(len(made[0]), -1, WIDTH)


class Head(nn.Module):
    """One head as a module, as lectures teach it."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(WIDTH, SIZE, bias=False) for _ in range(3))
        self.dropout = nn.Dropout(0.2)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = tap("query", self.q(x)), tap("key", self.k(x)), tap("value", self.v(x))
        scores = tap("scores", q @ k.transpose(-2, -1) * SIZE**-0.5)
        mask = tap("mask", CAUSAL)
        weights = self.dropout(scores.masked_fill(mask == 0, float("-inf")).softmax(-1))
        return tap("heads", tap("weights", weights) @ v)


class ModuleOfHeads(LoopOfHeads):
    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.ModuleList(Head() for _ in range(HEADS))

    def attend(self, x: Tensor) -> Tensor:
        return torch.cat([head(x) for head in self.heads], dim=-1)


class ChunksOfQueries(Own):
    def attend(self, x: Tensor) -> Tensor:
        q, k, v = (split(f(x)) for f in (self.q, self.k, self.v))
        k, v = tap("key", k), tap("value", v)
        made = []
        for i in range(0, x.size(1), 2):
            some = tap("query", q[:, :, i : i + 2])
            scores = tap("scores", some @ k.mT * self.scale)
            mask = tap("mask", CAUSAL[i : i + 2])
            weights = scores.masked_fill(~mask, -1e9).softmax(-1)
            made.append(tap("heads", tap("weights", weights) @ v))
        return merge(torch.cat(made, dim=2))

    def four(self, name: str, x: list[Tensor]) -> Tensor:
        return x[0] if name in ("key", "value") else torch.cat(x, -2)


class OneHead(Own):
    """A single head without a head axis and without an output projection."""

    scale = WIDTH**-0.5

    def forward(self, x: Tensor) -> Tensor:
        return x + self.attend(x)

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = tap("query", self.q(x)), tap("key", self.k(x)), tap("value", self.v(x))
        return tap("heads", tap("weights", self.weights(q, k)) @ v)

    def four(self, name: str, x: list[Tensor]) -> Tensor:
        return x[0] if name == "mask" else x[0].unsqueeze(1)


class GatedHeads(Own):
    """Heads that pass a gate before they are merged."""

    def attend(self, x: Tensor) -> Tensor:
        q, k = tap("query", split(self.q(x))), tap("key", split(self.k(x)))
        v = tap("value", split(self.v(x)))
        heads = tap("heads", tap("weights", self.weights(q, k)) @ v)
        return merge(heads * self.gate.sigmoid())


class ScaledInPlace(Own):
    """Queries scaled in place, and a mask added to the scores."""

    def weights(self, q: Tensor, k: Tensor) -> Tensor:
        scores = q @ k.transpose(2, 3)
        scores *= self.scale
        return self.softmax(tap("scores", scores))

    def softmax(self, scores: Tensor) -> Tensor:
        mask = tap("mask", CAUSAL)
        return functional.softmax(scores + torch.zeros(mask.shape).masked_fill(~mask, -1e9), -1)


class HiddenWhole(Own):
    """Rows that may read nothing: all their scores are equal, so they read all tokens equally."""

    def softmax(self, scores: Tensor) -> Tensor:
        kept = torch.ones(LENGTH, dtype=torch.bool).index_fill(0, torch.tensor(4), value=False)
        mask = tap("mask", kept[:, None] & kept)
        return scores.masked_fill(mask == 0, -10000).softmax(-1)


KINDS = (
    *(Own, GatePerHead, GatePerQuery, QueryMask, KeyFactor, GateOfQuery, Dropped),
    *(DroppedAnew, Strongest),
    *(LearnedLast, LearnedFirst, LearnedAdded, RelativeFirst, RelativeLast, SequenceFirst),
    *(HeadsOutside, Unbatched, LoopOfHeads, StackOfHeads, ModuleOfHeads, ChunksOfQueries, OneHead),
    *(GatedHeads, ScaledInPlace, HiddenWhole),
)
