from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import GIVEN, RANDOM, Play, Survey
from weaklink.base.reference.shaping import POTENTIAL
from weaklink.base.stats import Contest, block_means
from weaklink.judge.rules.observation._prediction import make_cost_features, subtract_fit
from weaklink.judge.rules.reward._components import RewardParts, split_reward
from weaklink.judge.rules.reward._plays import (
    FEWEST_EPISODES,
    compare_samples,
    correlate,
    differ,
    is_beyond_chance,
    is_sound,
    select_sound_plays,
    sum_by_episode,
)
from weaklink.judge.rules.reward._task_metric import read_task_metric
from weaklink.judge.rules.reward._terms import collect_term_steps, examine_term
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# steps of a play without whole episodes, and steps of a block: ten independent means at least
FEWEST_STEPS, BLOCK = 200, 20

LITTLE = 0.02  # a gain elsewhere below this share of the penalty avoided is negligible

BY_ACTION = 0.1  # what the action alone may leave unexplained of a cost of acting: limits and rounding


class _Split(NamedTuple):
    """What was earned: in total, from the dominating component, and from all others."""

    whole: Array
    ruling: Array
    rest: Array


WHOLE, RULING, REST = range(3)  # places in a split


@rule(
    "REW106",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW108", "REW109", "REW302", "REW305", "REW306", "TSK102"),
    checks={"reward components": "decides"},
    marks=("excused by learning",),
)
def dominating_component(
    survey: Survey, *, alert: float = 0.9, notable: float = 0.8, crushing: float = 0.98, opposed: float = 0.95
) -> Answer:
    """One component of the reward dominates the others, or two components cancel out.

    ## What it sees
    One component has over 80 % of the variance of all of them in random play (info). Over 90 % is a warning where the
    others would matter: a penalty with 98 % or more that the best policy found only avoids, doing hardly better in
    anything else; a growing penalty, or a component that no policy can influence, while the others improve; a component
    that falls as the task metric rises, or that your policy earns less of. So is a pair of components that cancel out.

    ## Why it is bad
    The learner follows what varies most. If that is a control cost, it learns to stand still; if it is noise, it learns
    late. Two components that cancel out teach nothing and do not show in any plot of the total.

    ## What to do
    1. Print the mean and the standard deviation of every component over random play and bring them within a factor of
       ten, the task itself first.
    2. Lower the weight of a penalty until a policy that does the task earns more than one that does nothing.
    3. Remove one of two components that cancel.

    ## How to prove it
    `weaklink preflight ENV --components KEYS --metric KEY` with the weight divided by ten: the best policy found must
    now do better in the task metric.

    ## When it is wrong
    The component that varies most is often the task itself: forward speed has 99 % of the variance in HalfCheetah, as
    it should, and so does a distance beside nothing but a cost of acting. A large penalty may be right where safety
    comes first. Constant components have no variance and are missed, although a survival bonus can dominate through the
    length of episodes.

    ## References
    Practice. Pan et al., The Effects of Reward Misspecification, 2022.
    """
    play = select_sound_plays(survey).get(RANDOM)
    parts = RewardParts({}, {}, False, False) if play is None else split_reward(play)
    if play is None or len(parts.shares) < 2 or len(play.rewards) < 100:
        return CannotTell(("components",), "fewer than two components of the reward are reported")
    cancelling = _find_cancelling(parts, float(play.rewards.std()), opposed)
    if cancelling is not None:
        return cancelling
    variances = _measure_variances(parts)
    total = sum(variances.values())
    if total <= 1e-12 * float(np.mean(play.rewards**2)):
        return CannotTell(("a component that varies",), "no component of the reward varies in random play")
    if not parts.add_up and correlate(np.sum([*parts.shares.values()], axis=0), play.rewards) < 0.5:
        return CannotTell(("components",), "the reported components do not make up the reward")
    name = max(variances, key=lambda key: variances[key])
    share = variances[name] / total
    if share <= notable:
        return None
    judged = share > alert and parts.add_up
    reason = _find_reason(survey, name, parts.weights[name], share, crushing, alert) if judged else ""
    return _describe(name, share, parts, reason, alert if reason else notable)


