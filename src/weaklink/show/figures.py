"""What the pictures of a survey are drawn from: small numbers, ready for JSON and for any kind of page."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, pairwise
from math import ceil, floor, isfinite, log10

import msgspec
import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import CUT, POLICY, RANDOM, Play, Survey
from weaklink.base.stats import bootstrap_interval, compare_means, level, quantile
from weaklink.base.stats.condensed import condense

BINS = 12
MOST_POINTS = 120
MOST_DIMENSIONS = 20
FEWEST_TO_COMPARE = 5
SMALLEST = 1e-300
"""Bins narrower than this cannot be reckoned with."""


class RewardBar(msgspec.Struct, frozen=True, kw_only=True):
    """How many steps paid something from `low` to `high`; exactly that where the two are the same."""

    low: float
    high: float
    count: int


class RewardFigure(msgspec.Struct, frozen=True, kw_only=True):
    """The rewards of all plays. Those of exactly 0 are counted apart, and so are those that are no finite numbers."""

    steps: int
    zeros: int
    not_finite: int
    bars: tuple[RewardBar, ...]


class ReturnFigure(msgspec.Struct, frozen=True, kw_only=True):
    """The returns of one play: extremes, quartiles and the mean with its interval (95 %, by resampling)."""

    policy: str
    told: str
    episodes: int
    low: float
    quarter: float
    middle: float
    three_quarters: float
    high: float
    mean: float
    mean_low: float
    mean_high: float


class PlayDuel(msgspec.Struct, frozen=True, kw_only=True):
    """Two plays compared: the difference of their means with its interval (99 %), and who is better beyond chance."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    better: str


class PlayFigure(msgspec.Struct, frozen=True, kw_only=True):
    """Every play with whole episodes, and every two of them compared."""

    plays: tuple[ReturnFigure, ...]
    duels: tuple[PlayDuel, ...]


class ColumnTrace(msgspec.Struct, frozen=True, kw_only=True):
    """One column of the observation over an episode: the lowest and highest value of each stretch of steps."""

    label: str
    low: float
    high: float
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    not_finite: int = 0


class TraceFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One recent episode as it is seen; `left_out` counts the columns that are not among the traces."""

    policy: str
    episode: int
    steps: int
    left_out: int
    traces: tuple[ColumnTrace, ...]


class DimensionSweep(msgspec.Struct, frozen=True, kw_only=True):
    """One dimension of the action: how far each position leads from the reference, soon and later, over all states."""

    label: str
    positions: tuple[float, ...]
    near: tuple[float, ...]
    far: tuple[float, ...]


class SweepFigure(msgspec.Struct, frozen=True, kw_only=True):
    """The dimensions of the action taken through their range; `far` is after `horizon` steps."""

    horizon: int
    left_out: int
    dimensions: tuple[DimensionSweep, ...]


class RewardShare(msgspec.Struct, frozen=True, kw_only=True):
    """One part of the reward in one play: its mean a step, and its share of the variance of all parts."""

    policy: str
    component: str
    mean: float
    share: float


class SurveyFigures(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be drawn of a survey; None where nothing was seen."""

    rewards: RewardFigure | None = None
    baselines: PlayFigure | None = None
    traces: TraceFigure | None = None
    sweeps: SweepFigure | None = None
    shares: tuple[RewardShare, ...] | None = None


@np.errstate(over="ignore", invalid="ignore")
def make_figures(survey: Survey) -> SurveyFigures:
    """What can be drawn of a survey."""
    return SurveyFigures(
        rewards=_make_rewards([play.rewards for play in survey.plays.values() if _has_steps(play)]),
        baselines=_make_baselines(survey.plays),
        traces=_make_traces(survey),
        sweeps=_make_sweeps(survey),
        shares=_make_shares(survey.plays),
    )


def _has_steps(play: Play) -> bool:
    """Whether a play is known step by step; a trained policy may be known by its returns alone."""
    alone = play.policy == POLICY and play.observations is None and play.seconds == 0
    return not alone or bool(np.any(play.lengths != 1))


def _make_rewards(parts: list[Array]) -> RewardFigure | None:
    rewards = np.concatenate([np.empty(0), *parts])
    if not len(rewards):
        return None
    values = np.sort(_keep_finite(rewards))
    paid = values[values != 0.0]
    return RewardFigure(
        steps=len(rewards),
        zeros=len(values) - len(paid),
        not_finite=len(rewards) - len(values),
        bars=_make_bars(paid) if len(paid) else (),
    )


def _make_bars(ordered: Array) -> tuple[RewardBar, ...]:
    """A bar for each value where there are few, else bins of one round width, none of which reaches over 0."""
    starts = np.flatnonzero(np.diff(ordered, prepend=-np.inf))
    if len(starts) <= BINS:
        counts = np.diff(np.append(starts, len(ordered)))
        values = zip(ordered[starts].tolist(), counts.tolist(), strict=True)
        return tuple(RewardBar(low=value, high=value, count=count) for value, count in values)
    edges = _round_edges(float(ordered[0]), float(ordered[-1]))
    places = np.searchsorted(ordered, edges[1:-1], side="left")
    counts = np.diff(np.concatenate([[0], places, [len(ordered)]]))
    return tuple(
        RewardBar(low=start, high=end, count=count)
        for (start, end), count in zip(pairwise(edges), counts.tolist(), strict=True)
    )


