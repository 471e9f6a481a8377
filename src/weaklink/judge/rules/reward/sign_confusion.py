from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import GIVEN, RANDOM, Play, Survey
from weaklink.judge.rules._wrappers import REVERSED, UNSIGNED, find_reward_changes
from weaklink.judge.rules.reward._held_goal import find_paid_distance
from weaklink.judge.rules.reward._passed_goal import find_passed_goal
from weaklink.judge.rules.reward._plays import (
    compare_samples,
    correlate,
    is_beyond_chance,
    is_sound,
    mark_terminations,
    select_sound_baselines,
)
from weaklink.judge.rules.reward._signs import Sign, list_signs_of_play
from weaklink.judge.rules.reward._task_metric import read_task_metric
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 20  # episodes below which a correlation is mostly chance

# how strongly a reward must rise with the distance: little where the keys are those of goal environments, whose meaning
# is fixed, and nearly in proportion where they are the usual names for where one is and where one should be
CONTRACT, USAGE = 0.3, 0.8
GOAL_KEYS = {
    ("achieved_goal", "desired_goal"): CONTRACT,
    **{(here, there): USAGE for here in ("agent", "position", "pos") for there in ("goal", "target")},
}

COSTS = 0.99  # the share of steps inside that must cost something, for the task inside to be over as soon as possible

# packages whose environments pay rewards, never costs
PUBLISHED = ("gymnasium", "gymnasium_robotics", "minigrid", "ale_py", "highway_env", "metaworld", "procgen", "gym")


