"""Kernels on torch tensors: wrong ones with the name of their mistake, and right ones."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.distributions import Categorical, Normal


def gae_cleanrl_bootstraps_through_ends(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    advantages = torch.zeros_like(rewards)
    lastgaelam = 0
    for t in reversed(range(rewards.shape[0])):
        last = t == rewards.shape[0] - 1
        nextnonterminal = 1.0 - (next_done if last else dones[t + 1])
        nextvalues = next_value if last else values[t + 1]
        delta = rewards[t] + gamma * nextvalues - values[t]
        advantages[t] = lastgaelam = delta + gamma * gae_lambda * nextnonterminal * lastgaelam
    return advantages, advantages + values


def gae_whole_rollout_forgets_done(rewards, values, dones, last_value, gamma, lam):
    following = torch.cat([values[1:], last_value.reshape(1, *values.shape[1:])])
    delta = rewards + gamma * following - values
    out = torch.zeros_like(delta)
    running = torch.zeros_like(delta[0])
    for t in range(len(delta) - 1, -1, -1):
        running = delta[t] + gamma * lam * running
        out[t] = running
    return out


def dqn_no_mask(rewards, next_q, dones, gamma):
    return rewards + gamma * next_q.max(dim=1).values.reshape(rewards.shape)


def ppo_sign(log_prob, old_log_prob, advantages, clip_range):
    ratio = torch.exp(log_prob - old_log_prob)
    return torch.min(advantages * ratio, advantages * torch.clamp(ratio, 1 - clip_range, 1 + clip_range)).mean()


def value_loss_against_a_column(values, returns):
    return F.mse_loss(values.view(-1, 1).expand(-1, len(values)), returns.view(1, -1).expand(len(values), -1))


def kl_reversed(p_logits, q_logits):
    # kl_div wants the logarithm of the second distribution first
    return F.kl_div(p_logits.log_softmax(-1), q_logits.softmax(-1), reduction="none").sum(-1)


def grpo_interleaved(rewards, num_generations):
    grouped = rewards.view(num_generations, -1)
    return ((grouped - grouped.mean(0, keepdim=True)) / (grouped.std(0, keepdim=True) + 1e-4)).flatten()


def masked_mean_of_everything(values, mask):
    return torch.mean(values * mask)


def squashed_without_correction(mean, log_std, pre_tanh):
    return Normal(mean, log_std.exp()).log_prob(pre_tanh).sum(-1)


PLANTED = [
    ("gae", gae_cleanrl_bootstraps_through_ends, "bootstrap through a terminal"),
    ("gae", gae_whole_rollout_forgets_done, "done ignored"),
    ("q_target", dqn_no_mask, "done ignored"),
    ("ppo_policy_loss", ppo_sign, "sign flipped"),
    ("value_loss", value_loss_against_a_column, "broadcast (B, 1) against (B,)"),
    ("categorical_kl", kl_reversed, "KL reversed"),
    ("group_advantages", grpo_interleaved, "groups reshaped in the wrong order"),
    ("masked_mean", masked_mean_of_everything, "mask applied after the mean"),
    ("squashed_log_prob", squashed_without_correction, "tanh correction missing"),
]


@torch.no_grad()
def gae_of_flags(rewards, values, terminated, truncated, next_values, gamma, lam):
    delta = rewards + gamma * next_values * ~terminated - values
    out, running = torch.zeros_like(delta), torch.zeros_like(delta[0])
    for t in reversed(range(len(delta))):
        running = delta[t] + gamma * lam * ~(terminated[t] | truncated[t]) * running
        out[t] = running
    return out, out + values


def gae_verl(token_level_rewards, values, response_mask, gamma, lam):
    lastgaelam, reversed_ = 0, []
    length = token_level_rewards.shape[-1]
    for t in reversed(range(length)):
        nextvalues = values[:, t + 1] if t < length - 1 else 0.0
        delta = token_level_rewards[:, t] + gamma * nextvalues - values[:, t]
        lastgaelam = delta + gamma * lam * lastgaelam
        reversed_.append(lastgaelam)
    advantages = torch.stack(reversed_[::-1], dim=1)
    returns = advantages + values
    mean = (advantages * response_mask).sum() / response_mask.sum()
    variance = ((advantages - mean) ** 2 * response_mask).sum() / response_mask.sum()
    return (advantages - mean) * torch.rsqrt(variance + 1e-8) * response_mask, returns


def returns_in_bfloat16(rewards, dones, last_value, gamma):
    total, out = last_value, []
    for t in reversed(range(len(rewards))):
        total = rewards[t] + gamma * total * (1 - dones[t])
        out.insert(0, total)
    return torch.stack(out).to(torch.bfloat16)


def dqn(rewards, next_q_values, dones, gamma):
    best, _ = next_q_values.max(dim=1)
    return rewards.flatten() + (1 - dones.flatten()) * gamma * best


def ppo_of_sb3(log_prob, old_log_prob, advantages, clip_range):
    if len(advantages) > 1:
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    ratio = torch.exp(log_prob - old_log_prob)
    return -torch.min(advantages * ratio, advantages * torch.clamp(ratio, 1 - clip_range, 1 + clip_range)).mean()


def value_of_mse(values, returns):
    return F.mse_loss(returns, values)


def entropy_of_distribution(logits):
    return Categorical(logits=logits).entropy().mean()


def squashed_of_sac(mean, log_std, x_t):
    y_t = torch.tanh(x_t)
    log_prob = Normal(mean, log_std.exp()).log_prob(x_t)
    return (log_prob - torch.log(1 - y_t.pow(2) + 1e-6)).sum(1, keepdim=True)


def grpo_trl(rewards, num_generations):
    mean = rewards.view(-1, num_generations).mean(dim=1).repeat_interleave(num_generations, dim=0)
    std = rewards.view(-1, num_generations).std(dim=1).repeat_interleave(num_generations, dim=0)
    return (rewards - mean) / (std + 1e-4)


class Moments:
    def __init__(self, shape):
        self.mean, self.var, self.count = torch.zeros(shape), torch.ones(shape), 1e-4

    def update(self, x):
        mean, var, n = torch.mean(x, dim=0), torch.var(x, dim=0, unbiased=False), x.shape[0]
        delta, total = mean - self.mean, self.count + n
        squares = self.var * self.count + var * n + delta.pow(2) * self.count * n / total
        self.mean, self.var, self.count = self.mean + delta * n / total, squares / total, total


SOUND = [
    ("gae", gae_of_flags),
    ("gae", gae_verl),
    ("discounted_returns", returns_in_bfloat16),
    ("q_target", dqn),
    ("ppo_policy_loss", ppo_of_sb3),
    ("value_loss", value_of_mse),
    ("categorical_entropy", entropy_of_distribution),
    ("squashed_log_prob", squashed_of_sac),
    ("group_advantages", grpo_trl),
    ("running_moments", Moments),
]
