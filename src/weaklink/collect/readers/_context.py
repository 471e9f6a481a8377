"""What the rest of a log says of a name that alone could mean several things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.metrics import COMPONENT
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.collect.readers._symbols import settle_symbols

_EPSILON = ("eps", "train/eps", "charts/eps", "rollout/eps")
_REWARD = frozenset(("reward", "mean_reward", "avg_reward", "reward_mean", "reward_avg", "rew", "mean_rew", "avg_rew"))
BEGUN_AGAIN = 2  # times that a schedule of exploration may begin again, as after a resume
ALONG = 0.5  # of the steps of the training
_SETTLED = ("reward.episode_return", "reward.std", "reward.min", "reward.max", "task.completion_length")


def settle_names(run: Run) -> Run:
    """The run with such names settled.

    These are `eps` that falls, or rises, within 0 and 1, a reward beside a length of episodes, and evaluations that a
    last one after the training would not have.
    """
    return _settle_evaluation(_settle_reward(settle_symbols(_settle_epsilon(run))))


def _settle_epsilon(run: Run) -> Run:
    """A column `eps` is the share of random actions where it lies in 0 to 1 and hardly ever turns: no count does that.

    A training that was begun again begins its exploration again as well.
    """
    key = next((key for key in run.unknown if key.lower() in _EPSILON), None)
    if key is None or "exploration.epsilon" in run.series:
        return run
    values = run.unknown[key].values
    turns = min(np.sum(np.diff(values) > 0), np.sum(np.diff(values) < 0))
    if not len(values) or values.min() < 0 or values.max() > 1 or turns > BEGUN_AGAIN:
        return run
    return _rename(run, run.unknown, key, "exploration.epsilon")


def _settle_reward(run: Run) -> Run:
    """A plain reward is that of an episode where the length of episodes stands beside it, or rows are episodes."""
    series = run.series.get("reward.mean")
    if run.framework or run.family == "language" or series is None or any(map(run.series.__contains__, _SETTLED)):
        return run
    last = series.provenance.key.lower().rpartition("/")[2].removeprefix("train_").removeprefix("training_")
    by_episode = series.provenance.axis == "episodes" or "task.episode_length" in run.series
    if last not in _REWARD or not by_episode or any(name.startswith(COMPONENT) for name in run.series):
        return run
    return _rename(run, run.series, "reward.mean", "reward.episode_return")


def _settle_evaluation(run: Run) -> Run:
    """Evaluations are of the training where their steps go along with those of training, and count no episodes."""
    final, trained = run.series.get("evaluation.final_return"), run.series.get("reward.episode_return")
    if final is None or trained is None or not len(trained) or len(final) < 2 or "evaluation.return" in run.series:
        return run
    if final.last_step - final.first_step < ALONG * trained.last_step or final.interval <= 1:
        return run
    along = replace(final, provenance=replace(final.provenance, axis=trained.provenance.axis))
    named = replace(run, series={**run.series, "evaluation.final_return": along})
    return _rename(named, named.series, "evaluation.final_return", "evaluation.return")


def _rename(run: Run, among: Mapping[str, Series], name: str, metric: str) -> Run:
    renamed = {metric: replace(among[name], name=metric)}
    series = {one: each for one, each in run.series.items() if one != name}
    unknown = {one: each for one, each in run.unknown.items() if one != name}
    return replace(run, series={**series, **renamed}, unknown=unknown)
