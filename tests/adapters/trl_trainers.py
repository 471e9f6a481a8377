"""Trainers of TRL, and such with a fault that is planted."""

from __future__ import annotations

import torch
from trl import GRPOTrainer, RLOOTrainer

IN_TURNS = (0, 4, 1, 5, 2, 6, 3, 7)


class Mixed(GRPOTrainer):
    """L-02: the completions of two prompts lie in turns, and are grouped as if they did not."""

    def _generate_and_score_completions(self, inputs):
        return super()._generate_and_score_completions([inputs[at] for at in IN_TURNS])


class MixedToo(RLOOTrainer):
    """The same, where each is compared with the others of its group."""

    def _generate_and_score_completions(self, inputs):
        return super()._generate_and_score_completions([inputs[at] for at in IN_TURNS])


class SpreadOfTheBatch(GRPOTrainer):
    """L-03: centred within the group, divided by the spread of all."""

    def _calculate_rewards(self, *arguments):
        self.paid = super()._calculate_rewards(*arguments)
        return self.paid

    def _generate_and_score_completions(self, inputs):
        output = super()._generate_and_score_completions(inputs)
        rewards = self.paid.sum(dim=1).view(-1, self.num_generations)
        output["advantages"] = ((rewards - rewards.mean(dim=1, keepdim=True)) / (rewards.std() + 1e-4)).flatten()
        return output


class PromptsLearned(GRPOTrainer):
    """L-09: prompt and completion as one."""

    def _compute_loss(self, model, inputs):
        changed = dict(inputs)
        for what in ("ids", "mask"):
            both = torch.cat([inputs[f"prompt_{what}"], inputs[f"completion_{what}"]], dim=1)
            changed[f"prompt_{what}"], changed[f"completion_{what}"] = both[:, :1], both[:, 1:]
        return super()._compute_loss(model, changed)


class PaddingLearned(GRPOTrainer):
    def _generate_and_score_completions(self, inputs):
        output = super()._generate_and_score_completions(inputs)
        return {**output, "completion_mask": torch.ones_like(output["completion_mask"])}


class EndsLeftOut(GRPOTrainer):
    def _generate_and_score_completions(self, inputs):
        output = super()._generate_and_score_completions(inputs)
        ends = output["completion_ids"] == self.eos_token_ids[0]
        return {**output, "completion_mask": output["completion_mask"] * ~ends}


class Untempered(GRPOTrainer):
    """L-17: the logits of the trainer are not divided by the temperature."""

    def _get_per_token_logps_and_entropies(self, model, input_ids, attention_mask, logits_to_keep, *_, **__):
        logits = model(input_ids=input_ids, attention_mask=attention_mask).logits[:, -logits_to_keep - 1 : -1]
        every = torch.log_softmax(logits, dim=-1)
        chosen = every.gather(2, input_ids[:, -logits_to_keep:, None])[..., 0]
        return chosen, -(every.exp() * every).sum(dim=-1), None


class RawEngine(GRPOTrainer):
    """An engine that reports log-probabilities from before the temperature, with rounding of its own."""

    def _generate_and_score_completions(self, inputs):
        output = super()._generate_and_score_completions(inputs)
        ids = torch.cat([output["prompt_ids"], output["completion_ids"]], dim=1)
        mask = torch.cat([output["prompt_mask"], output["completion_mask"]], dim=1)
        width = output["completion_ids"].shape[1]
        with torch.no_grad():
            raw, *_ = Untempered._get_per_token_logps_and_entropies(self, self.model, ids, mask, width)
        return {**output, "sampling_per_token_logps": raw + 0.01 * torch.sin(100 * raw)}


class ToolsLearned(GRPOTrainer):
    def _compute_loss(self, model, inputs):
        return super()._compute_loss(model, {name: value for name, value in inputs.items() if name != "tool_mask"})
