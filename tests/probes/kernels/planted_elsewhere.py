"""Losses, targets, densities, groups and buffers with a mistake each, and the name that the mistake has."""

from __future__ import annotations

import random
from collections import deque

import numpy as np


def td_without_done(rewards, next_values, dones, gamma):
    return rewards + gamma * next_values


def td_own_value(rewards, values, next_values, dones, gamma):
    return rewards + gamma * (1 - dones) * values


def td_reward_masked(rewards, next_values, dones, gamma):
    return (1 - dones) * (rewards + gamma * next_values)


def td_time_limits(rewards, next_values, terminated, truncated, gamma):
    alive = 1 - np.maximum(terminated, truncated)
    return rewards + gamma * alive * next_values


def dqn_mean(rewards, next_q_values, dones, gamma):
    return rewards.reshape(-1) + gamma * (1 - dones.reshape(-1)) * next_q_values.mean(axis=1)


def dqn_broadcast(rewards, next_q_values, dones, gamma):
    best = next_q_values.max(axis=1, keepdims=True)
    return rewards.reshape(-1) + gamma * (1 - dones.reshape(-1)) * best


def double_dqn_swapped(rewards, next_q_online, next_q_target, dones, gamma):
    rows = np.arange(len(next_q_target))
    best = next_q_online[rows, next_q_target.argmax(axis=1)]
    return rewards.reshape(-1) + gamma * (1 - dones.reshape(-1)) * best


def sac_plus_log_prob(rewards, next_q1, next_q2, next_log_prob, dones, gamma, alpha):
    soft = np.minimum(next_q1, next_q2) + alpha * next_log_prob
    return rewards + gamma * (1 - dones) * soft


def sac_optimist(rewards, next_q1, next_q2, next_log_prob, dones, gamma, alpha):
    return rewards + gamma * (1 - dones) * (np.maximum(next_q1, next_q2) - alpha * next_log_prob)


def ppo_old_over_new(logp, logp_old, adv, clip_ratio):
    ratio = np.exp(logp_old - logp)
    return -np.minimum(ratio * adv, np.clip(ratio, 1 - clip_ratio, 1 + clip_ratio) * adv).mean()


def ppo_maximum(logp, logp_old, adv, clip_ratio):
    ratio = np.exp(logp - logp_old)
    return -np.maximum(ratio * adv, np.clip(ratio, 1 - clip_ratio, 1 + clip_ratio) * adv).mean()


def ppo_always_clipped(logp, logp_old, adv, clip_ratio):
    ratio = np.clip(np.exp(logp - logp_old), 1 - clip_ratio, 1 + clip_ratio)
    return -(ratio * adv).mean(), {"ratio": ratio}


def value_clip_around_itself(values, returns, old_values, clip_range):
    clipped = values + np.clip(values - old_values, -clip_range, clip_range)
    return 0.5 * np.maximum((values - returns) ** 2, (clipped - returns) ** 2).mean()


def value_clip_minimum(newvalue, b_returns, b_values, clip_coef):
    clipped = b_values + np.clip(newvalue - b_values, -clip_coef, clip_coef)
    return 0.5 * np.minimum((newvalue - b_returns) ** 2, (clipped - b_returns) ** 2).mean()


def value_all_pairs(values, returns):
    return ((values.reshape(-1, 1) - returns.reshape(-1)) ** 2).mean()


def k1_the_other_way(logprobs, ref_logprobs):
    return (ref_logprobs - logprobs).mean()


def k3_the_other_way(logprobs, ref_logprobs):
    log_ratio = logprobs - ref_logprobs
    return np.exp(log_ratio) - 1 - log_ratio


def kl_q_p(p_logits, q_logits):
    p, q = _log_softmax(p_logits), _log_softmax(q_logits)
    return (np.exp(q) * (q - p)).sum(-1)


def _log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def negative_entropy(probs):
    return np.sum(probs * np.log(probs), axis=-1).mean()


def entropy_of_raw_logits(logits):
    return -(np.exp(_log_softmax(logits)) * logits).sum(-1)


def entropy_constant_once(log_std):
    return 0.5 * (1 + np.log(2 * np.pi)) + log_std.sum(-1)


def log_prob_of_clipped(action, mean, std):
    action = np.clip(action, -1, 1)
    return (-0.5 * ((action - mean) / std) ** 2 - np.log(std) - 0.5 * np.log(2 * np.pi)).sum(-1)


