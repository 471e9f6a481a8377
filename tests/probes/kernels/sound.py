"""Kernels that are right, each in another style, convention or precision. None of them may be accused."""

from __future__ import annotations

import random
from collections import deque, namedtuple

import numpy as np


def gae_cleanrl(rewards, values, dones, next_value, next_done, gamma=0.99, gae_lambda=0.95):
    advantages = np.zeros_like(rewards)
    lastgaelam = 0
    for t in reversed(range(rewards.shape[0])):
        if t == rewards.shape[0] - 1:
            nextnonterminal, nextvalues = 1.0 - next_done, next_value
        else:
            nextnonterminal, nextvalues = 1.0 - dones[t + 1], values[t + 1]
        delta = rewards[t] + gamma * nextvalues * nextnonterminal - values[t]
        advantages[t] = lastgaelam = delta + gamma * gae_lambda * nextnonterminal * lastgaelam
    return advantages, advantages + values


def gae_sb3(rewards, values, episode_starts, last_values, dones, gamma, gae_lambda):
    advantages, last_gae_lam = np.zeros_like(rewards), 0
    for step in reversed(range(len(rewards))):
        if step == len(rewards) - 1:
            alive, next_values = 1.0 - dones.astype(np.float32), last_values
        else:
            alive, next_values = 1.0 - episode_starts[step + 1], values[step + 1]
        delta = rewards[step] + gamma * next_values * alive - values[step]
        last_gae_lam = delta + gamma * gae_lambda * alive * last_gae_lam
        advantages[step] = last_gae_lam
    return advantages


def gae_spinning_up(rews, vals, gamma, lam):
    # one value more than rewards; a matrix of powers in the place of scipy's filter
    deltas = rews + gamma * vals[1:] - vals[:-1]
    steps = np.arange(len(deltas))
    powers = np.triu((gamma * lam) ** np.abs(steps[None, :] - steps[:, None]))
    return powers @ deltas


def gae_of_lists(rewards, values, dones, last_value, gamma, lam):
    values = values + [last_value]  # noqa: RUF005
    advantages, running = [], 0.0
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * values[t + 1] * (1 - dones[t]) - values[t]
        running = delta + gamma * lam * (1 - dones[t]) * running
        advantages.insert(0, running)
    return advantages


def gae_normalised(r, v, d, last_v, gamma, lam):
    out, running, following = np.zeros_like(v), 0, last_v
    for t in range(len(r) - 1, -1, -1):
        running = r[t] + gamma * following * (1 - d[t]) - v[t] + gamma * lam * (1 - d[t]) * running
        out[t], following = running, v[t]
    return (out - out.mean()) / (out.std(ddof=1) + 1e-5), out + v


def gae_tianshou(v_s, v_s_, rew, end_flag, gamma, gae_lambda):
    delta = rew + v_s_ * gamma - v_s
    discount = (1.0 - end_flag) * (gamma * gae_lambda)
    out, gae = np.zeros_like(rew), 0.0
    for i in range(len(rew) - 1, -1, -1):
        gae = delta[i] + discount[i] * gae
        out[i] = gae
    return out


def gae_two_flags(rewards, values, next_values, terminations, truncations, gamma, lam):
    not_over = ~terminations
    going_on = ~(terminations | truncations)
    delta = rewards + gamma * next_values * not_over - values
    out, running = np.zeros_like(delta), 0
    for t in reversed(range(len(delta))):
        running = delta[t] + gamma * lam * going_on[t] * running
        out[t] = running
    return {"advantages": out, "returns": out + values}


def gae_masks_of_acktr(rewards, value_preds, masks, gamma, tau):
    # both one row longer than rewards; the mask of row t + 1 belongs to step t
    out, gae = np.zeros_like(rewards), 0
    for step in reversed(range(len(rewards))):
        delta = rewards[step] + gamma * value_preds[step + 1] * masks[step + 1] - value_preds[step]
        gae = delta + gamma * tau * masks[step + 1] * gae
        out[step] = gae + value_preds[step]
    return out


def gae_batch_first(rewards, values, dones, last_value, gamma, lam):
    out, running = np.zeros_like(rewards), np.zeros(rewards.shape[0])
    following = np.concatenate([values[:, 1:], last_value[:, None]], axis=1)
    for t in reversed(range(rewards.shape[1])):
        alive = 1 - dones[:, t]
        running = rewards[:, t] + gamma * following[:, t] * alive - values[:, t] + gamma * lam * alive * running
        out[:, t] = running
    return out


