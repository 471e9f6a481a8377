from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Flags, Play, Survey
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SHORTEST, FEWEST_EPISODES = 10, 8  # steps of a median episode, and episodes: fewer show no course

MOST_ROWS, MOST_COLUMNS = 6000, 144  # for the fit: ten rows a feature and more, and still fast

# the share of the reward that the reward before it and the observations must explain together, and that the
# observations may explain alone: a reward that is a function of the state is seen in it. Running totals show 0.999 and
# 0.3; of the healthy environments whose rewards follow each other that closely, most show 0.7 and more.
FOLLOWS, SEEN = 0.99, 0.5

# the same where no reward of any episode is less than the one before: what is counted comes by whole numbers, now and
# then, which no fit foresees
FOLLOWS_STEADILY = 0.95

# the same where the rest is nothing but rounding: then the change is what is seen, and the sum of it is not
EXACTLY, SEEN_EXACTLY = 1.0 - 1e-6, 0.9

ONE = 0.01  # how far the weight of the reward before may be from 1: a body that is slowed down has 0.98

# times the usual change: so far the last reward of an episode is from 0, where the first is one change; fewer where no
# reward of any episode is less than the one before, which chance does not bring about
GROWN, GROWN_STEADILY = 20.0, 5.0

STILL_GROWING = 1.25  # the mean size at the end over that in the middle: 1.4 for a total of chances, 2 for a drift


@rule(
    "REW113",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("OBS108", "REW103", "REW104", "REW108", "TSK102"),
)
def running_total(survey: Survey) -> Answer:
    """Each step pays the sum of all rewards so far.

    ## What it sees
    In random play a reward is the reward before it plus a small change, with a weight of 1 within 0.01. Episodes begin
    with one such change and end more than 20 of them away from zero, still growing; 5 of them where no reward is less
    than the one before. The observations, with their squares, explain less than half of the reward: it is no quantity
    of the state that is seen. They may explain up to 90 % of it where they explain its change but for rounding.

    ## Why it is bad
    What is earned early is paid again at every later step. The return grows with the square of the length, the critic
    must know a history that nobody shows it, and the best policy is the one that earns early or ends late.

    ## What to do
    1. Return the reward of the step, not the accumulated score: `score - score_before`.
    2. Keep the total in the info, for logging.

    ## How to prove it
    Print ten rewards of one episode beside their differences: the differences are the rewards that were meant. Then run
    `weaklink preflight ENV` again.

    ## When it is wrong
    A cost of a stock that is not observed and only grows, such as a hidden backlog.

    ## References
    Sutton and Barto, Reinforcement Learning, 2018, section 3.3; practice.
    """
    play = survey.plays[RANDOM]
    rows = play.successors
    if rows is None or len(play.lengths) < FEWEST_EPISODES or np.median(play.lengths) < SHORTEST:
        return CannotTell((RANDOM,), f"fewer than {FEWEST_EPISODES} episodes of {SHORTEST} steps")
    rewards = play.rewards[: len(rows)]
    if not np.isfinite(rewards).all() or not _grows(play, rewards):
        return None
    told = _explain(play, rewards)
    if told is None:
        return CannotTell((RANDOM,), "the observations have too many columns, or numbers that are not finite")
    seen, follows, weight = told
    least = FOLLOWS_STEADILY if _is_steady(play, rewards) else FOLLOWS
    if seen >= (SEEN_EXACTLY if follows > EXACTLY else SEEN) or follows < least or abs(weight - 1.0) > ONE:
        return None
    return Finding(
        message=f"The reward is a running total: each is the one before plus a small change (weight {weight:.3f}, "
        f"{follows:.1%} of the variance), and episodes begin near 0 and end at about {_measure_end(play, rewards):.3g} "
        f"in size; the observations explain {max(seen, 0.0):.0%} of it.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(Evidence(metric="reward.weight_of_previous", value=weight, limit=1.0 - ONE),),
    )


def _grows(play: Play, rewards: Array) -> bool:
    """Whether episodes begin with one change at the most, and end far from there, still growing."""
    time = play.time[: len(rewards)]
    changes = np.abs(np.diff(rewards))[time[1:] > 0]
    if not len(changes) or changes.max() == 0.0 or np.abs(rewards[time == 0]).max() > changes.max():
        return False
    usual, end = float(changes.mean()), _measure_end(play, rewards)
    far = GROWN_STEADILY if _is_steady(play, rewards) else GROWN
    middle = float(np.abs(rewards[_find_steps(play, 0.5, len(rewards))]).mean())
    return end > far * usual and end > STILL_GROWING * middle


def _is_steady(play: Play, rewards: Array) -> bool:
    """Whether rewards only grow, or only fall, through every episode."""
    steps = np.diff(rewards)[play.time[1 : len(rewards)] > 0]
    return bool(np.all(steps >= 0) or np.all(steps <= 0))


def _measure_end(play: Play, rewards: Array) -> float:
    """The mean size of the last rewards of the episodes."""
    return float(np.abs(rewards[_find_steps(play, 1.0, len(rewards))]).mean())


def _find_steps(play: Play, share: float, kept: int) -> Array:
    """The step at this share of each whole episode."""
    whole = play.starts + play.lengths <= kept
    return np.asarray((play.starts + np.ceil(share * play.lengths).astype(int) - 1)[whole & (play.lengths > 0)])


def _explain(play: Play, rewards: Array) -> tuple[float, float, float] | None:
    """What observations explain alone, what they do with the reward before, and the weight of that one."""
    if play.observations is None or play.successors is None:
        return None
    later = np.flatnonzero(play.time[: len(rewards)] > 0)[:MOST_ROWS]
    columns = np.column_stack([play.observations[later], play.successors[later]])
    if not np.isfinite(columns).all():
        return None
    columns = columns[:, columns.std(axis=0) > 0]
    if columns.shape[1] > 2 * MOST_COLUMNS:
        return None
    scaled = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    features = np.column_stack([np.ones(len(later)), scaled, scaled**2])
    size = max(float(rewards[later].std()), 1e-300)
    trained = play.episode_of[later] % 2 == 0
    seen, _ = _fit(features, rewards[later] / size, trained)
    follows, weights = _fit(np.column_stack([features, rewards[later - 1] / size]), rewards[later] / size, trained)
    return seen, follows, float(weights[-1])


def _fit(features: Array, values: Array, trained: Flags) -> tuple[float, Array]:
    """The share of the variance that a fit on half of the episodes explains in the other half, and its weights."""
    inside = features[trained]
    power = inside.T @ inside + 1e-6 * len(inside) * np.eye(features.shape[1])
    weights = np.linalg.solve(power, inside.T @ values[trained])
    left = values[~trained] - features[~trained] @ weights
    whole = float(values[~trained].var())
    return (1.0 - float(left.var()) / whole if whole > 0 else 0.0), np.asarray(weights)
