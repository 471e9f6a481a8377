from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import GIVEN, RANDOM, Play, Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.reward._plays import (
    beyond_chance,
    correlation,
    held,
    is_sound,
    sound_baselines,
    terminal_steps,
)
from weaklink.judge.rules.reward._task_metric import measured

FEWEST = 20
"""Episodes that a correlation is taken over."""


class _Sign(NamedTuple):
    words: str
    evidence: Evidence
    confidence: float
    level: Level = Level.ERROR


@rule(
    "REW109",
    link=Link.REWARD,
    level=Level.ERROR,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("ENV108", "TSK101", "TSK102", "TSK103", "REW304", "REW305"),
)
def sign_confusion(survey: Survey, *, opposed: float = -0.5, agreed: float = 0.3, beats: float = 0.25) -> Answer:
    """The reward pays for the opposite of the task.

    ## What it sees
    A policy of your own that should do well earns less than random play, in at least three of four comparisons; or the
    return falls as the task metric rises (the key given, or `is_success` in info), within or between baselines; or
    every reward has the sign opposite to the threshold at which the environment calls itself solved.

    ## Why it is bad
    The learner does what is paid. With the sign turned it becomes the worst policy there is, and every curve looks as
    if training worked.

    ## What to do
    1. Read the formula aloud: is a distance, a cost or an error added where it should be subtracted?
    2. In games of two players, check whose reward it is.
    3. If episodes end on success and each step is paid, or on failure and each step costs, success is what the reward
       punishes: pay for the outcome.
    4. If it is your own policy that is wrong, its actions may be turned round.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy --metric KEY` with the sign turned: your policy must now earn more
    than random play.

    ## When it is wrong
    Where the policy given is simply bad, or the metric named is one that should fall (an error, a distance). Fines for
    crashes look like a wrong sign where no baseline ever reached what pays; the rule only warns then.

    ## References
    PettingZoo issues #1147 and #1203 (trained on the opponent's reward). Practice.
    """
    plays = sound_baselines(survey)
    if RANDOM not in plays:
        return CannotTell((RANDOM,), "too few whole episodes with rewards that are numbers")
    signs = [*_worse_than_random(plays, beats), *_against_the_metric(survey, plays, opposed, agreed)]
    signs += _against_the_threshold(survey, plays)
    if not signs:
        known = any(name in plays for name in GIVEN) or any(True for _ in measured(survey, plays[RANDOM]))
        told = isinstance(survey.facts.get("reward_threshold"), int | float)
        missing = ("automaton", "metric")
        return None if known or told else CannotTell(missing, "nothing says what the reward ought to pay for")
    return Finding(
        message=f"The reward seems to pay for the opposite of the task: {'; '.join(sign.words for sign in signs)}.",
        level=max(sign.level for sign in signs),
        confidence=max(sign.confidence for sign in signs),
        evidence=tuple(sign.evidence for sign in signs),
    )


def _worse_than_random(plays: dict[str, Play], beats: float) -> Iterator[_Sign]:
    untrained = plays[RANDOM].returns
    for name in GIVEN:
        if name not in plays:
            continue
        duel = held(plays[name].returns, untrained)
        if duel.worse and duel.superiority < beats:
            mean, other = float(plays[name].returns.mean()), float(untrained.mean())
            yield _Sign(
                f"{name} play earns {mean:.4g} on average and random play {other:.4g}",
                Evidence(metric=f"{name}: reward.episode_return", value=mean, limit=other),
                HIGH if duel.superiority < 0.1 else MEDIUM,
            )


