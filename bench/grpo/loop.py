"""GRPO by hand on any causal language model, in the form that `weaklink probe bench/grpo/loop.py:factory` takes.

Every fault of `faults.py` is one place where `self.fault` is asked; without one the loop is right.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch


@dataclass
class Batch:
    """Completions, padded on the left up to the prompt's end and on the right after the completion's."""

    ids: Any
    attention: Any
    scored: Any
    rewards: Any
    texts: tuple[list[str], list[str]]


class Grpo:
    """One group for each prompt, one update for each batch."""

    def __init__(self, model: Any, tokenizer: Any, reward: Any, prompts: list[str], settings: Any, fault: str = ""):
        self.model, self.tokenizer, self.reward = model, tokenizer, reward
        self.prompts, self.settings, self.fault = prompts, settings, fault
        self.reference = settings.reference
        self.optimizer = torch.optim.Adam(model.parameters(), lr=settings.learning_rate)
        self.past = copy.deepcopy(model) if fault == "stale" else None

    def train(self, steps: int) -> None:
        for _ in range(steps):
            batch = self.collect()
            advantages = self.advantages(batch.rewards)
            old = self.old_log_probs(batch)
            loss = self.loss(batch, advantages, old)
            self.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            if self.past is not None:
                self.past.load_state_dict(self.model.state_dict())
            self.optimizer.step()
            if self.fault == "reference moves" and self.reference is not None:
                self.reference.load_state_dict(self.model.state_dict())

    def collect(self) -> Batch:
        asked = [prompt for prompt in self.prompts for _ in range(self.settings.group)]
        rows = [self.tokenizer(prompt, add_special_tokens=False)["input_ids"] for prompt in asked]
        if self.settings.rollout is not None:
            said = self.settings.rollout(self.model, rows)
        else:
            said = [(tokens, [1] * len(tokens)) for tokens in self.sample(rows)]
        texts = self.tokenizer.batch_decode([tokens for tokens, _ in said], skip_special_tokens=True)
        rewards = torch.tensor(self.reward(prompts=asked, completions=texts), dtype=torch.float32)
        return self.padded(rows, said, rewards, (asked, texts))

    @torch.no_grad()
    def sample(self, rows: list[list[int]]) -> list[list[int]]:
        end, pad = self.tokenizer.eos_token_id, self.tokenizer.pad_token_id
        width = max(map(len, rows))
        ids = torch.tensor([[pad] * (width - len(row)) + row for row in rows])
        attention = (ids != pad).long()
        open_rows = torch.ones(len(rows), dtype=torch.bool)
        for _ in range(self.settings.longest):
            logits = self.model(input_ids=ids, attention_mask=attention).logits[:, -1] / self.settings.temperature
            token = torch.multinomial(torch.softmax(logits, dim=-1), 1)[:, 0]
            token = torch.where(open_rows, token, pad)
            ids = torch.cat([ids, token[:, None]], dim=1)
            attention = torch.cat([attention, open_rows[:, None].long()], dim=1)
            open_rows &= token != end
            if not open_rows.any():
                break
        said = ids[:, width:]
        return [row[row != pad].tolist() for row in said]

    def padded(self, rows: list[list[int]], said: list[tuple[list[int], list[int]]], rewards: Any, texts: Any) -> Batch:
        pad, end = self.tokenizer.pad_token_id, self.tokenizer.eos_token_id
        left, right = max(map(len, rows)), max(len(tokens) for tokens, _ in said)
        ids, attention, scored = [], [], []
        for row, (tokens, own) in zip(rows, said, strict=True):
            before, after = left - len(row), right - len(tokens)
            ids.append([pad] * before + row + tokens + [pad] * after)
            attention.append([0] * before + [1] * (len(row) + len(tokens)) + [0] * after)
            mask = list(own)
            if self.fault == "tools scored":
                mask = [1] * len(tokens)
            if self.fault == "end left out":
                mask = [keep * (token != end) for keep, token in zip(mask, tokens, strict=True)]
            ahead = [1] * len(row) if self.fault == "prompt scored" else [0] * len(row)
            behind = [1] * after if self.fault == "padding scored" else [0] * after
            scored.append([0] * before + ahead + mask + behind)
        attended = torch.ones(len(ids), left + right) if self.fault == "padding attended" else torch.tensor(attention)
        return Batch(torch.tensor(ids), attended.long(), torch.tensor(scored, dtype=torch.float32), rewards, texts)

    def advantages(self, rewards: Any) -> Any:
        group = self.settings.group
        if self.fault == "next prompt's rewards":
            rewards = torch.roll(rewards, group)
        if self.fault == "next row's rewards":
            rewards = torch.roll(rewards, 1)
        if self.fault == "groups shuffled":
            order = torch.randperm(len(rewards))
            mixed = self.normalised(rewards[order].view(-1, group)).view(-1)
            return torch.empty_like(mixed).scatter(0, order, mixed)
        if self.fault == "groups interleaved":
            return self.normalised(rewards.view(group, -1).T).T.reshape(-1)
        if self.fault == "whole batch":
            return (rewards - rewards.mean()) / (rewards.std() + 1e-4)
        if self.fault == "not centred":
            return rewards
        return self.normalised(rewards.view(-1, group)).view(-1)

    def normalised(self, groups: Any) -> Any:
        spread = groups.std(dim=1, keepdim=True)
        if self.fault == "no epsilon":
            return (groups - groups.mean(dim=1, keepdim=True)) / spread
        return (groups - groups.mean(dim=1, keepdim=True)) / (spread + 1e-4)

    def log_probs(self, model: Any, batch: Batch, temperature: float | None = None) -> Any:
        temperature = temperature or (1.0 if self.fault == "temperature left out" else self.settings.temperature)
        logits = model(input_ids=batch.ids, attention_mask=batch.attention).logits / temperature
        chances = torch.log_softmax(logits, dim=-1)
        if self.fault == "not shifted":
            return chances[:, 1:].gather(2, batch.ids[:, 1:, None])[..., 0]
        if self.fault == "shifted twice":
            further = torch.roll(batch.ids, -2, dims=1)[:, :-1]
            return chances[:, :-1].gather(2, further[..., None])[..., 0]
        return chances[:, :-1].gather(2, batch.ids[:, 1:, None])[..., 0]

    @torch.no_grad()
    def old_log_probs(self, batch: Batch) -> Any:
        if self.past is not None:
            return self.log_probs(self.past, batch)
        if self.fault == "old at another temperature":
            return self.log_probs(self.model, batch, 1.0)
        return self.log_probs(self.model, batch)

    def loss(self, batch: Batch, advantages: Any, old: Any) -> Any:
        now = self.log_probs(self.model, batch)
        scored = batch.scored[:, 1:]
        ratio = torch.exp(now - old)
        gain = advantages[:, None]
        losses = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain)
        if self.fault == "sign":
            losses = -losses
        if self.reference is not None:
            losses = losses + self.settings.beta * self.divergence(batch, now)
        if self.fault == "by response":
            return ((losses * scored).sum(1) / scored.sum(1)).mean()
        if self.fault == "long completions first":
            return (losses * scored * scored.sum(1, keepdim=True)).sum() / scored.sum()
        return (losses * scored).sum() / scored.sum()

    def divergence(self, batch: Batch, now: Any) -> Any:
        with torch.no_grad():
            still = self.log_probs(self.reference, batch)
        if self.fault == "KL left out":
            return torch.zeros_like(now)
        if self.fault == "KL first estimate in the loss":
            return now - still
        gap = still - now
        estimate = torch.exp(gap) - gap - 1
        if self.fault == "KL sign":
            return -estimate
        return 2 * estimate if self.fault == "KL twice" else estimate


def factory(model: Any, tokenizer: Any, reward: Any, prompts: list[str], settings: Any) -> Grpo:
    """What `weaklink probe` calls."""
    return Grpo(model, tokenizer, reward, prompts, settings)


factory.tools = True
