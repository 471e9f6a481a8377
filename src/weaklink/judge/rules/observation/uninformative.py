from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import EXPERTS, POLICY, Q_LEARNING, RANDOM, Play, Survey
from weaklink.base.stats import compare_means
from weaklink.judge.rules.observation._information import (
    REWARD,
    TO_GO,
    InformationSigns,
    RewardPairs,
    collect_pairs,
    find_information,
)
from weaklink.judge.rules.observation._patterns import explains_reward
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# policies that act on the observation alone; a cheat may know more
PICTURE = 64  # bytes in rows and columns from which on they are a picture

READERS = ("automaton", "tabular", "search", Q_LEARNING, POLICY)

MOST_EPISODES = 500  # episodes of a policy that are compared: the bootstrap of more takes long and changes nothing

FEWEST_EPISODES = 8  # long episodes with a dense reward that are enough: four for each half of the fit

# where time and action explain all but this share of the reward, random play has only met the cost of acting
BY_ACTION = 0.02


@rule(
    "OBS108",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", RANDOM),
    leads_to=("ENV108", "TSK102", "TSK103", "VAL301", "VAL304", "REW301", "EXP303"),
    marks=("excused by learning",),
)
def uninformative(
    survey: Survey,
    *,
    correlation: float = 0.1,
    together: float = 0.01,
    steps: int = 2500,
    episodes: int = 50,
    uncommon: int = 30,
) -> Answer:
    """The observation carries no information about the reward.

    ## What it sees
    In random play, no column correlates by more than 0.1 and beyond chance with the return to go or with the reward of
    the step, no column does so nonlinearly beyond chance, and all columns together with the action predict neither on
    held-out episodes. The effects of time alone and of the action alone are removed first. Nor do the columns without
    the action, together with the first ones of the episode, or around the place that the action names predict the
    reward. And no policy that acts on the observation beats those that ignore it.

    ## Why it is bad
    What cannot be observed cannot be learned. The critic can only learn the mean return, the policy only a fixed
    distribution over actions, and both seem to be learning all the while.

    ## What to do
    1. Print observations next to rewards and ask how a person would tell a good state from a bad one.
    2. Check for columns in the wrong order, observations of another agent or another episode, too much noise, and a
       normaliser that flattens everything.
    3. Add what the reward is computed from: the distance, the speed, the goal.

    ## How to prove it
    Write a policy that uses only the observation and beats random play, and pass it to
    `weaklink preflight ENV --automaton module:function`. If nobody can write one, the finding stands.

    ## When it is wrong
    Rewards that random play hardly ever reaches, effects that show only in rare states, information in the pattern of
    many columns at once, and what only a cue from the middle of an episode tells. Where there is too little data, or
    where rewards are so rare that chance alone gives a correlation above the limit, the rule reports that it could not
    tell.

    ## References
    ML-Agents issue #984, whose first question is whether a person could act on the observations alone; practice.
    """
    play, given = survey.plays[RANDOM], _collect(survey, survey.plays[RANDOM], steps, episodes, uncommon)
    if isinstance(given, CannotTell):
        return given
    found = find_information(survey, given, TO_GO, correlation, together)
    if found.clear or _shows_distance(survey, given, max(correlation, found.straight_by_chance)):
        return None
    if _varies(given.targets[REWARD], play) and find_information(survey, given, REWARD, correlation, together).clear:
        return None
    if found.straight_by_chance > correlation and not _is_dense(given):
        return CannotTell((RANDOM,), "rewards are so rare that chance alone correlates more than the limit")
    readers = [survey.plays[name] for name in READERS if name in survey.plays and survey.plays[name].episodes]
    if not readers:
        return CannotTell(("search",), "no policy that acts on the observation was played")
    blind = [other for name, other in survey.baselines.items() if name not in (*EXPERTS, POLICY)]
    if any(all(_beats(reader, other) for other in blind) for reader in readers):
        return None
    if _varies(given.targets[REWARD], play) and explains_reward(survey, given, together):
        return None
    return _describe(found, len(given.columns), correlation, together)