def _describe(name: str, share: float, parts: RewardParts, reason: str, limit: float) -> Finding:
    others = ", ".join(f"'{key}'" for key in parts.shares if key != name)
    return Finding(
        message=f"Component '{name}' has {share:.1%} of the variance of all components in random play, beside {others}"
        f"{reason}.",
        level=Level.WARN if reason else Level.INFO,
        confidence=MEDIUM if parts.add_up else LOW,
        evidence=(Evidence(metric=f"reward.component.{name}.share", value=share, limit=limit),),
    )


def _find_cancelling(parts: RewardParts, spread: float, opposed: float) -> Finding | None:
    """Two components of about the same size and opposite sign."""
    if not parts.plain:
        return None
    for (one, first), (other, second) in combinations(parts.shares.items(), 2):
        sizes = float(first.std()), float(second.std())
        if min(sizes) < max(0.5 * max(sizes), 0.1 * spread) or min(sizes) == 0.0:
            continue
        together = correlate(first, second)
        if together < -opposed:
            return Finding(
                message=f"Components '{one}' and '{other}' cancel out: their correlation is {together:.3f}, and their "
                f"standard deviations are {sizes[0]:.3g} and {sizes[1]:.3g}.",
                confidence=MEDIUM,
                evidence=(Evidence(metric=f"reward.component.{one}.correlation", value=together, limit=-opposed),),
            )
    return None


@dataclass(frozen=True)
class _Case:
    """The dominating component, and what each policy earned from it and from the rest."""

    survey: Survey
    name: str
    weight: float
    share: float
    crushing: float
    alert: float
    plays: dict[str, Play]
    splits: dict[str, _Split]

    def earned(self, policy: str) -> Array:
        """What a policy earned from the component at each step."""
        return np.asarray(self.weight * self.plays[policy].components[self.name])

    def compare(self, policy: str, part: int) -> Contest:
        """How a policy compares with random play in one part of what was earned."""
        return compare_samples(self.splits[policy][part], self.splits[RANDOM][part])

    @cached_property
    def best(self) -> str:
        """The policy with the highest return, where it is better than random play; empty otherwise."""
        best = max(self.splits, key=lambda key: float(self.splits[key].whole.mean()))
        return best if best != RANDOM and self.compare(best, WHOLE).better else ""

    @cached_property
    def is_penalty(self) -> bool:
        """Whether the component never pays anything."""
        return all(float(self.earned(policy).max()) <= 0.0 for policy in self.plays)

    @cached_property
    def is_task(self) -> bool:
        """Whether all that the component outweighs is a cost of acting: then it is what remains of the task."""
        play = self.plays[RANDOM]
        if play.actions is None or len(play.actions) < FEWEST_STEPS:
            return False
        rest = (play.rewards - self.earned(RANDOM))[: len(play.actions)]
        left = subtract_fit(make_cost_features(self.survey.action, play.actions), rest)
        return float(rest.var()) > 0.0 and float(left.var()) < BY_ACTION * float(rest.var())

    @cached_property
    def is_potential(self) -> bool:
        """Whether the component is the difference of a potential, which adds up to the same whatever is done."""
        steps = None if self.survey.seen_columns is not None else collect_term_steps(self.survey, self.name)
        return steps is not None and examine_term(steps, self.survey.gamma).verdict == POTENTIAL

    @cached_property
    def is_outweighed(self) -> bool:
        """Whether the best policy does better in the rest alone, and the component dominates there too."""
        if not self.best or self.is_task:
            return False
        if self.compare(self.best, RULING).better or not self.compare(self.best, REST).better:
            return False
        return _measure_share(self.plays[self.best], self.name) > self.alert


