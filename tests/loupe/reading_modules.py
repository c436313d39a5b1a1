"""Modules that read more than one text, or read a text in another way than from left to right."""

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS = 32, 4


def split(x: Tensor) -> Tensor:
    return x.unflatten(-1, (HEADS, -1)).transpose(1, 2)


def merged(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


def fused(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def written(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    scores = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
    return scores.masked_fill(~mask, -torch.inf).softmax(-1) @ v


def by_einsum(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.size(-1) ** 0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, v)


class Remembering(nn.Module):
    """Attention with learned keys and values around those of the text."""

    def __init__(self, before: int, after: int, attend=fused, *, causal=True, buffered=False):
        super().__init__()
        self.before, self.after, self.attend = before, after, attend
        self.causal, self.buffered = causal, buffered
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.memory = nn.Parameter(torch.randn(2, 1, HEADS, before + after, WIDTH // HEADS))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = map(split, self.qkv(x).chunk(3, -1))
        k, v = self.around(self.memory[0], k), self.around(self.memory[1], v)
        n = x.size(1)
        own = torch.ones(n, n, dtype=torch.bool)
        mask = functional.pad(
            own.tril() if self.causal else own, (self.before, self.after), value=1
        )
        return self.out(merged(self.attend(q, k, v, mask)))

    def around(self, memory: Tensor, x: Tensor) -> Tensor:
        memory = memory.expand(len(x), -1, -1, -1)
        first, last = memory[:, :, : self.before], memory[:, :, self.before :]
        if not self.buffered:
            return torch.cat([first, x, last], dim=2)
        whole = torch.zeros(*x.shape[:2], x.size(2) + memory.size(2), x.size(3))
        whole[:, :, : self.before] = first
        whole[:, :, self.before : self.before + x.size(2)] = x
        whole[:, :, self.before + x.size(2) :] = last
        return whole


class Reader(nn.Module):
    """Layers over an embedding; `look_up` and `change` decide the input of the first layer."""

    def __init__(self, *layers: nn.Module, look_up=functional.embedding, change=lambda x: x):
        super().__init__()
        self.table, self.layers = nn.Parameter(torch.randn(20, WIDTH)), nn.ModuleList(layers)
        self.look_up, self.change = look_up, change

    def forward(self, ids: Tensor) -> Tensor:
        x = self.change(self.look_up(ids, self.table))
        for layer in self.layers:
            x = x + layer(x)
        return x


class Prompted(nn.Module):
    """A model with learned vectors before the text in the residual stream."""

    def __init__(self) -> None:
        super().__init__()
        self.prompt = nn.Parameter(torch.randn(1, 2, WIDTH))
        self.inner = Reader(
            Remembering(0, 0),
            change=lambda x: torch.cat([self.prompt.expand(len(x), -1, -1), x], dim=1),
        )

    def forward(self, ids: Tensor) -> Tensor:
        return self.inner(ids)


class Compressing(nn.Module):
    """Attention whose keys and values are mixtures of all tokens, as in Linformer."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.q, self.kv = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2 * WIDTH)
        self.mixes, self.out = nn.Parameter(torch.randn(count, 5)), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        k, v = map(split, self.kv(self.mixes @ x).chunk(2, -1))
        mask = torch.ones(x.size(1), k.size(2), dtype=torch.bool)
        return self.out(merged(fused(split(self.q(x)), k, v, mask)))


class Perceiving(nn.Module):
    """Attention from learned queries to the text."""

    def __init__(self) -> None:
        super().__init__()
        self.latents = nn.Parameter(torch.randn(1, 5, WIDTH))
        self.embed = nn.Embedding(20, WIDTH)
        self.attn = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embed(ids)
        return self.attn(self.latents, x, x)[0]


class OfTorch(nn.Module):
    """PyTorch's own attention, with optional keys added after the text or a prompt before it."""

    def __init__(self, *, prompt: int = 0, **more: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, WIDTH)
        self.prompt = nn.Parameter(torch.randn(1, prompt, WIDTH))
        self.attn = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True, **more)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embed(ids)
        keys = torch.cat([self.prompt.expand(len(x), -1, -1), x], dim=1)
        return self.attn(x, keys, keys)[0]


class Recurring(nn.Module):
    """Attention with keys of an earlier segment, passed by the caller, before those of the text."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, WIDTH)
        self.attn = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)

    def forward(self, ids: Tensor, mems: Tensor) -> Tensor:
        x = self.embed(ids)
        keys = torch.cat([mems, x], dim=1)
        return self.attn(x, keys, keys)[0]


class Joining(nn.Module):
    """A model that reads two texts as one, the second after the first."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Reader(Remembering(0, 0, causal=False))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.inner(torch.cat([source, target], dim=1))


class Windowed(nn.Module):
    """A model that cuts an image into patches and reads each half of them separately."""

    def __init__(self) -> None:
        super().__init__()
        self.patch, self.layer = nn.Conv2d(3, WIDTH, 4, 4), Remembering(0, 0, causal=False)

    def forward(self, image: Tensor) -> Tensor:
        x = self.patch(image).flatten(2).transpose(1, 2)
        return self.layer(x.unflatten(1, (2, -1)).flatten(0, 1))