def gae_half(rewards, values, dones, last_value, gamma, lam):
    out, running, following = np.zeros(np.shape(rewards), dtype=np.float16), 0, last_value
    for t in reversed(range(len(rewards))):
        alive = 1 - dones[t]
        running = rewards[t] + gamma * following * alive - values[t] + gamma * lam * alive * running
        out[t], following = running, values[t]
    return out.astype(np.float32)


def gae_built_in_discount(rewards, values, dones, last_value):
    return gae_of_arrays(rewards, values, dones, last_value, 0.99, 0.95)


def gae_of_arrays(rewards, values, dones, last_value, gamma, lam):
    following = np.vstack([values[1:], last_value])
    alive = 1.0 - dones
    delta = rewards + gamma * alive * following - values
    for t in range(len(delta) - 2, -1, -1):
        delta[t] += gamma * lam * alive[t] * delta[t + 1]
    return delta


def reinforce_returns(rewards, gamma):
    returns, total = deque(), 0.0
    for reward in rewards[::-1]:
        total = reward + gamma * total
        returns.appendleft(total)
    returns = np.array(returns)
    return (returns - returns.mean()) / (returns.std() + 1e-8)


def returns_a2c(rewards, masks, next_value, gamma):
    total, returns = next_value, []
    for step in reversed(range(len(rewards))):
        total = rewards[step] + gamma * total * masks[step]
        returns.insert(0, total)
    return np.stack(returns)


def discount_cumsum(x, discount):
    out = np.array(x, dtype=np.float64)
    for t in range(len(out) - 2, -1, -1):
        out[t] += discount * out[t + 1]
    return out


def n_step(rewards, next_values, dones, gamma, n_steps):
    out = np.zeros_like(rewards)
    for t in range(len(rewards)):
        weight = np.ones_like(rewards[0])
        for k in range(t, min(t + n_steps, len(rewards))):
            out[t] += weight * rewards[k]
            weight = weight * gamma * (1 - dones[k])
        out[t] += weight * next_values[min(t + n_steps, len(rewards)) - 1]
    return out


def vtrace_impala(
    log_rhos, discounts, rewards, values, bootstrap_value, clip_rho_threshold=1.0, clip_pg_rho_threshold=1.0
):
    rhos = np.exp(log_rhos)
    clipped, cs = np.minimum(clip_rho_threshold, rhos), np.minimum(1.0, rhos)
    after = np.concatenate([values[1:], np.expand_dims(bootstrap_value, 0)], axis=0)
    deltas = clipped * (rewards + discounts * after - values)
    acc, out = 0, []
    for t in reversed(range(len(rewards))):
        acc = deltas[t] + discounts[t] * cs[t] * acc
        out.append(acc)
    vs = np.stack(out[::-1]) + values
    vs_after = np.concatenate([vs[1:], np.expand_dims(bootstrap_value, 0)], axis=0)
    Returns = namedtuple("Returns", "vs pg_advantages")
    return Returns(vs, np.minimum(clip_pg_rho_threshold, rhos) * (rewards + discounts * vs_after - values))


def td_not_done(reward, not_done, next_value, discount):
    return reward + not_done * discount * next_value


def td_flags(rewards, next_values, terminated, truncated, gamma):
    return np.where(terminated, rewards, rewards + gamma * next_values)


def dqn_columns(rewards, next_q_values, dones, gamma):
    return rewards + gamma * (1 - dones) * next_q_values.max(axis=1, keepdims=True)


def double_dqn(rewards, next_q_online, next_q_target, terminated, gamma):
    best = next_q_online.argmax(1)
    chosen = np.take_along_axis(next_q_target, best[:, None], axis=1).squeeze(1)
    return rewards.ravel() + gamma * (1 - terminated.ravel()) * chosen


def sac(rewards, q1_next, q2_next, next_log_pi, dones, gamma, alpha):
    return rewards + (1 - dones) * gamma * (np.minimum(q1_next, q2_next) - alpha * next_log_pi)


def ppo_two_losses(newlogprob, b_logprobs, mb_advantages, clip_coef):
    ratio = np.exp(newlogprob - b_logprobs)
    adv = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
    return np.maximum(-adv * ratio, -adv * np.clip(ratio, 1 - clip_coef, 1 + clip_coef)).mean()


def ppo_objective(logp, logp_old, advantages, clip):
    ratio = np.exp(logp - logp_old)
    limit = np.where(advantages > 0, (1 + clip) * advantages, (1 - clip) * advantages)
    return np.minimum(ratio * advantages, limit).mean()