def _gaussian(u, mean, log_std):
    return -0.5 * ((u - mean) / np.exp(log_std)) ** 2 - log_std - 0.5 * np.log(2 * np.pi)


def squashed_uncorrected(mean, log_std, pre_tanh):
    return _gaussian(pre_tanh, mean, log_std).sum(axis=-1)


def squashed_added(mean, log_std, pre_tanh):
    return (_gaussian(pre_tanh, mean, log_std) + np.log(1 - np.tanh(pre_tanh) ** 2 + 1e-6)).sum(axis=-1)


def squashed_of_the_action(mean, log_std, action):
    return (_gaussian(action, mean, log_std) - np.log(1 - action**2 + 1e-6)).sum(axis=-1)


def whitened_with_padding(advantages, mask):
    return (advantages - advantages.mean()) / (advantages.std() + 1e-8)


def normalised_by_env(advantages):
    return (advantages - advantages.mean(0)) / (advantages.std(0) + 1e-8)


def mean_over_full_length(per_token_loss, mask):
    return (per_token_loss * mask).mean()


def mean_of_padding(values, mask):
    hidden = 1 - mask
    return (values * hidden).sum() / np.maximum(hidden.sum(), 1)


def grpo_reshaped(rewards, num_generations):
    grouped = rewards.reshape(num_generations, -1)
    centred = (grouped - grouped.mean(0)) / (grouped.std(0) + 1e-4)
    return centred.reshape(-1)


def grpo_no_eps(rewards, num_generations):
    grouped = rewards.reshape(-1, num_generations)
    return ((grouped - grouped.mean(1, keepdims=True)) / grouped.std(1, keepdims=True)).reshape(-1)


def grpo_whole_batch(rewards, group_ids):
    return (rewards - rewards.mean()) / (rewards.std() + 1e-6)


def rloo_with_itself(rewards, k):
    grouped = rewards.reshape(-1, k)
    return (grouped - grouped.mean(axis=1, keepdims=True)).reshape(-1)


def merge_without_delta(mean, var, count, batch_mean, batch_var, batch_count):
    total = count + batch_count
    mean = mean + (batch_mean - mean) * batch_count / total
    return mean, (var * count + batch_var * batch_count) / total, total


class CountsBatchesAsOne:
    def __init__(self, shape=()):
        self.mean, self.var, self.count = np.zeros(shape), np.ones(shape), 1e-4

    def update(self, x):
        mean, var, n = x.mean(axis=0), x.var(axis=0), 1
        delta, total = mean - self.mean, self.count + n
        squares = self.var * self.count + var * n + delta**2 * self.count * n / total
        self.mean, self.var, self.count = self.mean + delta * n / total, squares / total, total


class SamplesEverySlot:
    def __init__(self, capacity, obs_dim, act_dim):
        self.obs, self.next_obs = np.zeros((capacity, obs_dim)), np.zeros((capacity, obs_dim))
        self.actions, self.rewards, self.dones = np.zeros((capacity, act_dim)), np.zeros(capacity), np.zeros(capacity)
        self.capacity, self.head = capacity, 0

    def add(self, obs, action, reward, next_obs, done):
        i = self.head % self.capacity
        self.obs[i], self.actions[i], self.rewards[i], self.next_obs[i], self.dones[i] = (
            obs,
            action,
            reward,
            next_obs,
            done,
        )
        self.head += 1

    def sample(self, batch_size):
        i = np.random.randint(0, self.capacity, batch_size)  # noqa: NPY002
        return dict(
            obs=self.obs[i],
            action=self.actions[i],
            reward=self.rewards[i],
            next_obs=self.next_obs[i],
            done=self.dones[i],
        )


class ReadsTheNextSlot(SamplesEverySlot):
    def sample(self, batch_size):
        i = np.random.randint(0, min(self.head, self.capacity), batch_size)  # noqa: NPY002
        following = self.obs[(i + 1) % self.capacity]
        return self.obs[i], self.actions[i], self.rewards[i], following, self.dones[i]


class TwoDraws:
    def __init__(self, max_size):
        self.rows = deque(maxlen=max_size)

    def push(self, state, action, reward, next_state, done):
        self.rows.append((state, action, reward, next_state, done))

    def sample(self, batch_size):
        first, second = random.choices(self.rows, k=batch_size), random.choices(self.rows, k=batch_size)
        states, actions, _, next_states, dones = map(np.array, zip(*first, strict=True))
        return states, actions, np.array([row[2] for row in second]), next_states, dones