def _collect(survey: Survey, play: Play, steps: int, episodes: int, uncommon: int) -> RewardPairs | CannotTell:
    """The steps to be tested, or why there are none that could show anything."""
    if survey.seen_columns is not None or not survey.columns or "pixel" in survey.column_kinds or _is_picture(survey):
        return CannotTell(("observation",), "the observation is an image, too wide, or not numeric")
    given = collect_pairs(survey, play)
    if given is None or len(given.columns) < steps:
        return CannotTell((RANDOM,), f"fewer than {steps:,} steps of whole episodes")
    if bool(np.all(given.columns == given.columns[0])):
        return CannotTell(("observation",), "the observation never changes, see OBS101")
    if not _varies(given.targets[TO_GO], play):
        return CannotTell((RANDOM,), "the return depends on the time alone")
    if _varies(play.rewards, play) and given.left < BY_ACTION:
        return CannotTell((RANDOM,), "the reward of random play depends on the action alone")
    if not (_has_many_episodes(play, given, episodes, uncommon) or _is_dense(given)):
        return CannotTell((RANDOM,), "too few episodes, or too few with another return than the most common one")
    return given


def _is_picture(survey: Survey) -> bool:
    """Whether it is bytes in rows and columns, however small: what two figures tell together no place tells alone."""
    space = survey.observation
    return space is not None and space.dtype == "uint8" and len(space.shape) in (2, 3) and space.size >= PICTURE


def _shows_distance(survey: Survey, given: RewardPairs, limit: float) -> bool:
    """Whether the distance of what is achieved to what is desired goes with the return, where no column does alone."""
    achieved, desired = (
        [place for place, label in enumerate(survey.labels) if label.partition("[")[0] == key]
        for key in ("achieved_goal", "desired_goal")
    )
    if not achieved or len(achieved) != len(desired):
        return False
    away = np.abs(given.columns[:, achieved] - given.columns[:, desired]).sum(axis=1)
    target = given.targets[TO_GO]
    if not float(away.std()) > 0.0 or not float(target.std()) > 0.0:
        return False
    return abs(float(np.corrcoef(away, target)[0, 1])) > limit


def _beats(reader: Play, other: Play) -> bool:
    first, second = (returns[np.isfinite(returns)] for returns in (reader.returns, other.returns))
    return bool(len(first) and len(second)) and compare_means(first[:MOST_EPISODES], second[:MOST_EPISODES]).better


def _has_many_episodes(play: Play, given: RewardPairs, episodes: int, uncommon: int) -> bool:
    """Whether there are many episodes, and enough of them with another return than the most common one."""
    return given.count >= episodes and _count_uncommon(play.returns) >= uncommon


def _is_dense(given: RewardPairs) -> bool:
    """Whether a few long episodes are enough, because the reward changes from step to step."""
    return given.count >= FEWEST_EPISODES and 2 * _count_uncommon(given.rewards) > len(given.rewards)


def _count_uncommon(values: Array) -> int:
    """Counts the values that are not the most common one."""
    ordered = np.sort(np.round(values, 9))
    starts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > 0])) if len(ordered) else np.zeros(1, int)
    return int(len(ordered) - np.diff(np.append(starts, len(ordered))).max(initial=0))


def _varies(target: Array, play: Play) -> bool:
    scale = float(np.abs(play.rewards[np.isfinite(play.rewards)]).max(initial=0.0))
    return bool(np.isfinite(target).all()) and float(target.std()) > 1e-9 * max(scale, 1e-300)


def _describe(seen: InformationSigns, steps: int, correlation: float, together: float) -> Finding:
    limit = max(correlation, seen.straight_by_chance)
    return Finding(
        message=f"No observation column predicts the return to go over {steps:,} steps: the largest correlation is "
        f"{seen.straight:.3f} (limit {limit:.2g}), all columns together explain {max(seen.together, 0.0):.1%} "
        "of it on held-out episodes, and no policy that uses the observation beats those that ignore it.",
        confidence=MEDIUM,
        evidence=(
            Evidence(metric="observation.correlation", value=seen.straight, limit=limit),
            Evidence(metric="observation.curved_share", value=seen.curved, limit=seen.curved_by_chance),
            Evidence(metric="observation.explained_together", value=seen.together, limit=together),
        ),
    )
