"""What explains the weights of completions: their own group's advantages, or a known mistake."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.tokens import Training
from weaklink.collect.probes.language.gradients import Row, Update, words_of

EPSILON = 1e-4

SIGN, BATCH, RAW = "the sign", "the whole batch's baseline", "no baseline"
ANOTHER_ROW, ANOTHER_GROUP, MIXED = "another completion's", "another prompt's", "groups across prompts"


def fits(seen: Training, update: Update) -> tuple[float, dict[str, float]]:
    """How well the weights follow the right advantages (1 is exactly), and how well each mistake's."""
    order = _in_order(seen, update)
    weights = np.array([np.median(row.weights(seen.settings.temperature)) for row in order])
    lengths = np.array([row.length for row in order], float)
    rewards = np.array([payment.reward for payment in seen.payments[: len(order)]])
    groups = groups_of(order)
    right = advantages(rewards, groups)
    best = _best(weights, lengths, right)
    wrong = {SIGN: -min(_correlation(weights, each) for each in right)}
    for name, options in _mistakes(rewards, groups, right).items():
        wrong[name] = _best(weights, lengths, options)
    return best, wrong


def advantages(rewards: Array, groups: Array) -> list[Array]:
    """Rewards less their group's mean, plainly and by the group's spread."""
    centred, scaled = np.zeros_like(rewards), np.zeros_like(rewards)
    for group in np.unique(groups):
        own = groups == group
        centred[own] = rewards[own] - rewards[own].mean()
        spread = rewards[own].std(ddof=1) if own.sum() > 1 else 0.0
        scaled[own] = centred[own] / (spread + EPSILON)
    return [scaled, centred]


def _mistakes(rewards: Array, groups: Array, right: list[Array]) -> dict[str, list[Array]]:
    size = int((groups == groups[0]).sum())
    blocks = max(len(rewards) // max(size, 1), 1)
    across = np.arange(len(rewards)) % blocks
    return {
        BATCH: [rewards - rewards.mean()],
        RAW: [rewards],
        ANOTHER_ROW: [
            moved
            for shift in (1, -1)
            for moved in (*(np.roll(each, shift) for each in right), *advantages(np.roll(rewards, shift), groups))
        ],
        ANOTHER_GROUP: [np.roll(each, shift * size) for each in right for shift in range(1, blocks)],
        MIXED: advantages(rewards, across.astype(float)),
    }


def _best(weights: Array, lengths: Array, options: list[Array]) -> float:
    """Weights may be divided by the length, which is no question of the advantage."""
    return max(_correlation(weights, each / lengths**power) for each in options for power in (0, 1))


def _correlation(one: Array, other: Array) -> float:
    """Through the origin: a baseline that is missing must show."""
    size = float(np.sqrt((one**2).sum() * (other**2).sum()))
    return float((one * other).sum()) / size if size > 0.0 else 0.0


def _in_order(seen: Training, update: Update) -> list[Row]:
    """The rows in the order in which they were paid; a row that was never paid goes to a place that is left."""
    waiting: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Row]] = defaultdict(list)
    for row in update.rows:
        waiting[words_of(row.prompt, seen), words_of(row.completion, seen)].append(row)
    order: list[Row | None] = []
    for payment in seen.payments[: len(update.rows)]:
        fitting = waiting.get((payment.prompt, payment.completion))
        order.append(fitting.pop() if fitting else None)
    left = [row for rows in waiting.values() for row in rows]
    return [row if row is not None else left.pop() for row in order]


def groups_of(rows: list[Row]) -> Array:
    """A number for each prompt."""
    numbers = {prompt: number for number, prompt in enumerate(dict.fromkeys(row.prompt for row in rows))}
    return np.array([numbers[row.prompt] for row in rows], float)


def length_power(seen: Training, update: Update) -> float | None:
    """By which power of the length a completion's weight, in units of its advantage, grows; None where none shows."""
    order = _in_order(seen, update)
    rewards = np.array([payment.reward for payment in seen.payments[: len(order)]])
    groups = groups_of(order)
    weights = np.array([np.median(row.weights(seen.settings.temperature)) for row in order])
    lengths = np.array([row.length for row in order], float)
    if len(set(lengths)) < 2:
        return None
    return min((_power(weights, lengths, each) for each in advantages(rewards, groups)), key=lambda fit: fit[1])[0]


def _power(weights: Array, lengths: Array, advantage: Array) -> tuple[float, float]:
    """The power of the length that fits best, and how badly."""
    clear = np.abs(advantage) > 0.1 * np.abs(advantage).max()
    ratio = weights[clear] / advantage[clear]
    size = np.log(np.maximum(np.abs(ratio), 1e-30))
    line = np.polyfit(np.log(lengths[clear]), size, 1)
    return float(line[0]), float(np.std(size - np.polyval(line, np.log(lengths[clear]))))
