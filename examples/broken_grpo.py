"""A GRPO of one page with a bug in its groups, for `weaklink probe examples/broken_grpo.py:factory`."""

from __future__ import annotations

from typing import Any

import torch


class Grpo:
    """Completions of one prompt lie side by side; each batch is learned from once."""

    def __init__(self, model: Any, tokenizer: Any, reward: Any, prompts: list[str], settings: Any) -> None:
        self.model, self.tokenizer, self.reward, self.settings = model, tokenizer, reward, settings
        self.prompts = [prompt for prompt in prompts for _ in range(settings.group)]
        self.optimizer = torch.optim.Adam(model.parameters(), lr=settings.learning_rate)

    def train(self, steps: int) -> None:
        """Makes so many updates."""
        for _ in range(steps):
            asked = self.tokenizer(self.prompts, return_tensors="pt", padding=True, padding_side="left")
            ids = self.written(asked["input_ids"], asked["attention_mask"])
            width = asked["input_ids"].shape[1]
            texts = self.tokenizer.batch_decode(ids[:, width:], skip_special_tokens=True)
            rewards = torch.tensor(self.reward(prompts=self.prompts, completions=texts))
            loss = self.loss(ids, width, self.advantages(rewards))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def advantages(self, rewards: Any) -> Any:
        """The bug: a column of this view holds completions of every prompt; rows of `view(-1, group)` are right."""
        groups = rewards.view(self.settings.group, -1)
        centred = groups - groups.mean(dim=0)
        return (centred / (groups.std(dim=0) + 1e-4)).view(-1)

    def loss(self, ids: Any, width: int, advantages: Any) -> Any:
        """Minus advantage times ratio, over all tokens of all completions; and the KL, where it is asked for."""
        attention = (ids != self.tokenizer.pad_token_id).long()
        scored = attention[:, width:].float()
        now = self.log_probs(self.model, ids, attention, width)
        losses = -(now - now.detach()).exp() * advantages[:, None]
        if self.settings.beta:
            with torch.no_grad():
                still = self.log_probs(self.settings.reference, ids, attention, width)
            losses = losses + self.settings.beta * ((still - now).exp() - (still - now) - 1)
        return (losses * scored).sum() / scored.sum()

    def log_probs(self, model: Any, ids: Any, attention: Any, width: int) -> Any:
        """Of the tokens after the prompt."""
        logits = model(input_ids=ids, attention_mask=attention).logits[:, width - 1 : -1] / self.settings.temperature
        return torch.log_softmax(logits, dim=-1).gather(2, ids[:, width:, None])[..., 0]

    @torch.no_grad()
    def written(self, ids: Any, attention: Any) -> Any:
        """Prompts with their completions, padded after the end."""
        going = torch.ones(len(ids), dtype=torch.bool)
        for _ in range(self.settings.longest):
            logits = self.model(input_ids=ids, attention_mask=attention).logits[:, -1] / self.settings.temperature
            token = torch.multinomial(torch.softmax(logits, dim=-1), 1)[:, 0]
            token = torch.where(going, token, self.tokenizer.pad_token_id)
            ids, attention = torch.cat([ids, token[:, None]], 1), torch.cat([attention, going[:, None].long()], 1)
            going = going & (token != self.tokenizer.eos_token_id)
        return ids


def factory(model: Any, tokenizer: Any, reward: Any, prompts: list[str], settings: Any) -> Grpo:
    """What `weaklink probe` calls."""
    return Grpo(model, tokenizer, reward, prompts, settings)
