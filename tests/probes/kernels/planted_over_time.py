"""Kernels over time with a mistake each, as people write them, and the name that the mistake has."""

from __future__ import annotations

import numpy as np


def gae_shifted(rewards, values, dones, last_value, gamma=0.99, lam=0.95):
    advantages = np.zeros_like(rewards)
    running = 0.0
    for t in reversed(range(len(rewards))):
        if t == len(rewards) - 1:
            alive, following = 1.0 - dones[-1], last_value
        else:
            alive, following = 1.0 - dones[t + 1], values[t + 1]
        delta = rewards[t] + gamma * following * alive - values[t]
        running = delta + gamma * lam * alive * running
        advantages[t] = running
    return advantages, advantages + values


def cleanrl_gae_reading_its_own_row(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    advantages = np.zeros_like(rewards)
    lastgaelam = 0
    for t in reversed(range(rewards.shape[0])):
        if t == rewards.shape[0] - 1:
            nextnonterminal = 1.0 - next_done
            nextvalues = next_value
        else:
            nextnonterminal = 1.0 - dones[t]
            nextvalues = values[t + 1]
        delta = rewards[t] + gamma * nextvalues * nextnonterminal - values[t]
        advantages[t] = lastgaelam = delta + gamma * gae_lambda * nextnonterminal * lastgaelam
    return advantages, advantages + values


def gae_without_done(rewards, values, dones, last_value, gamma, lam):
    following = np.concatenate([values[1:], np.reshape(last_value, values[:1].shape)])
    deltas = rewards + gamma * following - values
    out, running = np.zeros_like(deltas), 0
    for t in range(len(deltas) - 1, -1, -1):
        running = deltas[t] + gamma * lam * running
        out[t] = running
    return out


def gae_through_terminal(rewards, values, next_values, terminated, truncated, gamma, lam):
    delta = rewards + gamma * next_values - values
    out, running = np.zeros_like(delta), 0
    for t in reversed(range(len(delta))):
        running = delta[t] + gamma * lam * (1 - np.maximum(terminated[t], truncated[t])) * running
        out[t] = running
    return out


def gae_recursion_not_cut(rewards, values, dones, last_value, gamma, lam):
    following = np.append(values[1:], np.reshape(last_value, values[:1].shape), axis=0)
    delta = rewards + gamma * following * (1 - dones) - values
    out, running = np.zeros_like(delta), 0
    for t in reversed(range(len(delta))):
        running = delta[t] + gamma * lam * running
        out[t] = running
    return out, out + values


def gae_truncation_is_the_end(rewards, values, next_values, terminated, truncated, gamma, lam):
    done = np.logical_or(terminated, truncated)
    delta = rewards + gamma * next_values * (1 - done) - values
    out, running = np.zeros_like(delta), 0
    for t in reversed(range(len(delta))):
        running = delta[t] + gamma * lam * (1 - done[t]) * running
        out[t] = running
    return out


def gae_without_last_value(rewards, values, dones, last_value, gamma, lam):
    out, running, following = np.zeros_like(values), 0, 0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * following * (1 - dones[t]) - values[t] + gamma * lam * (1 - dones[t]) * running
        following = values[t]
        out[t] = running
    return out


def gae_mask_inverted(rewards, values, dones, last_value, gamma, lam):
    out, running, following = np.zeros_like(values), 0, last_value
    for t in reversed(range(len(rewards))):
        mask = dones[t]
        running = rewards[t] + gamma * following * mask - values[t] + gamma * lam * mask * running
        following = values[t]
        out[t] = running
    return out


def spinning_up_lambda_forgotten(rewards, values, gamma, lam):
    # values of one row more than rewards, as in Spinning Up
    deltas = rewards + gamma * values[1:] - values[:-1]
    out, running = np.zeros_like(deltas), 0.0
    for t in reversed(range(len(deltas))):
        running = deltas[t] + gamma * running
        out[t] = running
    return out


def gae_gamma_forgotten(rewards, values, dones, last_value, gamma, lam):
    out, running, following = np.zeros_like(values), 0, last_value
    for t in reversed(range(len(rewards))):
        alive = 1 - dones[t]
        running = rewards[t] + following * alive - values[t] + lam * alive * running
        following = values[t]
        out[t] = running
    return out


def gae_gamma_squared(rewards, values, dones, last_value, gamma, lam):
    out, running, following = np.zeros_like(values), 0, last_value
    for t in reversed(range(len(rewards))):
        discount = gamma * (1 - dones[t])
        running = rewards[t] + discount * following - values[t] + gamma * discount * lam * running
        following = values[t]
        out[t] = running
    return out


def gae_own_value(rewards, values, dones, last_value, gamma, lam):
    out, running = np.zeros_like(values), 0
    for t in reversed(range(len(rewards))):
        alive = 1 - dones[t]
        running = rewards[t] + gamma * values[t] * alive - values[t] + gamma * lam * alive * running
        out[t] = running
    return out


def gae_forwards(rewards, values, dones, last_value, gamma, lam):
    following = np.concatenate([values[1:], np.reshape(last_value, values[:1].shape)])
    delta = rewards + gamma * following * (1 - dones) - values
    out, running = np.zeros_like(delta), 0
    for t in range(len(delta)):
        running = delta[t] + gamma * lam * (1 - dones[t]) * running
        out[t] = running
    return out


def gae_target_is_advantage(rewards, values, dones, last_value, gamma, lam):
    out, running, following = np.zeros_like(values), 0, last_value
    for t in reversed(range(len(rewards))):
        alive = 1 - dones[t]
        running = rewards[t] + gamma * following * alive - values[t] + gamma * lam * alive * running
        following = values[t]
        out[t] = running
    returns = out
    return (out - out.mean()) / (out.std() + 1e-8), returns


def gae_value_minus_return(rewards, values, dones, last_value, gamma, lam):
    return -gae_right(rewards, values, dones, last_value, gamma, lam)


def gae_right(rewards, values, dones, last_value, gamma, lam):
    out, running, following = np.zeros_like(values), 0, last_value
    for t in reversed(range(len(rewards))):
        alive = 1 - dones[t]
        running = rewards[t] + gamma * following * alive - values[t] + gamma * lam * alive * running
        following = values[t]
        out[t] = running
    return out


def gae_each_env_normalised(rewards, values, dones, last_value, gamma, lam):
    out = gae_right(rewards, values, dones, last_value, gamma, lam)
    return (out - out.mean(axis=0)) / (out.std(axis=0) + 1e-8)


def returns_shifted(rewards, dones, gamma):
    out, total = np.zeros_like(rewards), 0.0
    for t in reversed(range(len(rewards))):
        total = rewards[t] + gamma * total
        out[t] = total
        total = total * (1 - dones[t])
    return out


def returns_across_episodes(rewards, dones, last_value, gamma):
    out, total = [], last_value
    for t in reversed(range(len(rewards))):
        total = rewards[t] + gamma * total
        out.insert(0, total)
    return np.array(out)


def returns_last_terminal(rewards, dones, last_value, gamma):
    out, total = np.zeros_like(rewards), last_value
    for t in reversed(range(len(rewards))):
        alive = 1.0 if t == len(rewards) - 1 else 1.0 - dones[t]
        total = rewards[t] + gamma * alive * total
        out[t] = total
    return out


def returns_undiscounted(rewards, gamma):
    return np.cumsum(rewards[::-1], axis=0)[::-1]


def returns_from_the_start(rewards, gamma):
    # the factor gamma^t is never divided out again
    weights = gamma ** np.arange(len(rewards))
    return np.cumsum((rewards.T * weights).T[::-1], axis=0)[::-1]


def returns_whole_episode(rewards, gamma):
    total = sum(gamma**t * reward for t, reward in enumerate(rewards))
    return [total for _ in rewards]


def returns_forwards(rewards, dones, gamma):
    out, total = [], 0.0
    for reward, done in zip(rewards, dones, strict=True):
        total = reward + gamma * total * (1 - done)
        out.append(total)
    return np.array(out)


def n_step_over_the_boundary(rewards, next_values, dones, gamma, n):
    out, length = np.zeros_like(rewards), len(rewards)
    for t in range(length):
        end = min(t + n, length)
        for k in range(t, end):
            out[t] += gamma ** (k - t) * rewards[k]
        out[t] += gamma ** (end - t) * next_values[end - 1]
    return out


def n_step_one_gamma(rewards, next_values, dones, gamma, n):
    out, length = np.zeros_like(rewards), len(rewards)
    for t in range(length):
        alive = 1.0
        for k in range(t, min(t + n, length)):
            out[t] += alive * gamma ** (k - t) * rewards[k]
            alive = alive * (1 - dones[k])
        out[t] += alive * gamma * next_values[min(t + n, length) - 1]
    return out


def vtrace_behaviour_over_target(behaviour_log_probs, target_log_probs, rewards, values, bootstrap_value, dones, gamma):
    return _vtrace(np.exp(behaviour_log_probs - target_log_probs), rewards, values, bootstrap_value, dones, gamma, 1.0)


def vtrace_unclipped(log_rhos, rewards, values, bootstrap_value, dones, gamma):
    return _vtrace(np.exp(log_rhos), rewards, values, bootstrap_value, dones, gamma, np.inf)


def vtrace_advantage_of_values(log_rhos, rewards, values, bootstrap_value, dones, gamma):
    ratios = np.exp(log_rhos)
    targets, _ = _vtrace(ratios, rewards, values, bootstrap_value, dones, gamma, 1.0)
    following = np.concatenate([values[1:], np.reshape(bootstrap_value, values[:1].shape)])
    return targets, np.minimum(ratios, 1.0) * (rewards + gamma * (1 - dones) * following - values)


def _vtrace(ratios, rewards, values, last, dones, gamma, clip):
    rho = np.minimum(clip, ratios)
    discount = gamma * (1 - dones)
    following = np.concatenate([values[1:], np.reshape(last, values[:1].shape)])
    delta = rho * (rewards + discount * following - values)
    out, running = np.zeros_like(delta), 0
    for t in reversed(range(len(delta))):
        running = delta[t] + discount[t] * rho[t] * running
        out[t] = running
    targets = values + out
    after = np.concatenate([targets[1:], np.reshape(last, values[:1].shape)])
    return targets, rho * (rewards + discount * after - values)


PLANTED = [
    ("gae", gae_shifted, "done mask shifted by one"),
    ("gae", cleanrl_gae_reading_its_own_row, "done mask shifted by one"),
    ("gae", gae_without_done, "done ignored"),
    ("gae", gae_through_terminal, "bootstrap through a terminal"),
    ("gae", gae_recursion_not_cut, "advantage carried across an episode's end"),
    ("gae", gae_truncation_is_the_end, "truncation treated as termination"),
    ("gae", gae_without_last_value, "no bootstrap at the last step"),
    ("gae", gae_mask_inverted, "mask inverted"),
    ("gae", spinning_up_lambda_forgotten, "lambda ignored"),
    ("gae", gae_gamma_forgotten, "gamma ignored"),
    ("gae", gae_gamma_squared, "gamma applied twice"),
    ("gae", gae_own_value, "bootstrap from s instead of s'"),
    ("gae", gae_forwards, "time not reversed"),
    ("gae", gae_target_is_advantage, "value target = advantage"),
    ("gae", gae_value_minus_return, "sign flipped"),
    ("gae", gae_each_env_normalised, "normalised over the wrong axis"),
    ("discounted_returns", returns_shifted, "done mask shifted by one"),
    ("discounted_returns", returns_across_episodes, "done ignored"),
    ("discounted_returns", returns_last_terminal, "bootstrap through a terminal"),
    ("discounted_returns", returns_undiscounted, "gamma ignored"),
    ("discounted_returns", returns_from_the_start, "discounted from the start of the episode"),
    ("discounted_returns", returns_whole_episode, "whole return instead of reward to go"),
    ("discounted_returns", returns_forwards, "time not reversed"),
    ("n_step_returns", n_step_over_the_boundary, "episode boundary crossed"),
    ("n_step_returns", n_step_one_gamma, "bootstrap discounted once instead of n times"),
    ("vtrace", vtrace_behaviour_over_target, "ratio inverted"),
    ("vtrace", vtrace_unclipped, "importance weights not clipped"),
    ("vtrace", vtrace_advantage_of_values, "policy advantage from V(s') instead of the target"),
]