class FlattenedTwice:
    def __init__(self, n_steps, n_envs):
        self.obs, self.actions, self.values = (np.zeros((n_steps, n_envs)) for _ in range(3))
        self.t = 0

    def add(self, obs, action, reward, done, value, log_prob):
        self.obs[self.t], self.actions[self.t], self.values[self.t] = obs, action, value
        self.t += 1

    def get(self, batch_size):
        obs, actions, values = self.obs.swapaxes(0, 1).reshape(-1), self.actions.reshape(-1), self.values.reshape(-1)
        order = np.random.permutation(len(obs))  # noqa: NPY002
        for start in range(0, len(obs), batch_size):
            rows = order[start : start + batch_size]
            yield {"obs": obs[rows], "actions": actions[rows], "values": values[rows]}


class ForgetsTheIndex(FlattenedTwice):
    def get(self, batch_size):
        obs, actions, values = (field.reshape(-1) for field in (self.obs, self.actions, self.values))
        order = np.random.permutation(len(obs))  # noqa: NPY002
        for start in range(0, len(obs), batch_size):
            rows = order[start : start + batch_size]
            yield {"obs": obs[rows], "actions": actions[rows], "values": values[start : start + batch_size]}


PLANTED = [
    ("td_target", td_without_done, "done ignored"),
    ("td_target", td_own_value, "bootstrap from s instead of s'"),
    ("td_target", td_reward_masked, "reward masked at the end too"),
    ("td_target", td_time_limits, "truncation treated as termination"),
    ("q_target", dqn_mean, "mean over actions instead of the maximum"),
    ("q_target", dqn_broadcast, "broadcast (B, 1) against (B,)"),
    ("double_q_target", double_dqn_swapped, "networks swapped"),
    ("soft_q_target", sac_plus_log_prob, "entropy sign flipped"),
    ("soft_q_target", sac_optimist, "maximum of the twins instead of the minimum"),
    ("ppo_policy_loss", ppo_old_over_new, "ratio inverted"),
    ("ppo_policy_loss", ppo_maximum, "clip minimum and maximum swapped"),
    ("ppo_policy_loss", ppo_always_clipped, "clipped term alone, no minimum"),
    ("value_loss", value_clip_around_itself, "value clip compares with new values"),
    ("value_loss", value_clip_minimum, "minimum of both errors instead of the maximum"),
    ("value_loss", value_all_pairs, "broadcast (B, 1) against (B,)"),
    ("kl_estimate", k1_the_other_way, "k1 with the wrong sign"),
    ("kl_estimate", k3_the_other_way, "KL reversed (k3)"),
    ("categorical_kl", kl_q_p, "KL reversed"),
    ("categorical_entropy", negative_entropy, "entropy sign flipped"),
    ("categorical_entropy", entropy_of_raw_logits, "logits used as log-probabilities"),
    ("gaussian_entropy", entropy_constant_once, "constant counted once for all dimensions"),
    ("gaussian_log_prob", log_prob_of_clipped, "log-prob of the clipped action"),
    ("squashed_log_prob", squashed_uncorrected, "tanh correction missing"),
    ("squashed_log_prob", squashed_added, "tanh correction with the wrong sign"),
    ("squashed_log_prob", squashed_of_the_action, "log-prob of the squashed action"),
    ("normalised_advantages", whitened_with_padding, "statistics include padding"),
    ("normalised_advantages", normalised_by_env, "normalised over the wrong axis"),
    ("masked_mean", mean_over_full_length, "mask applied after the mean"),
    ("masked_mean", mean_of_padding, "mask inverted"),
    ("group_advantages", grpo_reshaped, "groups reshaped in the wrong order"),
    ("group_advantages", grpo_no_eps, "std without eps"),
    ("group_advantages", grpo_whole_batch, "normalised over the whole batch"),
    ("rloo_advantages", rloo_with_itself, "group mean including the sample itself"),
    ("merged_moments", merge_without_delta, "variance without the delta term"),
    ("running_moments", CountsBatchesAsOne, "batch counted as one sample"),
    ("replay_buffer", SamplesEverySlot, "unwritten slots sampled"),
    ("replay_buffer", ReadsTheNextSlot, "stale next observation at the write head"),
    ("replay_buffer", TwoDraws, "fields drawn with different indices"),
    ("rollout_buffer", FlattenedTwice, "environment and time axes mixed up in a reshape"),
    ("rollout_buffer", ForgetsTheIndex, "minibatch index applied to some fields only"),
]