_Pair = tuple[str, str, Array, Array]  # a play, the key of a metric, its values and the returns of the same episodes


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
    A policy that you gave and that should do well earns less than random play, in at least three of four comparisons;
    or the return falls as the task metric rises (the key given, `is_success`, or who won in info), in or between
    plays; or the reward of a step rises with the distance from the achieved to the desired goal of a goal
    environment, or from `agent` or `position` to `target` or `goal` of a dict, or exactly with that of an attribute
    of the environment to one called `goal`, `target` or the like, or changes in one straight line below and above
    that; or every reward has the opposite sign of the threshold at which the environment counts as solved; or a
    wrapper reverses or drops the sign of rewards, unless the environment inside is your own and pays nothing below 0,
    which may be a cost; or wrappers add so much to steps that all cost something inside that those of some policy pay
    on average; or the reward is a sum of numbers of the info, another of them is a net of the same ones, gains and
    costs, and one of these has the other sign there; or a number of the info that is called a cost (a fee, a penalty,
    collisions) adds its own size to the reward of random play, or a reward that is nothing but a sum of numbers of
    the info adds it; or one that is only ever to be made small (a makespan, an error, lateness) or its growth is the
    whole reward of a step; or a board game that is decided by a stone of the other side pays what one's own win pays.

    ## Why it is bad
    The learner does what is rewarded. With the wrong sign it becomes the worst possible policy, and every curve looks
    as if training worked.

    ## What to do
    1. Read the formula aloud: is a distance, a cost or an error added where it should be subtracted?
    2. In games of two players, check whose reward it is.
    3. If episodes end on success and each step is paid, or on failure and each step costs, the reward punishes success:
       pay for the outcome.
    4. If the policy that you gave is wrong, its actions may be reversed.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy --metric KEY` with the sign reversed: your policy must now earn
    more than random play.

    ## When it is wrong
    Where the given policy is simply bad, or the metric should fall (an error, a distance). Penalties for crashes look
    like a wrong sign where no baseline ever reached what pays; the rule only warns then.

    ## References
    PettingZoo issues #1147 and #1203 (trained on the opponent's reward). Practice.
    """
    plays = select_sound_baselines(survey)
    if RANDOM not in plays:
        return CannotTell((RANDOM,), "too few whole episodes with finite rewards")
    signs = [*_compare_with_random(plays, beats), *_compare_with_metric(survey, plays, opposed, agreed)]
    signs += [*_compare_with_threshold(survey, plays), *_find_reversing_wrappers(survey), *_compare_with_goal(survey)]
    signs += [
        *_compare_with_held_goal(survey),
        *_find_paid_costs(plays),
        *list_signs_of_play(plays[RANDOM]),
    ]
    if not signs:
        is_known = _knows_the_task(survey, plays)
        return (
            None if is_known else CannotTell(("automaton", "metric"), "it is not known what the reward should pay for")
        )
    return Finding(
        message=f"The reward seems to pay for the opposite of the task: {'; '.join(sign.words for sign in signs)}.",
        level=max(sign.level for sign in signs),
        confidence=max(sign.confidence for sign in signs),
        evidence=tuple(sign.evidence for sign in signs),
    )


def _compare_with_goal(survey: Survey) -> Iterator[Sign]:
    """A reward that rises with the distance from what was achieved to what is desired, over steps of random play."""
    play = survey.plays[RANDOM]
    rewards, rows = play.rewards[: play.kept], play.successors
    if rows is None or rows.shape[1] != len(survey.labels) or not is_sound(rewards):
        return
    for (here, there), clear in GOAL_KEYS.items():
        columns = [
            [at for at, label in enumerate(survey.labels) if label.partition("[")[0] == key] for key in (here, there)
        ]
        if not columns[0] or len(columns[0]) != len(columns[1]):
            continue
        with np.errstate(invalid="ignore", over="ignore"):
            away = np.linalg.norm(rows[:, columns[0]] - rows[:, columns[1]], axis=1)
        if is_sound(away) and int((rewards != np.median(rewards)).sum()) >= FEWEST:
            yield from _compare_near_and_far(rewards, away, clear)


def _compare_with_held_goal(survey: Survey) -> Iterator[Sign]:
    """A reward that rises exactly with the distance from an attribute to one that is called a goal."""
    if survey.held is None:
        return
    if (found := find_paid_distance(survey.held)) is not None:
        evidence = Evidence(metric=f"reward furthest from {found.goal}", value=found.far, limit=found.near)
        yield Sign(found.words, evidence, HIGH, Level.WARN)
    if (passed := find_passed_goal(survey.held)) is not None:
        evidence = Evidence(metric=f"slope above {passed.goal}", value=passed.above, limit=-passed.below)
        yield Sign(passed.words, evidence, HIGH, Level.WARN)


def _compare_near_and_far(rewards: Array, away: Array, clear: float) -> Iterator[Sign]:
    near, far = rewards[away <= np.quantile(away, 0.1)].mean(), rewards[away >= np.quantile(away, 0.9)].mean()
    together = correlate(away, rewards)
    if together > clear and far > near:
        yield Sign(
            f"a step pays {near:.4g} on average nearest to the goal and {far:.4g} furthest away",
            Evidence(metric="correlation of reward and distance to the goal", value=together, limit=clear),
            HIGH,
            Level.ERROR if clear == CONTRACT else Level.WARN,
        )


def _find_reversing_wrappers(survey: Survey) -> Iterator[Sign]:
    """Wrappers that reverse rewards; an environment of the user's own may count costs and be wrapped on purpose."""
    for change in find_reward_changes(survey):
        layer = change.layer
        of_costs = layer.inside not in PUBLISHED and bool(np.all(layer.paid_in >= 0.0))
        if change.kind in (REVERSED, UNSIGNED) and not of_costs:
            yield Sign(
                f"the wrapper `{layer.name}` {change.words}",
                Evidence(metric=f"{layer.name}: rewards reversed", value=float(change.steps), limit=0.0),
                HIGH if layer.inside in PUBLISHED else MEDIUM,
                Level.ERROR if layer.inside in PUBLISHED else Level.WARN,
            )


def _find_paid_costs(plays: dict[str, Play]) -> Iterator[Sign]:
    """Steps that all cost something inside of the wrappers and on average pay outside, in the play where they pay most.

    What was to end soon is to go on for ever then. An end that is fined inside is one to be put off, and a factor or a
    constant for all rewards changes no task without an end.
    """
    paid = {name: float(play.rewards.mean()) for name, play in plays.items() if _turns_costs_into_pay(play)}
    if paid:
        name = max(paid, key=lambda one: paid[one])
        cost = -float(np.mean(np.asarray(plays[name].raw_rewards)))
        yield Sign(
            f"inside of the wrappers every step costs {cost:.3g} on average, and outside a step of {name} play pays "
            f"{paid[name]:.3g}, so that going on pays more than coming to the end",
            Evidence(metric=f"{name}: reward of a step", value=paid[name], limit=0.0),
            MEDIUM,
            Level.WARN,
        )


def _turns_costs_into_pay(play: Play) -> bool:
    raw, ends = play.raw_rewards, mark_terminations(play)
    if raw is None or len(raw) != len(play.rewards) or not is_sound(raw) or float(play.rewards.mean()) <= 0.0:
        return False
    if float(raw.mean()) >= 0.0:  # a prize inside is worth all that it costs to come there
        return False
    fined = ends.any() and float(raw[ends].mean()) < 2.0 * float(raw.mean())
    away, outside = raw - raw.mean(), play.rewards - play.rewards.mean()
    slope = float(away @ outside) / float(away @ away) if np.any(away) else 0.0
    added = float(np.abs(outside - slope * away).max()) > 1e-6 * float(np.abs(play.rewards).max())
    return float(np.mean(raw < 0.0)) >= COSTS and not fined and added


def _compare_with_random(plays: dict[str, Play], beats: float) -> Iterator[Sign]:
    untrained = plays[RANDOM].returns
    for name in GIVEN:
        if name not in plays:
            continue
        duel = compare_samples(plays[name].returns, untrained)
        if duel.worse and duel.superiority < beats:
            mean, other = float(plays[name].returns.mean()), float(untrained.mean())
            yield Sign(
                f"{name} play earns {mean:.4g} on average and random play {other:.4g}",
                Evidence(metric=f"{name}: reward.episode_return", value=mean, limit=other),
                HIGH if duel.superiority < 0.1 else MEDIUM,
            )


def _compare_with_metric(survey: Survey, plays: dict[str, Play], opposed: float, agreed: float) -> Iterator[Sign]:
    """A return strongly opposed to the metric somewhere, and in agreement nowhere."""
    pairs = [
        (name, key, values[fine], play.returns[fine])
        for name, play in plays.items()
        for key, values in read_task_metric(survey, play)
        if int((fine := np.isfinite(values)).sum()) >= FEWEST
    ]
    clear = list(_find_correlations(pairs))
    between = list(_compare_plays(pairs))
    if any(one[0] > agreed for one in clear) or 1 in between:
        return
    value, name, key, count = min(clear, default=(0.0, "", "", 0))
    if clear and value < opposed:
        yield Sign(
            f"the return falls as '{key}' rises (correlation {value:.2f} over {count} episodes of {name} play)",
            Evidence(metric=f"{name}: correlation of return and {key}", value=value, limit=opposed),
            HIGH,
        )
    elif between:
        key = pairs[0][1]
        yield Sign(
            f"policies with a better '{key}' earn less",
            Evidence(metric=f"correlation of return and {key} between baselines", value=-1.0, limit=opposed),
            MEDIUM,
        )


def _find_correlations(pairs: list[_Pair]) -> Iterator[tuple[float, str, str, int]]:
    """The correlations of metric and return within a play that are beyond chance, with their play, key and count."""
    for name, key, values, returns in pairs:
        together = correlate(values, returns) if _varies(values) else 0.0
        if is_beyond_chance(together, len(values)):
            yield together, name, key, len(values)


def _knows_the_task(survey: Survey, plays: dict[str, Play]) -> bool:
    """Whether a policy that should do well, a task metric or a threshold defines the task."""
    if any(name in plays for name in GIVEN) or next(read_task_metric(survey, plays[RANDOM]), None) is not None:
        return True
    return isinstance(survey.facts.get("reward_threshold"), int | float)


def _varies(values: Array) -> bool:
    """Whether at least three values differ from the most common one."""
    ordered = np.sort(values)
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) + 1
    return len(values) - int(np.diff(ends, prepend=0).max()) >= 3


def _compare_plays(pairs: list[_Pair]) -> Iterator[int]:
    """For each pair of plays: 1 where metric and return agree on the better one, -1 where they disagree."""
    for (one, _, values, returns), (other, _, rivals, earned) in combinations(pairs, 2):
        if one == other:
            continue
        task, paid = compare_samples(values, rivals), compare_samples(returns, earned)
        if task.apart and paid.apart:
            yield 1 if task.better == paid.better else -1


def _compare_with_threshold(survey: Survey, plays: dict[str, Play]) -> list[Sign]:
    threshold = survey.facts.get("reward_threshold")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not _is_threshold_of(plays[RANDOM]):
        return []
    rewards = np.concatenate([play.rewards for play in plays.values()])
    if not np.any(rewards):
        return []
    lowest, highest = float(rewards.min()), float(rewards.max())
    evidence = Evidence(metric="reward", value=highest if threshold > 0 else lowest, limit=float(threshold))
    if threshold < 0 <= lowest:
        words = f"no reward is below 0, and the environment counts as solved at {threshold:g}"
        return [Sign(words, evidence, HIGH)]
    return _judge_penalties(plays, float(threshold), evidence) if highest <= 0 < threshold else []


def _is_threshold_of(play: Play) -> bool:
    """Whether the threshold applies to these rewards: a wrapper may replace or reverse them."""
    raw = play.raw_rewards
    if raw is None or len(raw) != len(play.rewards) or not is_sound(raw) or not np.any(raw):
        return raw is None
    slope = float(raw @ play.rewards) / float(raw @ raw)
    close = np.abs(play.rewards - slope * raw).max() <= 1e-6 * np.abs(play.rewards).max()
    return slope != 0 and bool(close)


def _judge_penalties(plays: dict[str, Play], threshold: float, evidence: Evidence) -> list[Sign]:
    """Never more than 0 where a positive return is wanted: the sign is wrong, or the prize was never reached.

    A prize would be paid at the end; so episodes must terminate, and not with a worse reward than before.
    """
    play = plays[RANDOM]
    ends = mark_terminations(play)
    if int(ends.sum()) < 10 or -float(play.returns.mean()) > threshold:
        return []
    words = f"no reward is above 0, and the environment counts as solved at {threshold:g}"
    crash = float(play.rewards[ends].mean()) < 2.0 * float(play.rewards[~ends].mean() if (~ends).any() else 0.0)
    steady = float(np.mean(play.rewards < 0)) > 0.5
    sure = steady and not crash
    return [Sign(words, evidence, MEDIUM, Level.ERROR if sure else Level.WARN)]
