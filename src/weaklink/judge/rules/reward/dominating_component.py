from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import GIVEN, RANDOM, Play, Survey
from weaklink.base.finding import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import blocks
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.reward._components import Parts, parts_of
from weaklink.judge.rules.reward._plays import (
    FEWEST_EPISODES,
    beyond_chance,
    correlation,
    held,
    is_sound,
    sound_plays,
    summed,
    told_apart,
)
from weaklink.judge.rules.reward._task_metric import measured

FEWEST_STEPS, BLOCK = 200, 20
LITTLE = 0.02
"""What is gained elsewhere counts for nothing below this share of what is gained by dodging a penalty."""


class _Split(NamedTuple):
    """What was earned: in all, from the part that dominates, and from all others."""

    whole: Array
    ruling: Array
    rest: Array


@rule(
    "REW106",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW108", "REW109", "REW302", "REW305", "REW306", "TSK102"),
    checks={"reward components": "decides"},
)
def dominating_component(
    survey: Survey, *, alert: float = 0.9, notable: float = 0.8, crushing: float = 0.98, opposed: float = 0.95
) -> Answer:
    """One part of the reward drowns the others, or two parts cancel out.

    ## What it sees
    One component has over 80 % of the variance of all of them in random play (worth knowing). Over 90 % is a warning
    where the others would matter: a penalty with 98 % and more that the best policy found only dodges, doing hardly
    better in anything else; a penalty that grows, or a part that nobody can influence, where the others are done
    better; a part that falls as the task metric rises, or of which your own policy gets less. So is a pair of parts
    that cancel out.

    ## Why it is bad
    The learner follows what varies most. If that is a control cost, it learns to hold still; if it is noise, it learns
    late. Two parts that cancel out teach nothing and hide in every plot of the total.

    ## What to do
    1. Print the mean and the standard deviation of every part over random play and bring their sizes within a factor
       of ten, the task itself first.
    2. Lower the weight of a penalty until a policy that does the task earns more than one that does nothing.
    3. Take out one of two parts that cancel.

    ## How to prove it
    `weaklink preflight ENV --components KEYS --metric KEY` with the weight divided by ten: the best policy found must
    now do better in the task metric.

    ## When it is wrong
    The part that varies most is often the task itself: forward speed has 99 % of the variance in HalfCheetah, and that
    is as it should be. A large penalty may be right where safety comes first. Constant parts have no variance and are
    not seen this way, although a bonus for staying alive can rule through the length of episodes.

    ## References
    Practice. Pan et al., The Effects of Reward Misspecification, 2022.
    """
    play = sound_plays(survey).get(RANDOM)
    parts = None if play is None else parts_of(play)
    if play is None or parts is None or len(parts.shares) < 2 or len(play.rewards) < 100:
        return CannotTell(("components",), "fewer than two parts of the reward are told")
    cancelling = _cancelling(parts, float(play.rewards.std()), opposed)
    if cancelling is not None:
        return cancelling
    variances = {key: float(values.var()) for key, values in parts.shares.items()}
    total = sum(variances.values())
    if total <= 1e-12 * float(np.mean(play.rewards**2)):
        return CannotTell(("a component that varies",), "no part of the reward varies in random play")
    if not parts.add_up and correlation(np.sum([*parts.shares.values()], axis=0), play.rewards) < 0.5:
        return CannotTell(("components",), "the parts that are told do not make up the reward")
    name = max(variances, key=lambda key: variances[key])
    share = variances[name] / total
    if share <= notable:
        return None
    reason = ""
    if share > alert and parts.add_up:
        reason = _reason(survey, name, parts.weights[name], share, crushing, alert)
    others = ", ".join(f"'{key}'" for key in variances if key != name)
    return Finding(
        message=f"Component '{name}' has {share:.1%} of the variance of all components in random play, beside {others}"
        f"{reason}.",
        level=Level.WARN if reason else Level.INFO,
        confidence=MEDIUM if parts.add_up else LOW,
        evidence=(Evidence(metric=f"reward.component.{name}.share", value=share, limit=alert if reason else notable),),
    )


