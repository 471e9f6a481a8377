"""A small decoder in plain torch, shaped like Llama and written the way the libraries write it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


@dataclass(frozen=True)
class Sizes:
    """What the decoder is made of, under the names of a Hugging Face configuration."""

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    intermediate_size: int
    vocab_size: int
    model_type: str = "llama"

    @property
    def head_size(self) -> int:
        return self.hidden_size // self.num_attention_heads


class Norm(nn.Module):
    """The root mean square in 32 bits, then the weight in the type that came in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        kind = hidden.dtype
        hidden = hidden.to(torch.float32)
        variance = hidden.pow(2).mean(-1, keepdim=True)
        hidden = hidden * torch.rsqrt(variance + 1e-6)
        return self.weight * hidden.to(kind)


class Adapted(nn.Module):
    """A frozen matrix with two thin ones of 32 bits beside it, as PEFT does LoRA."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Linear(base.in_features, rank, bias=False, dtype=torch.float32, device=base.weight.device)
        self.up = nn.Linear(rank, base.out_features, bias=False, dtype=torch.float32, device=base.weight.device)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        result = self.base(hidden)
        kind = result.dtype
        result = result + self.up(self.down(hidden.to(self.down.weight.dtype))) * 2.0
        return result.to(kind)


def _rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class Layer(nn.Module):
    def __init__(self, sizes: Sizes, grouped: bool) -> None:
        super().__init__()
        wide, head = sizes.hidden_size, sizes.head_size
        self.sizes, self.grouped = sizes, grouped
        self.first, self.second = Norm(wide), Norm(wide)
        self.q = nn.Linear(wide, sizes.num_attention_heads * head, bias=False)
        self.k = nn.Linear(wide, sizes.num_key_value_heads * head, bias=False)
        self.v = nn.Linear(wide, sizes.num_key_value_heads * head, bias=False)
        self.o = nn.Linear(sizes.num_attention_heads * head, wide, bias=False)
        self.gate = nn.Linear(wide, sizes.intermediate_size, bias=False)
        self.up = nn.Linear(wide, sizes.intermediate_size, bias=False)
        self.down = nn.Linear(sizes.intermediate_size, wide, bias=False)

    def forward(self, hidden, cos, sin, cache=None):
        hidden = hidden + self._attended(self.first(hidden), cos, sin, cache)
        normal = self.second(hidden)
        return hidden + self.down(functional.silu(self.gate(normal)) * self.up(normal))

    def _attended(self, normal, cos, sin, cache):
        rows, tokens, _ = normal.shape
        head = self.sizes.head_size
        q = _rotated(self.q(normal).view(rows, tokens, -1, head).transpose(1, 2), cos, sin)
        k = _rotated(self.k(normal).view(rows, tokens, -1, head).transpose(1, 2), cos, sin)
        v = self.v(normal).view(rows, tokens, -1, head).transpose(1, 2)
        if cache is not None:
            if cache:
                k, v = torch.cat((cache[0], k), dim=2), torch.cat((cache[1], v), dim=2)
            cache[:] = [k, v]
        times = self.sizes.num_attention_heads // self.sizes.num_key_value_heads
        if times > 1 and not self.grouped:
            k, v = k.repeat_interleave(times, dim=1), v.repeat_interleave(times, dim=1)
        mixed = functional.scaled_dot_product_attention(
            q, k, v, is_causal=tokens > 1, enable_gqa=self.grouped and times > 1
        )
        return self.o(mixed.transpose(1, 2).reshape(rows, tokens, -1))


class Decoder(nn.Module):
    """`outputs` is the vocabulary for a policy, and 1 for a critic."""

    def __init__(self, sizes: Sizes, *, outputs: int, checkpointing: bool = False, grouped: bool = False) -> None:
        super().__init__()
        self.sizes, self.checkpointing = sizes, checkpointing
        self.embedding = nn.Embedding(sizes.vocab_size, sizes.hidden_size)
        self.layers = nn.ModuleList(Layer(sizes, grouped) for _ in range(sizes.num_hidden_layers))
        self.norm = Norm(sizes.hidden_size)
        self.head = nn.Linear(sizes.hidden_size, outputs, bias=False)

    def forward(self, ids: torch.Tensor, *, kept: int, caches: list[list] | None = None, start: int = 0):
        hidden = self.embedding(ids)
        cos, sin = self._angles(start, ids.shape[1], hidden)
        for place, layer in enumerate(self.layers):
            cache = None if caches is None else caches[place]
            if self.checkpointing and torch.is_grad_enabled():
                hidden = checkpoint(layer, hidden, cos, sin, cache, use_reentrant=False)
            else:
                hidden = layer(hidden, cos, sin, cache)
        return self.head(self.norm(hidden)[:, -kept:])

    def _angles(self, start: int, tokens: int, hidden: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        head = self.sizes.head_size
        powers = torch.arange(0, head, 2, device=hidden.device, dtype=torch.float32) / head
        places = torch.arange(start, start + tokens, device=hidden.device, dtype=torch.float32)
        angles = torch.cat([places[:, None] / 10_000**powers] * 2, dim=-1)
        return angles.cos().to(hidden.dtype), angles.sin().to(hidden.dtype)

    def adapt(self, rank: int, targets: tuple[str, ...]) -> None:
        """Freezes everything and puts adapters beside the targets."""
        self.requires_grad_(False)
        for layer in self.layers:
            for name in targets:
                setattr(layer, name, Adapted(getattr(layer, name), rank))
        self.embedding.register_forward_hook(lambda _module, _given, result: result.requires_grad_())