def _find_reason(survey: Survey, name: str, weight: float, share: float, crushing: float, alert: float) -> str:
    """Why this component should not dominate; empty where there is no reason."""
    plays = {key: play for key, play in select_sound_plays(survey).items() if _reports(play, name)}
    whole = {key: play for key, play in plays.items() if play.episodes >= FEWEST_EPISODES}
    by_episode = RANDOM in whole and len(whole) > 1
    plays = whole if by_episode else {key: one for key, one in plays.items() if len(one.rewards) >= FEWEST_STEPS}
    splits = {key: _split_earnings(play, name, weight, by_episode) for key, play in plays.items()}
    if RANDOM not in splits:
        return ""
    case = _Case(survey, name, weight, share, crushing, alert, plays, splits)
    return next(filter(None, (find(case) for find in _REASONS)), "")


def _compare_given_play(case: _Case) -> str:
    for given in GIVEN:
        if given in case.splits and case.compare(given, RULING).worse and case.compare(given, REST).better:
            return f", and {given} play, which does better in the rest, earns less of it than random play"
    return ""


def _falls_with_metric(case: _Case) -> str:
    play = case.plays[RANDOM]
    ruling = sum_by_episode(play, case.earned(RANDOM))
    for key, values in read_task_metric(case.survey, play):
        fine = np.isfinite(values)
        if int(fine.sum()) < 20:
            continue
        together = correlate(ruling[fine], values[fine])
        if together < -0.5 and is_beyond_chance(together, int(fine.sum())):
            return f", and it falls as '{key}' rises (correlation {together:.2f} over {int(fine.sum())} episodes)"
    return ""


def _is_only_avoided(case: _Case) -> str:
    if not case.best or not case.is_penalty or case.share < case.crushing or case.is_task:
        return ""
    ruling, rest = case.compare(case.best, RULING), case.compare(case.best, REST)
    if not ruling.better or (rest.better and rest.difference >= LITTLE * ruling.difference):
        return ""
    return f", and {case.best} play, the best policy found, avoids it and does hardly better in anything else"


def _compare_best_play(case: _Case) -> str:
    if not case.is_outweighed or not case.is_penalty:
        return ""
    if not compare_samples(_average_blocks(case.earned(case.best)), _average_blocks(case.earned(RANDOM))).worse:
        return ""
    return f", and {case.best} play, the best policy found, pays more of it at every step for doing better in the rest"


def _is_beyond_influence(case: _Case) -> str:
    if not case.is_outweighed or differ({policy: _average_blocks(case.earned(policy)) for policy in case.plays}):
        return ""
    if case.is_potential:
        return ""
    return f", and no policy does better in it than another, while {case.best} play does better in the rest"


# the first reason that holds is given: what your own policy shows comes before what the search found
_REASONS = (_compare_given_play, _falls_with_metric, _is_only_avoided, _compare_best_play, _is_beyond_influence)


def _reports(play: Play, name: str) -> bool:
    values = play.components.get(name)
    return values is not None and len(values) == len(play.rewards) and is_sound(values)


def _split_earnings(play: Play, name: str, weight: float, by_episode: bool) -> _Split:
    """By episode; where episodes are long and few, by blocks of steps."""
    ruling = weight * play.components[name]
    parts = play.rewards, ruling, play.rewards - ruling
    if by_episode:
        return _Split(*(sum_by_episode(play, values) for values in parts))
    return _Split(*(_average_blocks(values) for values in parts))


def _average_blocks(values: Array) -> Array:
    return block_means(values, max(1, len(values) // BLOCK))


def _measure_share(play: Play, name: str) -> float:
    variances = _measure_variances(split_reward(play))
    total = sum(variances.values())
    return variances.get(name, 0.0) / total if total > 0 else 0.0


def _measure_variances(parts: RewardParts) -> dict[str, float]:
    return {key: float(values.var()) for key, values in parts.shares.items()}