def _cancelling(parts: Parts, spread: float, opposed: float) -> Finding | None:
    """Two parts of the same size and opposite sign that both enter the reward."""
    if not parts.plain:
        return None
    for (one, first), (other, second) in combinations(parts.shares.items(), 2):
        sizes = float(first.std()), float(second.std())
        if min(sizes) < max(0.5 * max(sizes), 0.1 * spread) or min(sizes) == 0.0:
            continue
        together = correlation(first, second)
        if together < -opposed:
            return Finding(
                message=f"Components '{one}' and '{other}' cancel out: their correlation is {together:.3f}, and their "
                f"standard deviations are {sizes[0]:.3g} and {sizes[1]:.3g}.",
                confidence=MEDIUM,
                evidence=(Evidence(metric=f"reward.component.{one}.correlation", value=together, limit=-opposed),),
            )
    return None


def _reason(survey: Survey, name: str, weight: float, share: float, crushing: float, alert: float) -> str:
    """Why this part ought not to rule, or nothing."""
    plays = {key: play for key, play in sound_plays(survey).items() if _tells(play, name)}
    whole = {key: play for key, play in plays.items() if play.episodes >= FEWEST_EPISODES}
    by_episode = RANDOM in whole and len(whole) > 1
    plays = whole if by_episode else {key: one for key, one in plays.items() if len(one.rewards) >= FEWEST_STEPS}
    splits = {key: _split(play, name, weight, by_episode) for key, play in plays.items()}
    untrained = splits.get(RANDOM)
    if untrained is None:
        return ""
    for given in GIVEN:
        less = given in splits and held(splits[given].ruling, untrained.ruling).worse
        if less and held(splits[given].rest, untrained.rest).better:
            return f", and {given} play, which does better in the rest, is paid less of it than random play"
    against = _against_metric(survey, plays[RANDOM], weight * plays[RANDOM].components[name])
    if against:
        return against
    best = max(splits, key=lambda key: float(splits[key].whole.mean()))
    if best == RANDOM or not held(splits[best].whole, untrained.whole).better:
        return ""
    ruling, rest = held(splits[best].ruling, untrained.ruling), held(splits[best].rest, untrained.rest)
    penalty = all(float((weight * play.components[name]).max()) <= 0.0 for play in plays.values())
    little = not rest.better or rest.difference < LITTLE * ruling.difference
    if penalty and share >= crushing and ruling.better and little:
        return f", and {best} play, the best policy found, dodges it and does hardly better in anything else"
    if ruling.better or not rest.better or _share_in(plays[best], name) <= alert:
        return ""
    steps = {key: _blocked(weight * play.components[name]) for key, play in plays.items()}
    if penalty and held(steps[best], steps[RANDOM]).worse:
        return f", and {best} play, the best policy found, is fined more at every step for doing better in the others"
    if not told_apart(steps):
        return f", and no policy does better in it than another, while {best} play does better in the others"
    return ""


def _tells(play: Play, name: str) -> bool:
    values = play.components.get(name)
    return values is not None and len(values) == len(play.rewards) and is_sound(values)


def _split(play: Play, name: str, weight: float, by_episode: bool) -> _Split:
    """By episode; where episodes are long and few, by blocks of steps."""
    ruling = weight * play.components[name]
    parts = play.rewards, ruling, play.rewards - ruling
    if by_episode:
        return _Split(*(summed(play, values) for values in parts))
    return _Split(*(_blocked(values) for values in parts))


def _blocked(values: Array) -> Array:
    return blocks(values, max(1, len(values) // BLOCK))


def _share_in(play: Play, name: str) -> float:
    variances = {key: float(values.var()) for key, values in parts_of(play).shares.items()}
    total = sum(variances.values())
    return variances.get(name, 0.0) / total if total > 0 else 0.0


def _against_metric(survey: Survey, play: Play, part: Array) -> str:
    ruling = summed(play, part)
    for key, values in measured(survey, play):
        fine = np.isfinite(values)
        if int(fine.sum()) < 20:
            continue
        together = correlation(ruling[fine], values[fine])
        if together < -0.5 and beyond_chance(together, int(fine.sum())):
            return f", and it falls as '{key}' rises (correlation {together:.2f} over {int(fine.sum())} episodes)"
    return ""