def _against_the_metric(survey: Survey, plays: dict[str, Play], opposed: float, agreed: float) -> Iterator[_Sign]:
    """Strongly opposed in one place and agreeing in none."""
    pairs = [
        (name, key, values[fine], play.returns[fine])
        for name, play in plays.items()
        for key, values in measured(survey, play)
        if int((fine := np.isfinite(values)).sum()) >= FEWEST
    ]
    together = [
        (correlation(values, returns), name, key, len(values))
        for name, key, values, returns in pairs
        if _varies(values)
    ]
    clear = [one for one in together if beyond_chance(one[0], one[3])]
    between = [each for each in _between(pairs) if each]
    if any(one[0] > agreed for one in clear) or any(each > 0 for each in between):
        return
    lowest = min(clear, default=None)
    if lowest is not None and lowest[0] < opposed:
        value, name, key, count = lowest
        yield _Sign(
            f"the return falls as '{key}' rises (correlation {value:.2f} over {count} episodes of {name} play)",
            Evidence(metric=f"{name}: correlation of return and {key}", value=value, limit=opposed),
            HIGH,
        )
    elif between:
        key = pairs[0][1]
        yield _Sign(
            f"policies with a better '{key}' earn less",
            Evidence(metric=f"correlation of return and {key} between baselines", value=-1.0, limit=opposed),
            MEDIUM,
        )


def _varies(values: Array) -> bool:
    """Whether it is more than a few odd ones out."""
    ordered = np.sort(values)
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) + 1
    return len(values) - int(np.diff(ends, prepend=0).max()) >= 3


def _between(pairs: list[tuple[str, str, Array, Array]]) -> Iterator[int]:
    """For each two plays: 1 where one is better in both, -1 where it is better in one and worse in the other."""
    for (one, _, values, returns), (other, _, rivals, earned) in combinations(pairs, 2):
        if one == other:
            continue
        task, paid = held(values, rivals), held(returns, earned)
        if task.apart and paid.apart:
            yield 1 if task.better == paid.better else -1


def _against_the_threshold(survey: Survey, plays: dict[str, Play]) -> list[_Sign]:
    threshold = survey.facts.get("reward_threshold")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or threshold == 0:
        return []
    if not _belongs(plays[RANDOM]):
        return []
    rewards = np.concatenate([play.rewards for play in plays.values()])
    lowest, highest = float(rewards.min()), float(rewards.max())
    evidence = Evidence(metric="reward", value=highest if threshold > 0 else lowest, limit=float(threshold))
    if threshold < 0 and lowest >= 0 and highest > 0:
        words = f"no reward is below 0, and the environment counts as solved at {threshold:g}"
        return [_Sign(words, evidence, HIGH)]
    if threshold > 0 and highest <= 0 and lowest < 0:
        return _fines_only(plays, float(threshold), evidence)
    return []


def _belongs(play: Play) -> bool:
    """Whether the threshold is about these rewards: a wrapper may pay something else, or the same turned round."""
    raw = play.raw_rewards
    if raw is None or len(raw) != len(play.rewards) or not is_sound(raw) or not np.any(raw):
        return raw is None
    slope = float(raw @ play.rewards) / float(raw @ raw)
    close = np.abs(play.rewards - slope * raw).max() <= 1e-6 * np.abs(play.rewards).max()
    return slope != 0 and bool(close)


def _fines_only(plays: dict[str, Play], threshold: float, evidence: Evidence) -> list[_Sign]:
    """Never more than 0 where a positive return is wanted: turned round, or its prize was never met.

    A prize would be paid at the end; so episodes must terminate, and with nothing worse than on the way.
    """
    play = plays[RANDOM]
    ends = terminal_steps(play)
    if int(ends.sum()) < 10 or -float(play.returns.mean()) > threshold:
        return []
    words = f"no reward is above 0, and the environment counts as solved at {threshold:g}"
    crash = float(play.rewards[ends].mean()) < 2.0 * float(play.rewards[~ends].mean() if (~ends).any() else 0.0)
    steady = float(np.mean(play.rewards < 0)) > 0.5
    sure = steady and not crash
    return [_Sign(words, evidence, MEDIUM, Level.ERROR if sure else Level.WARN)]
