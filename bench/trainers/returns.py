"""Advantages and value targets of a rollout: generalised advantage estimation."""

import numpy as np


def judged(
    rewards: np.ndarray,
    values: np.ndarray,
    next_values: np.ndarray,
    terminated: np.ndarray,
    truncated: np.ndarray,
    gamma: float,
    trace: float,
    fault: str = "",
) -> tuple[np.ndarray, np.ndarray]:
    """Advantages and value targets, each (time, member); a truncated episode is valued by what it was cut off from."""
    goes_on = 1.0 - terminated
    linked = 1.0 - (terminated | truncated)
    if fault == "G02":
        gamma = 1.0
    elif fault == "G03":
        gamma = 0.5
    elif fault == "W07":  # discounted twice
        gamma = gamma**2
    elif fault == "W08":  # the two arguments in the wrong order
        gamma, trace = trace, gamma
    elif fault == "G04":
        linked = np.ones_like(linked)
    elif fault == "V02":
        next_values = values
    elif fault == "V10":
        goes_on = 1.0 - goes_on
    elif fault == "W09":  # the rollout's end is taken for the end of the episode
        next_values = next_values.copy()
        next_values[-1] = 0.0
    if fault == "G01":
        return _forwards(rewards, values, linked, gamma)
    if fault == "W10":
        return _uncut(rewards, values, next_values, goes_on, gamma, trace)
    errors = rewards + gamma * goes_on * next_values - values
    advantages = np.zeros_like(errors)
    later = np.zeros_like(errors[0])
    for t in reversed(range(len(errors))):
        later = advantages[t] = errors[t] + gamma * trace * linked[t] * later
    if fault == "G07":
        return advantages, advantages
    if fault == "G09":
        return -advantages, advantages + values
    return advantages, advantages + values


def _forwards(
    rewards: np.ndarray, values: np.ndarray, linked: np.ndarray, gamma: float
) -> tuple[np.ndarray, np.ndarray]:
    """G01: the sum of discounted rewards runs with time, so that it holds the past."""
    returns, so_far = np.zeros_like(rewards), np.zeros_like(rewards[0])
    for t in range(len(rewards)):
        returns[t] = rewards[t] + gamma * so_far
        so_far = returns[t] * linked[t]
    return returns - values, returns


def _uncut(
    rewards: np.ndarray,
    values: np.ndarray,
    next_values: np.ndarray,
    goes_on: np.ndarray,
    gamma: float,
    trace: float,
) -> tuple[np.ndarray, np.ndarray]:
    """W10: the recursion of lambda-returns runs on into the next episode."""
    returns, later = np.zeros_like(rewards), next_values[-1]
    for t in reversed(range(len(rewards))):
        later = returns[t] = rewards[t] + gamma * ((1 - trace) * goes_on[t] * next_values[t] + trace * later)
    return returns - values, returns