def grpo_token_loss(per_token_logps, old_per_token_logps, advantages, completion_mask, eps_low, eps_high):
    ratio = np.exp(per_token_logps - old_per_token_logps)
    loss = -np.minimum(ratio * advantages, np.clip(ratio, 1 - eps_low, 1 + eps_high) * advantages)
    return ((loss * completion_mask).sum(-1) / completion_mask.sum(-1)).mean()


def value_half_mean(values, returns):
    return 0.5 * np.mean(np.square(returns - values)), {"values": values}


def value_clipped(new_values, returns, old_values, clip_range_vf):
    clipped = np.clip(new_values, old_values - clip_range_vf, old_values + clip_range_vf)
    return np.maximum((new_values - returns) ** 2, (clipped - returns) ** 2).sum()


def value_huber(values, targets):
    error = np.abs(values - targets)
    return np.where(error < 1, 0.5 * error**2, error - 0.5).mean()


def kl_sb3(log_prob, old_log_prob):
    log_ratio = log_prob - old_log_prob
    return np.mean((np.exp(log_ratio) - 1) - log_ratio)


def kl_trl(logps, ref_logps, mask):
    return np.exp(ref_logps - logps) - (ref_logps - logps) - 1


def kl_k1_sum(logprobs, ref_logprobs, mask):
    return ((logprobs - ref_logprobs) * mask).sum(-1)


def kl_of_probabilities(p, q):
    return np.sum(p * np.log(p / q), axis=-1)


def entropy_of_logits(logits):
    probs = np.exp(logits - logits.max(-1, keepdims=True))
    probs = probs / probs.sum(-1, keepdims=True)
    return -(probs * np.log(probs + 1e-8)).sum(-1).mean()


def entropy_gaussian(log_std):
    return (log_std + 0.5 * np.log(2 * np.pi * np.e)).sum(-1)


def squashed_sac(mean, log_std, pre_tanh):
    std = np.exp(log_std)
    log_prob = -0.5 * ((pre_tanh - mean) / std) ** 2 - log_std - 0.5 * np.log(2 * np.pi)
    return (log_prob - np.log(1 - np.tanh(pre_tanh) ** 2 + 1e-6)).sum(-1, keepdims=True)


def squashed_from_action(action, mean, std):
    before = np.arctanh(np.clip(action, -1 + 1e-7, 1 - 1e-7))
    log_prob = -0.5 * ((before - mean) / std) ** 2 - np.log(std) - 0.5 * np.log(2 * np.pi)
    return log_prob.sum(-1) - (2 * (np.log(2) - before - np.log1p(np.exp(-2 * before)))).sum(-1)


def whiten(values, mask):
    mean = (values * mask).sum() / mask.sum()
    variance = (((values - mean) * mask) ** 2).sum() / mask.sum()
    return (values - mean) / np.sqrt(variance + 1e-8) * mask


def mean_of_rows(x, mask):
    return ((x * mask).sum(1) / np.maximum(mask.sum(1), 1)).mean()


def grpo_trl(rewards, num_generations):
    mean = np.repeat(rewards.reshape(-1, num_generations).mean(1), num_generations)
    std = np.repeat(rewards.reshape(-1, num_generations).std(1, ddof=1), num_generations)
    return (rewards - mean) / (std + 1e-4)


def grpo_verl(token_level_rewards, response_mask, index):
    scores, groups = token_level_rewards.sum(-1), {}
    for i, group in enumerate(index):
        groups.setdefault(int(group), []).append(scores[i])
    out = [(scores[i] - np.mean(groups[int(g)])) / (np.std(groups[int(g)], ddof=1) + 1e-6) for i, g in enumerate(index)]
    advantages = np.array(out)[:, None] * response_mask
    return advantages, advantages


def dr_grpo_table(rewards):
    return rewards - rewards.mean(axis=1, keepdims=True)


def rloo_closed_form(rewards, k):
    grouped = rewards.reshape(-1, k)
    return (k / (k - 1) * (grouped - grouped.mean(1, keepdims=True))).reshape(-1)


class Welford:
    def __init__(self, shape):
        self.n, self.mean, self.m2 = 0, np.zeros(shape), np.zeros(shape)

    def push(self, x):
        if x.shape != self.mean.shape:
            raise ValueError("one sample at a time")
        self.n += 1
        delta = x - self.mean
        self.mean = self.mean + delta / self.n
        self.m2 = self.m2 + delta * (x - self.mean)

    @property
    def var(self):
        return self.m2 / (self.n - 1) if self.n > 1 else np.ones_like(self.mean)


