"""A GRPO by hand: a tiny network over sequences learns to write a prompt backwards. No environment is stepped."""

from __future__ import annotations

import copy

import torch
from torch import nn
from torch.nn import functional

DIGITS, PROMPT, LONGEST = 4, 3, 5
END, BEGIN, PAD = DIGITS, DIGITS + 1, DIGITS + 2
PROMPTS, GROUP, BETA = 8, 6, 0.05


class Writer(nn.Module):
    """Reads tokens from left to right; its outputs are the digits and the end."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.body = nn.Embedding(PAD + 1, 24), nn.GRU(24, 32, batch_first=True)
        self.head = nn.Linear(32, END + 1)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(self.embed(tokens))[0])


def write(model: Writer, prompts: torch.Tensor) -> torch.Tensor:
    """Completions of all prompts, padded."""
    tokens = torch.cat([prompts, torch.full((len(prompts), 1), BEGIN)], 1)
    ended = torch.zeros(len(prompts), dtype=torch.bool)
    for _ in range(LONGEST):
        with torch.no_grad():
            drawn = torch.multinomial(model(tokens)[:, -1].softmax(-1), 1)[:, 0]
        tokens = torch.cat([tokens, torch.where(ended, PAD, drawn)[:, None]], 1)
        ended |= drawn == END
    return tokens


def grade(tokens: torch.Tensor) -> torch.Tensor:
    """The share of places that are the prompt's, from its end to its beginning."""
    return (tokens[:, PROMPT + 1 : 2 * PROMPT + 1] == tokens[:, :PROMPT].flip(1)).float().mean(1)


def score(model: Writer, tokens: torch.Tensor, fault: str) -> torch.Tensor:
    """The log-probability of each token of the completions."""
    logs = functional.log_softmax(model(tokens), -1)
    logs = logs[:, PROMPT + 1 :] if fault == "own place" else logs[:, PROMPT:-1]
    return logs.gather(2, tokens[:, PROMPT + 1 :, None].clamp(max=END))[..., 0]


def train(fault: str = "", updates: int = 8) -> None:
    """Trains; the fault is one of those that stand below, or 'imitated', which is none."""
    torch.manual_seed(0)
    model = Writer()
    reference = copy.deepcopy(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(updates):
        tokens = write(model, torch.randint(0, DIGITS, (PROMPTS, PROMPT)).repeat_interleave(GROUP, 0))
        rewards = grade(tokens).view(PROMPTS, GROUP)
        above = rewards - (0.0 if fault == "no baseline" else rewards.mean(1, keepdim=True))
        above = (above / (rewards.std(1, keepdim=True) + 1e-2)).reshape(-1, 1)
        if fault == "imitated":
            above = (rewards > rewards.mean(1, keepdim=True)).float().reshape(-1, 1)
        with torch.no_grad():
            old, fixed = score(model, tokens, fault), score(reference, tokens, fault)
        mask = (tokens[:, PROMPT + 1 :] != PAD).float()
        mask = torch.ones_like(mask) if fault == "padding" else mask
        for _ in range(2):
            new = score(model, tokens, fault)
            apart = (fixed - new).exp() - (fixed - new) - 1.0
            each = -(new - old).exp() * above + (-BETA if fault == "away" else BETA) * apart
            loss = (each * mask).sum() / mask.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