def _round_edges(low: float, high: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten from below the one to above the other, for at most BINS bins."""
    least = high / BINS - low / BINS
    if least < SMALLEST:
        return [low, high]
    place = floor(log10(least))
    for digits in (1, 2, 5, 10, 20, 50):
        width = float(f"{digits}e{place}")
        first, last = floor(low / width), ceil(high / width)
        edges = [float(f"{step * digits}e{place}") for step in range(first, last + 1)]
        rising = all(one < two for one, two in pairwise(edges))
        if 2 <= len(edges) <= BINS + 1 and all(map(isfinite, edges)) and rising:
            return edges
    return [low, high]


def _make_baselines(plays: Mapping[str, Play]) -> PlayFigure | None:
    returns = {name: _keep_finite(play.returns) for name, play in plays.items()}
    returns = {name: values for name, values in returns.items() if len(values)}
    if not returns:
        return None
    shown = tuple(summarise_returns(name, plays[name].told, values) for name, values in returns.items())
    pairs = combinations((name for name, values in returns.items() if len(values) >= FEWEST_TO_COMPARE), 2)
    return PlayFigure(plays=shown, duels=tuple(_make_duel(one, two, returns[one], returns[two]) for one, two in pairs))


def summarise_returns(policy: str, told: str, returns: Array) -> ReturnFigure:
    """What is drawn of finite returns."""
    mean = bootstrap_interval(condense(returns), np.random.default_rng(0))
    low, quarter, middle, three_quarters, high = (quantile(returns, share) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    return ReturnFigure(
        policy=policy,
        told=told,
        episodes=len(returns),
        low=low,
        quarter=quarter,
        middle=middle,
        three_quarters=three_quarters,
        high=high,
        mean=float(returns.mean()),
        mean_low=mean.low,
        mean_high=mean.high,
    )


def _make_duel(first: str, second: str, one: Array, two: Array) -> PlayDuel:
    held = compare_means(condense(one), condense(two))
    better = first if held.better else second if held.worse else ""
    return PlayDuel(first=first, second=second, difference=held.difference, low=held.low, high=held.high, better=better)


def _make_traces(survey: Survey) -> TraceFigure | None:
    names = (POLICY, RANDOM, *survey.plays)
    play = next((survey.plays[name] for name in names if name in survey.plays and survey.plays[name].kept > 1), None)
    if play is None or play.observations is None or not play.observations.shape[1]:
        return None
    episode = _pick_recent(play)
    start = int(play.starts[episode])
    rows = play.observations[start : min(start + int(play.lengths[episode]), play.kept)]
    columns = _pick_columns(rows.shape[1])
    labels = survey.labels
    traces = (_make_trace(labels[place] if place < len(labels) else f"[{place}]", rows[:, place]) for place in columns)
    return TraceFigure(
        policy=play.policy,
        episode=episode,
        steps=len(rows),
        left_out=rows.shape[1] - len(columns),
        traces=tuple(traces),
    )


def _pick_recent(play: Play) -> int:
    """The last whole episode that was kept and is no shorter than usual; the first where none was kept to its end."""
    whole = np.flatnonzero((play.starts + play.lengths <= play.kept) & (play.ends != CUT) & (play.lengths > 0))
    if not len(whole):
        return 0
    usual = level(play.lengths[whole])
    return int(whole[play.lengths[whole] >= usual][-1])


def _pick_columns(count: int) -> list[int]:
    """All columns where they are few, else some from everywhere."""
    if count <= MOST_DIMENSIONS:
        return list(range(count))
    return [round(place) for place in np.linspace(0, count - 1, MOST_DIMENSIONS).tolist()]


def _make_trace(label: str, values: Array) -> ColumnTrace:
    finite = _keep_finite(np.asarray(values, dtype=float))
    if not len(finite):
        return ColumnTrace(label=label, low=np.nan, high=np.nan, lows=(), highs=(), not_finite=len(values))
    points = min(len(finite), MOST_POINTS)
    edges = (np.arange(points) * len(finite)) // points
    return ColumnTrace(
        label=label,
        low=float(finite.min()),
        high=float(finite.max()),
        lows=tuple(np.minimum.reduceat(finite, edges).tolist()),
        highs=tuple(np.maximum.reduceat(finite, edges).tolist()),
        not_finite=len(values) - len(finite),
    )


def _make_sweeps(survey: Survey) -> SweepFigure | None:
    if not survey.sweeps:
        return None
    chosen = [survey.sweeps[place] for place in _pick_columns(len(survey.sweeps))]
    return SweepFigure(
        horizon=chosen[0].horizon,
        left_out=len(survey.sweeps) - len(chosen),
        dimensions=tuple(
            DimensionSweep(
                label=each.label,
                positions=tuple(each.positions.tolist()),
                near=_average_states(each.near),
                far=_average_states(each.far),
            )
            for each in chosen
        ),
    )


def _average_states(effects: Array) -> tuple[float, ...]:
    """The mean effect of each position over the states from which it could be told."""
    columns = (_keep_finite(np.asarray(column, dtype=float)) for column in effects.T)
    return tuple(float((column / max(len(column), 1)).sum()) for column in columns)


def _make_shares(plays: Mapping[str, Play]) -> tuple[RewardShare, ...] | None:
    shares: list[RewardShare] = []
    for name, play in plays.items():
        parts = {key: _keep_finite(values) for key, values in play.components.items()}
        spreads = {key: float(values.var()) for key, values in parts.items() if len(values)}
        total = sum(spreads.values())
        shares += [
            RewardShare(
                policy=name,
                component=key,
                mean=float(parts[key].mean()),
                share=spread / total if 0 < total < np.inf else 0.0,
            )
            for key, spread in spreads.items()
        ]
    return tuple(shares) or None


def _keep_finite(values: Array) -> Array:
    return np.asarray(values[np.isfinite(values)])