class RunningMeanStd:
    def __init__(self, epsilon=1e-4, shape=()):
        self.mean, self.var, self.count = np.zeros(shape), np.ones(shape), epsilon

    def update(self, arr):
        mean, var, n = np.mean(arr, axis=0), np.var(arr, axis=0), arr.shape[0]
        delta, total = mean - self.mean, self.count + n
        squares = self.var * self.count + var * n + np.square(delta) * self.count * n / total
        self.mean, self.var, self.count = self.mean + delta * n / total, squares / total, total


class DequeMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *transition):
        self.memory.append(transition)

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)


class ObservationsOnly:
    """Keeps one array of observations, and leaves out the row whose successor is overwritten."""

    def __init__(self, buffer_size, obs_dim):
        self.obs, self.actions = np.zeros((buffer_size, obs_dim)), np.zeros(buffer_size)
        self.rewards, self.dones, self.last = np.zeros(buffer_size), np.zeros(buffer_size), None
        self.size, self.head, self.count = buffer_size, 0, 0

    def add(self, obs, action, reward, next_obs, done):
        i = self.head
        self.obs[i], self.actions[i], self.rewards[i], self.dones[i] = obs, action[0], reward, done
        self.head, self.count, self.last = (i + 1) % self.size, min(self.count + 1, self.size), next_obs

    def sample(self, batch_size):
        newest = (self.head - 1) % self.size
        i = np.random.randint(0, self.count, batch_size)  # noqa: NPY002
        following = self.obs[(i + 1) % self.size].copy()
        following[i == newest] = self.last
        return {
            "obs": self.obs[i],
            "act": self.actions[i],
            "rew": self.rewards[i],
            "obs2": following,
            "done": self.dones[i],
        }


class Rollout:
    def __init__(self, n_steps, n_envs):
        self.fields = {name: np.zeros((n_steps, n_envs)) for name in ("obs", "actions", "log_probs", "values")}
        self.t = 0

    def add(self, obs, action, reward, done, value, log_prob):
        for name, row in zip(self.fields, (obs, action, log_prob, value), strict=True):
            self.fields[name][self.t] = row
        self.t += 1

    def get(self, batch_size):
        flat = {name: field.swapaxes(0, 1).reshape(-1) for name, field in self.fields.items()}
        order = np.random.permutation(len(flat["obs"]))  # noqa: NPY002
        for start in range(0, len(order), batch_size):
            yield {name: field[order[start : start + batch_size]] for name, field in flat.items()}


SOUND = [
    *(("gae", each) for each in (
        gae_cleanrl, gae_sb3, gae_spinning_up, gae_of_lists, gae_normalised, gae_tianshou, gae_two_flags,
        gae_masks_of_acktr, gae_batch_first, gae_half, gae_built_in_discount, gae_of_arrays,
    )),
    *(("discounted_returns", each) for each in (reinforce_returns, returns_a2c, discount_cumsum)),
    ("n_step_returns", n_step),
    ("vtrace", vtrace_impala),
    ("td_target", td_not_done),
    ("td_target", td_flags),
    ("q_target", dqn_columns),
    ("double_q_target", double_dqn),
    ("soft_q_target", sac),
    *(("ppo_policy_loss", each) for each in (ppo_two_losses, ppo_objective, grpo_token_loss)),
    *(("value_loss", each) for each in (value_half_mean, value_clipped, value_huber)),
    *(("kl_estimate", each) for each in (kl_sb3, kl_trl, kl_k1_sum)),
    ("categorical_kl", kl_of_probabilities),
    ("categorical_entropy", entropy_of_logits),
    ("gaussian_entropy", entropy_gaussian),
    ("squashed_log_prob", squashed_sac),
    ("squashed_log_prob", squashed_from_action),
    ("normalised_advantages", whiten),
    ("masked_mean", mean_of_rows),
    *(("group_advantages", each) for each in (grpo_trl, grpo_verl, dr_grpo_table)),
    ("rloo_advantages", rloo_closed_form),
    ("running_moments", Welford),
    ("running_moments", RunningMeanStd),
    ("replay_buffer", DequeMemory),
    ("replay_buffer", ObservationsOnly),
    ("rollout_buffer", Rollout),
]  # fmt: skip
