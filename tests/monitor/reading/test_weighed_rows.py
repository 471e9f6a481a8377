"""Rows with weights of their own, as prioritised replay gives them: targets are found, and nothing is made up."""

import dataclasses

import numpy as np
import pytest

from weaklink.collect.monitor.reading.state_values import HUBER, SQUARE
from weaklink.collect.monitor.reading.weighed_rows import DISCOUNTS, WeighedRows, fit_weighed

BATCHES, SIZE = 12, 64


def make_rows(
    seed: int = 0,
    *,
    gamma: float = 0.98,
    scale: float = 1.0,
    limit: float = 1.0,
    spread: float = 0.6,
    weighed: bool = True,
) -> tuple[WeighedRows, dict[str, np.ndarray]]:
    """Minibatches whose weights are divided by the largest of each, with one terminal row in sixteen."""
    rng = np.random.default_rng(seed)
    count = BATCHES * SIZE
    following, rewards = rng.normal(-8.0, 2.0, count), rng.normal(-1.0, 0.5, count)
    ended = np.arange(count) % 16 == 0
    targets = scale * rewards + gamma * np.where(ended, 0.0, following)
    values = targets + rng.normal(0.0, spread, count)
    batches = np.repeat(np.arange(BATCHES), SIZE)
    weights = rng.uniform(0.05, 1.0, count) if weighed else np.ones(count)
    weights /= np.array([weights[batches == each].max() for each in range(BATCHES)])[batches]
    asked = weights * np.clip(values - targets, -limit, limit)
    rows = WeighedRows(values, asked.astype(np.float32).astype(np.float64), rewards, ended, batches)
    others = {"max": following, "max (2)": following + rng.normal(0.0, 0.3, count)}
    return rows, others


@pytest.mark.parametrize(("limit", "loss"), [(1.0, HUBER), (np.inf, SQUARE)])
def test_discount_source_and_largest_weight_are_found(limit: float, loss: str) -> None:
    rows, following = make_rows(limit=limit)
    fit = fit_weighed(rows, dict(reversed(following.items())), DISCOUNTS)
    assert fit is not None
    assert (fit.source, fit.gamma, fit.scale, fit.loss) == ("max", 0.98, 1.0, loss)
    assert fit.weight == pytest.approx(1.0, rel=1e-3)


def test_rows_at_ends_go_on_with_what_leaves_them_a_weight() -> None:
    rows, following = make_rows()
    fit = fit_weighed(rows, following, DISCOUNTS)
    assert fit is not None
    known = rows.ended & np.isfinite(fit.targets)
    assert known.sum() > 10
    assert np.allclose(fit.targets[known], rows.rewards[known])


def test_minibatches_whose_largest_weight_ends_an_episode_have_a_smaller_one() -> None:
    rows, following = make_rows(spread=0.3)
    weights = np.abs(rows.asked / np.clip(rows.values - (rows.rewards + 0.98 * following["max"] * ~rows.ended), -1, 1))
    first = [int(np.argmax(np.where(rows.batches == each, weights, 0.0))) for each in range(2)]
    ended = rows.ended.copy()
    ended[first] = True
    fit = fit_weighed(dataclasses.replace(rows, ended=ended), following, DISCOUNTS)
    assert fit is not None
    assert (fit.source, fit.gamma) == ("max", 0.98)


@pytest.mark.parametrize("scale", [0.0, -1.0])
def test_a_reward_that_is_lost_or_flipped_is_told(scale: float) -> None:
    rows, following = make_rows(scale=scale)
    fit = fit_weighed(rows, following, DISCOUNTS)
    assert fit is not None
    assert (fit.scale, fit.gamma) == (scale, 0.98)


def test_targets_without_a_next_value_are_told() -> None:
    rows, following = make_rows(gamma=0.0)
    fit = fit_weighed(rows, following, DISCOUNTS)
    assert fit is not None
    assert fit.gamma == 0.0


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(make_rows(weighed=False), id="one weight for all rows"),
        pytest.param(make_rows(limit=1e-3), id="all errors beyond the limit"),
        pytest.param(make_rows(gamma=0.8765), id="a discount that nobody uses"),
    ],
)
def test_nothing_is_made_up(rows: tuple[WeighedRows, dict[str, np.ndarray]]) -> None:
    assert fit_weighed(*rows, DISCOUNTS) is None
