"""What explains the weights of completions: their own group's advantages, or a known mistake."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.tokens import TokenTraining
from weaklink.collect.probes.language.gradients import CompletionRow, SeenUpdate, read_words

EPSILON = 1e-4

SIGN, BATCH, RAW = "the sign", "the whole batch's baseline", "no baseline"
ANOTHER_ROW, ANOTHER_GROUP, MIXED = "another completion's", "another prompt's", "groups across prompts"


def measure_fits(seen: TokenTraining, update: SeenUpdate) -> tuple[float, dict[str, float]]:
    """How well the weights follow the right advantages (1 is exactly), and how well each mistake's."""
    order = _order_rows(seen, update)
    weights = np.array([np.median(row.weights(seen.settings.temperature)) for row in order])
    lengths = np.array([row.length for row in order], float)
    rewards = np.array([payment.reward for payment in seen.payments[: len(order)]])
    groups = number_groups(order)
    right = compute_advantages(rewards, groups)
    best = _find_best_fit(weights, lengths, right)
    wrong = {SIGN: -min(_correlate(weights, each) for each in right)}
    for name, options in _compute_mistakes(rewards, groups, right).items():
        wrong[name] = _find_best_fit(weights, lengths, options)
    return best, wrong


def compute_advantages(rewards: Array, groups: Array) -> list[Array]:
    """Rewards less their group's mean, plainly and by the group's spread."""
    centred, scaled = np.zeros_like(rewards), np.zeros_like(rewards)
    for group in np.unique(groups):
        own = groups == group
        centred[own] = rewards[own] - rewards[own].mean()
        spread = rewards[own].std(ddof=1) if own.sum() > 1 else 0.0
        scaled[own] = centred[own] / (spread + EPSILON)
    return [scaled, centred]


def _compute_mistakes(rewards: Array, groups: Array, right: list[Array]) -> dict[str, list[Array]]:
    size = int((groups == groups[0]).sum())
    blocks = max(len(rewards) // max(size, 1), 1)
    across = np.arange(len(rewards)) % blocks
    return {
        BATCH: [rewards - rewards.mean()],
        RAW: [rewards],
        ANOTHER_ROW: [
            moved
            for shift in (1, -1)
            for moved in (
                *(np.roll(each, shift) for each in right),
                *compute_advantages(np.roll(rewards, shift), groups),
            )
        ],
        ANOTHER_GROUP: [np.roll(each, shift * size) for each in right for shift in range(1, blocks)],
        MIXED: compute_advantages(rewards, across.astype(float)),
    }


def _find_best_fit(weights: Array, lengths: Array, options: list[Array]) -> float:
    """Weights may be divided by the length, which is no question of the advantage."""
    return max(_correlate(weights, each / lengths**power) for each in options for power in (0, 1))


def _correlate(one: Array, other: Array) -> float:
    """Through the origin: a baseline that is missing must show."""
    size = float(np.sqrt((one**2).sum() * (other**2).sum()))
    return float((one * other).sum()) / size if size > 0.0 else 0.0


def _order_rows(seen: TokenTraining, update: SeenUpdate) -> list[CompletionRow]:
    """The rows in the order in which they were paid; a row that was never paid goes to a place that is left."""
    waiting: dict[tuple[tuple[str, ...], tuple[str, ...]], list[CompletionRow]] = defaultdict(list)
    for row in update.rows:
        waiting[read_words(row.prompt, seen), read_words(row.completion, seen)].append(row)
    order: list[CompletionRow | None] = []
    for payment in seen.payments[: len(update.rows)]:
        fitting = waiting.get((payment.prompt, payment.completion))
        order.append(fitting.pop() if fitting else None)
    left = [row for rows in waiting.values() for row in rows]
    return [row if row is not None else left.pop() for row in order]


def number_groups(rows: list[CompletionRow]) -> Array:
    """A number for each prompt."""
    numbers = {prompt: number for number, prompt in enumerate(dict.fromkeys(row.prompt for row in rows))}
    return np.array([numbers[row.prompt] for row in rows], float)


def measure_length_power(seen: TokenTraining, update: SeenUpdate) -> float | None:
    """By which power of the length a completion's weight, in units of its advantage, grows; None where none shows."""
    order = _order_rows(seen, update)
    rewards = np.array([payment.reward for payment in seen.payments[: len(order)]])
    groups = number_groups(order)
    weights = np.array([np.median(row.weights(seen.settings.temperature)) for row in order])
    lengths = np.array([row.length for row in order], float)
    if len(set(lengths)) < 2:
        return None
    return min(
        (_fit_power(weights, lengths, each) for each in compute_advantages(rewards, groups)), key=lambda fit: fit[1]
    )[0]


def _fit_power(weights: Array, lengths: Array, advantage: Array) -> tuple[float, float]:
    """The power of the length that fits best, and how badly."""
    clear = np.abs(advantage) > 0.1 * np.abs(advantage).max()
    ratio = weights[clear] / advantage[clear]
    size = np.log(np.maximum(np.abs(ratio), 1e-30))
    line = np.polyfit(np.log(lengths[clear]), size, 1)
    return float(line[0]), float(np.std(size - np.polyval(line, np.log(lengths[clear]))))
